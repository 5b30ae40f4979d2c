import fc from 'fast-check';
import { expect, test } from 'vitest';
import { handleDue } from '../../../shared/app/due/due.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Store } from '../../../shared/app/ports.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { plus } from '../../../shared/domain/time.ts';
import type { Report } from '../../../shared/schema/device/report.ts';
import { story } from '../../support/records/stories.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { onStore, sizeOnStore, storesOfRun } from '../../support/stores/store-of-run.ts';
import { frames } from '../../support/world/frames.ts';
import { createRandom } from '../../support/world/random.ts';
import { createTestWorld, startOfTests } from '../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const stores = storesOfRun();
const wanted = sizeOnStore(sizeOf(800, 10_000), 30);
const seed = Number(process.env['FAULT_SEED'] ?? 1);
const endSeconds = 14 * 3600;

/**
 * Stories of enough devices for `wanted` messages. Each ends with a report of every section: before it, late readings are compared only with the
 * reports that were stored.
 */
function tellAll(): Message[] {
  const messages: Message[] = [];
  for (const [index, reports] of fc.sample(story, { numRuns: wanted, seed }).entries()) {
    if (messages.length >= wanted) break;
    const deviceId = `cam-${index}`;
    const at = plus(reports.at(-1)?.receivedAt ?? startOfTests, 60_000);
    const isIll = index % 2 === 0;
    const body = {
      ...{ timestamp: at, bootId: 'b1', seq: 1000, name: deviceId, groupId: 'north', firmware: '2.0' },
      memory: { usedPercent: isIll ? 95 : 20 },
      storage: { freeMegabytes: isIll ? 20 : 900 },
      mqtt: { latencyMs: isIll ? 800 : 20 },
      certificate: { valid: isIll, notAfter: plus(startOfTests, 90 * 86_400_000) },
    };
    const last = { kind: 'status', receivedAt: at, messageId: 'last', body } as Report;
    for (const { kind, receivedAt, messageId, body: notified } of [...reports, last]) {
      const data = Buffer.from(JSON.stringify(notified));
      const attributes = { deviceId, kind };
      messages.push({ messageId: `${deviceId}-${messageId}`, publishTime: receivedAt, attributes, data });
    }
  }
  return messages.toSorted((a, b) => (a.publishTime < b.publishTime ? -1 : 1));
}

/** Takes all messages in, and then handles each device as due at the end. */
async function takeAll(messages: Message[]): Promise<Store> {
  const world = createTestWorld(stores.empty());
  for (const each of messages) await takeMessage(world, each, intake);
  world.pass(endSeconds);
  for (const deviceId of new Set(messages.map(({ attributes }) => attributes['deviceId'] ?? ''))) {
    for (let looks = 0; looks < 20; looks += 1) await handleDue(world, 'devices', deviceId);
  }
  return world.store;
}

/** What an operator sees of each device in the end, and the records of messages that are stored one by one. */
async function stateOf(store: Store): Promise<Map<string, string>> {
  const all = { limit: 1_000_000 };
  const [devices, alerts, activity, guardian] = await Promise.all([
    store.find({ in: 'devices', ...all }),
    store.find({ in: 'alerts', ...all }),
    store.find({ in: 'activity', ...all }),
    store.find({ in: 'guardianAlerts', ...all }),
  ]);
  const ofDevice = <T extends { data: { deviceId: string } }>(found: T[]) =>
    Map.groupBy(found, ({ data }) => data.deviceId);
  const [alertsOf, activityOf, guardianOf] = [ofDevice(alerts), ofDevice(activity), ofDevice(guardian)];
  return new Map(
    devices.map(({ id, data: { name, groupId, firmware, isOnline, lastSeenAt, measures, certificate } }) => {
      const open = alertsOf.get(id)?.filter(({ data }) => data.isOpen) ?? [];
      const codes = open.map(({ data }) => data.code).toSorted();
      const values = Object.entries(measures)
        .map(([measure, { recent }]) => [measure, recent.at(-1)?.value])
        .toSorted();
      const events = activityOf
        .get(id)
        ?.filter(({ data }) => data.kind === 'event')
        .map((each) => each.id)
        .toSorted()
        .join();
      const kept = guardianOf
        .get(id)
        ?.map((each) => each.id)
        .toSorted();
      const validity = certificate.validity?.isValid;
      return [
        id,
        JSON.stringify({
          name,
          groupId,
          firmware,
          isOnline,
          lastSeenAt,
          codes,
          values,
          validity,
          events: events ?? '',
          kept,
        }),
      ];
    }),
  );
}

test('messages in any order, up to five times each, lead to the state of the run in order', {
  timeout: 600_000,
}, async () => {
  const random = createRandom(seed);
  const ordered = tellAll();
  const copied = ordered.flatMap((each) => Array<Message>(random.chance(0.3) ? 1 + random.below(5) : 1).fill(each));
  const shuffled = copied.map((each) => ({ each, key: random.next() })).toSorted((a, b) => a.key - b.key);
  const clean = await stateOf(await takeAll(ordered));
  const store = await takeAll(shuffled.map(({ each }) => each));
  const state = await stateOf(store);
  const wrong = [...clean].filter(([id, text]) => state.has(id) && state.get(id) !== text);
  const lost = [...clean.keys()].filter((id) => !state.has(id));
  const open = (
    await store.find({ in: 'alerts', where: [{ field: 'isOpen', is: '==', value: true }], limit: 1_000_000 })
  ).map(({ data }) => `${data.deviceId} ${data.code}`);
  const doubled = open.filter((key, index) => open.indexOf(key) !== index);
  const what = `messages of ${clean.size} devices, ${copied.length} with copies, shuffled (seed ${seed})${onStore}`;
  ledger('R3', what, { tried: ordered.length, lost: lost.length, wrong: wrong.length, doubled: doubled.length });
  expect(wrong.slice(0, 3).map(([id, text]) => [text, state.get(id)])).toEqual([]);
  expect([lost, doubled]).toEqual([[], []]);
  expect(ordered.length).toBeGreaterThanOrEqual(wanted);
});
