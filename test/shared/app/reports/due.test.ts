import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { createReportPress } from '../../../../shared/adapters/reports/press.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { redeliver } from '../../../../shared/app/deliveries/deliveries.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { eraseDevice, startErasure } from '../../../../shared/app/jobs/erasure.ts';
import { getJob } from '../../../../shared/app/jobs/jobs.ts';
import type { Store } from '../../../../shared/app/ports.ts';
import { createSchedule, getSchedule } from '../../../../shared/app/reports/schedules.ts';
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { headIdOf, nextEntry } from '../../../../shared/domain/ledger/entry.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { ReportScheduleInput } from '../../../../shared/schema/ledger/schedule.ts';
import { ana, uuidOf } from '../../../support/records/alerts.ts';
import { success } from '../../../support/records/deliveries.ts';
import { allRecords } from '../../../support/records/records.ts';
import { createFaultyStore, storeErrors } from '../../../support/stores/faulty-store.ts';
import { frameBucket } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const id = uuidOf(1);
const hour = 3600;
const day = 24 * hour;
const bearer: Bearer = { ...ana, subject: 'user:ana', scopes: new Set(['alerts:read', 'settings:write']) };
const input: ReportScheduleInput = {
  name: 'Harbour',
  every: 'week',
  timeZone: 'UTC',
  emails: ['owner@example.com', 'auditor@example.com'],
};
/** From the start on Friday at 10:00 to Tuesday at 06:00: the week ends with Sunday, and its report is due a day after the end, at six. */
const untilSent = 3 * day + 20 * hour;
let world: TestWorld;
beforeEach(async () => {
  world = await living();
});

/** Two cameras that the ledger has recorded for a year, and a schedule of weekly reports. */
async function living(given: Partial<ReportScheduleInput> = {}, who = bearer): Promise<TestWorld> {
  const made: TestWorld = {
    ...createTestWorld(createMemoryStore()),
    press: createReportPress(null),
  };
  for (const [deviceId, groupId] of [
    ['cam-1', 'north'],
    ['cam-2', 'south'],
  ] as const) {
    const data = { ...newDevice(deviceId, startOfTests), groupId };
    const head = { deviceId, groupId, key: 'k', n: 0, last: '', to: startOfTests, leafAt: startOfTests };
    const to = plus(startOfTests, 365 * day * 1000);
    const entered = nextEntry(head, { from: startOfTests, to, intervals: [] }, 0, startOfTests);
    await made.store.commit([
      { kind: 'create', in: 'devices', id: deviceId, data },
      { kind: 'create', in: 'ledgerHeads', id: headIdOf(deviceId, groupId), data: entered.head },
      { kind: 'create', in: 'ledgerEntries', id: entered.entry.entryId, data: entered.entry },
    ]);
  }
  await createSchedule(made, who, { ...input, ...given }, id);
  return made;
}

async function mailsOf({ store }: { store: Store } = world): Promise<Delivery[]> {
  const found = await store.find({ in: 'deliveries', limit: 100 });
  return found.map(({ data }) => data).filter(({ eventType }) => eventType === 'report');
}

async function textOf(mail: Delivery | undefined, ending: string): Promise<string> {
  const { parts = [] } = mail?.attached?.find(({ name }) => name.endsWith(ending)) ?? {};
  const found = await world.store.get('attachments', parts);
  return gunzipSync(Buffer.concat(found.map((part) => Buffer.from(part?.data.data ?? '', 'base64')))).toString(
    'latin1',
  );
}

const eventsOf = (mails: readonly Delivery[]) => mails.map(({ eventId }) => eventId.slice(id.length + 1)).toSorted();

