import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Receiver } from '../../../local/cloud/receiver/server.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { openTestAlert } from '../../support/records/alerts.ts';
import { giveIncident } from '../../support/records/incidents.ts';
import { message } from '../../support/records/reports.ts';
import { startTestApi } from '../../support/world/api.ts';
import { commandLineOf } from '../../support/world/command-line.ts';
import { frames } from '../../support/world/frames.ts';
import { startTrustedReceiver } from '../../support/world/webhooks.ts';

const width = 80;
let receiver: Receiver;
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  receiver = await startTrustedReceiver(() => Date.parse(api.world.now()));
  api = await startTestApi(undefined, [`localhost:${receiver.port}`]);
});
afterAll(async () => {
  await api.stop();
  await receiver.stop();
});

/** A session of somebody who takes over a shift: the commands in order, with what each showed on a terminal. */
async function workingDay(view: { columns?: number; hasColour: boolean }): Promise<Map<string, string>> {
  const line = commandLineOf(api);
  const session = new Map<string, string>();
  const say = async (...args: string[]) => {
    const { status, out, err } = await line.run(args, { view: { timeZone: 'Europe/Stockholm', ...view } });
    expect([args.join(' '), status, err]).toEqual([args.join(' '), 0, '']);
    session.set(args.slice(0, 2).join(' '), out);
    return out;
  };
  const idIn = (table: string) => table.split('\n')[1]?.slice(0, 8) ?? '';
  await say('shift');
  await say('status');
  const alert = idIn(await say('alerts', 'list', '--severity', 'CRITICAL'));
  await say('why', 'cam-gate');
  await say('alerts', 'explain', alert);
  await say('alerts', 'ack', alert, '--comment', 'On my way');
  await say('incidents', 'list');
  const hours = ['--from', '2026-11-21T22:00:00Z', '--to', '2026-11-22T05:00:00Z'];
  await say('maintenance', 'create', '--name', 'New switch at the gate', ...hours, '--group', 'north');
  const window = idIn(await say('maintenance', 'list'));
  await say('webhooks', 'create', '--target', `https://localhost:${receiver.port}/day`, '--event', 'alert');
  const webhook = idIn(await say('webhooks', 'list'));
  await say('trigger', 'alert', webhook);
  await say('deliveries', 'list', '--webhook', webhook);
  await say('webhooks', 'remove', webhook);
  await say('maintenance', 'remove', window);
  await say('alerts', 'unack', alert);
  await say('devices', 'list');
  await say('audit', 'list', '--limit', '30');
  return session;
}

test('on a terminal of 80 columns no line of a working day is longer, and no time or id is one for machines', async () => {
  const receivedBy = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  const take = (kind: string, body: object) =>
    takeMessage(api.world, message(kind, body, { deviceId: 'cam-gate', publishTime: api.world.now() }), receivedBy);
  await take('status', { memory: { usedPercent: 95 } });
  await take('connection', { status: 'offline', reason: 'keepalive timeout', connectedAt: '2026-11-20T09:00:00.000Z' });
  const text = 'MQTT connection lost for more than 5 minutes: disconnected, reason: keepalive timeout';
  const given = { deviceId: 'cam-gate', deviceName: 'The gate of the northern yard', site: 'gbg-north', message: text };
  await openTestAlert(api.world, { ...given, alertId: 'abcdef01-0000-4000-8000-000000000001' });
  await giveIncident(
    api.world,
    '33864506-4d4f-5f42-bcf2-70fc47afbd36',
    'north',
    'The switch of the northern yard is dark',
  );

  const session = await workingDay({ columns: width, hasColour: false });
  for (const [command, out] of session) {
    for (const line of out.trimEnd().split('\n'))
      expect([command, line.length, line]).toEqual([command, Math.min(line.length, width), line]);
    // The answer to a new record is for copying: there ids are whole.
    expect(out, command).not.toMatch(/\d{4}-\d\d-\d\dT\d\d:/);
    if (!command.endsWith('create')) expect(out, command).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(out, command).not.toContain('\u001b');
  }
  expect(session.get('shift')).toContain('abcdef01 CRITICAL CONN_001 The gate of the northern yard, gbg-north');
  expect(session.get('why cam-gate')).toMatch(/^cam-gate is offline since 11:00 \(now\)/);

  const coloured = await workingDay({ columns: width, hasColour: true });
  expect(coloured.get('shift')).toContain('\u001b[1;31mCRITICAL\u001b[0m');
});
