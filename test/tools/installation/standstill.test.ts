import { expect, test } from 'vitest';
import { bringTo, requireStandstill, standstillCommands } from '../../../tools/installation/standstill.ts';
import { recovery } from '../../support/installation/installation.ts';
import { startPlatform } from '../../support/installation/platform.ts';

const parts = ['the job sweep', 'the subscription ingest', 'the subscription dead'];
const queues = ['the queue deadlines-0', 'the queue deliveries-0'];

test("everything that hands out work stops and resumes by Google's own clients, each thing once, and is as it was", async () => {
  const { clients, pushes, stop } = await startPlatform(recovery);
  try {
    const before = JSON.stringify([...pushes]);
    await expect(requireStandstill(recovery, clients)).rejects.toThrow(
      'at work although all must stand still: the job',
    );
    expect(await bringTo(true, recovery, clients)).toEqual([...parts, ...queues]);
    expect(await bringTo(true, recovery, clients)).toEqual([]);
    await requireStandstill(recovery, clients);
    const [first = ''] = recovery.queues;
    const inRegion = `projects/${recovery.project}/locations/${recovery.region}`;
    await clients.queues.resumeQueue({ name: `${inRegion}/queues/${first}` });
    await expect(requireStandstill(recovery, clients)).rejects.toThrow(/still: the queue deadlines-0$/);
    expect(await bringTo(false, recovery, clients)).toEqual([...parts, 'the queue deliveries-0']);
    expect(JSON.stringify([...pushes])).toBe(before);
  } finally {
    await stop();
  }
});

test('what does not obey is named', async () => {
  const { clients, stop } = await startPlatform(recovery);
  try {
    const deaf = { ...clients, scheduler: { ...clients.scheduler, pause: async () => {} } };
    await expect(bringTo(true, recovery, deaf)).rejects.toThrow(/^still at work: the job sweep$/);
  } finally {
    await stop();
  }
});

test('the commands for a person name every part', () => {
  for (const isStill of [true, false]) {
    const text = standstillCommands(isStill, recovery).join('\n');
    for (const name of [...recovery.queues, ...Object.keys(recovery.subscriptions), recovery.sweep])
      expect(text).toContain(` ${name} `);
  }
});