test('the report of a week is mailed once to each recipient, with both files', async () => {
  world.pass(untilSent - 1);
  expect([await handleDue(world, 'reportSchedules', id), await mailsOf()]).toEqual([false, []]);
  world.pass(1);
  await handleDue(world, 'reportSchedules', id);
  await handleDue(world, 'reportSchedules', id);
  const mails = await mailsOf();
  expect(mails.map(({ targetName }) => targetName).toSorted()).toEqual([
    'Harbour: auditor@example.com',
    'Harbour: owner@example.com',
  ]);
  expect(JSON.parse(mails[0]?.body ?? '')).toMatchObject({ subject: 'Availability, 2026-11-16: Harbour' });
  expect(await textOf(mails[0], '.csv')).toMatch(/\r\ncam-1,.*\r\ncam-2,.*\r\ntotal,/s);
  expect(await textOf(mails[1], '.pdf')).toMatch(/^%PDF-/);
  const { schedule } = await getSchedule(world, bearer, id);
  expect(schedule).toMatchObject({
    last: { from: '2026-11-16T00:00:00.000Z', to: '2026-11-23T00:00:00.000Z', sentAt: world.now() },
    next: { to: '2026-11-30T00:00:00.000Z', sendAt: '2026-12-01T06:00:00.000Z' },
  });
});

test('it shows the groups of its author, whoever runs it, and of those the ones that it names', async () => {
  for (const [given, who] of [
    [{}, { ...bearer, groups: ['south'] }],
    [{ groups: ['south'] }, bearer],
  ] as const) {
    world = await living(given as Partial<ReportScheduleInput>, who as Bearer);
    world.pass(untilSent);
    await handleDue(world, 'reportSchedules', id);
    const text = await textOf((await mailsOf())[0], '.csv');
    expect([text.includes('cam-1'), text.includes('cam-2')]).toEqual([false, true]);
  }
});

describe('a run that is cut off', () => {
  test.each(['before', 'after'] as const)(
    '%s any call to the store sends nothing twice and leaves nothing out',
    async (when) => {
      for (let broken = 1; ; broken += 1) {
        world = await living();
        world.pass(untilSent);
        const press = {
          checkpoint: async () => null,
          render: async () => ({ packed: 'eA==', media: 'text/plain' }),
        };
        const store = createFaultyStore(world.store, (call) =>
          call === broken ? { when, error: storeErrors.UNAVAILABLE } : null,
        );
        const run = { ...world, press };
        await handleDue({ ...run, store }, 'reportSchedules', id).catch(() => null);
        await Promise.all([handleDue(run, 'reportSchedules', id), handleDue(run, 'reportSchedules', id)]);
        expect(eventsOf(await mailsOf())).toEqual(['2026-11-16', '2026-11-16']);
        if (store.calls() < broken) break;
      }
    },
  );

  test('the sweep sends what no wake came for', async () => {
    world.pass(untilSent + 120);
    await sweep(world);
    expect(await mailsOf()).toHaveLength(2);
  });
});

test('after three weeks away each missed report is sent once', async () => {
  world.pass(untilSent + 14 * day + hour);
  await handleDue(world, 'reportSchedules', id);
  await handleDue(world, 'reportSchedules', id);
  expect(new Set(eventsOf(await mailsOf()))).toEqual(new Set(['2026-11-16', '2026-11-23', '2026-11-30']));
  expect(await mailsOf()).toHaveLength(6);
});

test('a report waits for a ledger that is behind, for a week at most', async () => {
  const setTo = async (to: string) => {
    const [head] = await world.store.get('ledgerHeads', ['cam-2@south']);
    if (head) await world.store.commit([{ kind: 'patch', in: 'ledgerHeads', id: 'cam-2@south', set: { to } }]);
  };
  await setTo('2026-11-22T23:59:59.999Z');
  world.pass(untilSent);
  await handleDue(world, 'reportSchedules', id);
  expect(await mailsOf()).toEqual([]);
  expect((await getSchedule(world, bearer, id)).schedule.next).toMatchObject({
    sendAt: plus(world.now(), hour * 1000),
  });
  world.pass(hour);
  await setTo('2026-11-23T00:00:00.000Z');
  await handleDue(world, 'reportSchedules', id);
  expect(await mailsOf()).toHaveLength(2);

  world = await living();
  await setTo('2026-11-22T00:00:00.000Z');
  for (let hours = 0; hours <= 7 * 24; hours += 1) {
    world.pass(hours === 0 ? untilSent : hour);
    await handleDue(world, 'reportSchedules', id);
    expect(await mailsOf()).toHaveLength(hours < 7 * 24 ? 0 : 2);
  }
});

describe('a mail that carries a report', () => {
  /** The process dies after the mail has left and before that is recorded. */
  async function diesAfterSending(sent: string[]): Promise<Delivery> {
    world.pass(untilSent);
    await handleDue(world, 'reportSchedules', id);
    const [mail] = await mailsOf();
    if (!mail) throw new Error('there is no mail in the outbox');
    let isDead = false;
    const store = createFaultyStore(world.store, () =>
      isDead ? { when: 'before', error: storeErrors.UNAVAILABLE } : null,
    );
    const email = {
      async send({ targetName }: Delivery) {
        sent.push(targetName);
        isDead = true;
        return success;
      },
    };
    const dispatcher = createDispatcher({ ...world, store }, { email }, () => 0);
    await expect(dispatcher.attempt(mail.deliveryId)).rejects.toThrow('UNAVAILABLE');
    return mail;
  }

  test('is not sent again where it may have left: a person decides', async () => {
    const sent: string[] = [];
    const { deliveryId } = await diesAfterSending(sent);
    const email = {
      async send({ targetName }: Delivery) {
        sent.push(targetName);
        return success;
      },
    };
    const dispatcher = createDispatcher(world, { email }, () => 0);
    expect(await dispatcher.attempt(deliveryId)).toBe('idle');
    world.pass(60);
    expect(await dispatcher.attempt(deliveryId)).toBe('held');
    expect(await dispatcher.attempt(deliveryId)).toBe('idle');
    expect(sent).toHaveLength(1);
    const [held] = await world.store.get('deliveries', [deliveryId]);
    expect(held?.data).toMatchObject({ status: 'held', heldReason: expect.stringContaining('may have arrived') });
    await redeliver(world, bearer, deliveryId);
    expect([await dispatcher.attempt(deliveryId), sent.length]).toEqual(['delivered', 2]);
  });
});

describe('erasure', () => {
  async function finished(erased: TestWorld, jobId: string): Promise<void> {
    while ((await getJob(erased, { ...bearer, scopes: new Set(['settings:read']) }, jobId)).status === 'running')
      await handleDue(erased, 'jobs', jobId);
  }

  test('of a person takes them from the recipients; with nobody left a schedule is paused', async () => {
    const frames = frameBucket();
    const erased = { ...world, frames };
    const all: Bearer = { ...bearer, subject: 'user:admin', groups: null };
    const erase = async (emails: string[], number: number) => {
      const jobId = uuidOf(10 + number);
      const person = { subject: number === 1 ? 'user:ana' : null, emails, phones: [], names: [] };
      await startErasure(erased, all, { person } as never, { jobId, alias: 'x' });
      world.pass(hour);
      await finished(erased, jobId);
    };
    await erase(['OWNER@example.com'], 1);
    const { schedule } = await getSchedule(world, bearer, id);
    expect(schedule).toMatchObject({ emails: ['auditor@example.com'], createdBy: 'erased:x', enabled: true });
    await erase(['auditor@example.com'], 2);
    expect((await getSchedule(world, bearer, id)).schedule).toMatchObject({ emails: [], enabled: false, next: null });
    expect((await allRecords(world.store)).filter((text) => /owner@|auditor@|user:ana/i.test(text))).toEqual([]);
  });

  test('of a camera takes the files that may show it', async () => {
    world.pass(untilSent);
    await handleDue(world, 'reportSchedules', id);
    expect(await world.store.count({ in: 'attachments' })).toBeGreaterThan(0);
    const erased = { ...world, frames: frameBucket() };
    await eraseDevice(erased, { ...bearer, groups: null }, 'cam-1', uuidOf(20));
    world.pass(hour);
    await finished(erased, uuidOf(20));
    expect(await world.store.count({ in: 'attachments' })).toBe(0);
  });
});
