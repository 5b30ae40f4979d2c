import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { trailOfDevice } from '../../../../shared/app/ledger/trail.ts';
import { takeCanary } from '../../../../shared/app/sight/take-canary.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import type { LedgerHead } from '../../../../shared/domain/ledger/entry.ts';
import { type LedgerTrail, linesOfEntry } from '../../../../shared/domain/ledger/trail.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { testVerifierKey, verdictsOf } from '../../../support/ledger/log.ts';
import { createTestObjects, origin, testKey } from '../../../support/ledger/objects.ts';
import { giveTeam } from '../../../support/records/alerts.ts';
import { failure, success } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';
import { seal } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

const world = createTestWorld();
const ledger = { objects: createTestObjects(), origin, keys: [testKey] };
world.ledger = ledger;
let api: Awaited<ReturnType<typeof startTestApi>>;
let webhookId: string;
const life = createTimeline(world);

/** Each minute: sends canaries unless the platform is blind, and attempts the due deliveries. Mail fails for the first half hour. */
async function livesUntil(seconds: number, isBlind: (now: number) => boolean = () => false): Promise<void> {
  const sender = { send: async (_canary: unknown, body: string) => takeCanary(world, Buffer.from(body), seal) };
  const lost = { send: async () => {} };
  const begin = (Date.parse(world.now()) - Date.parse(startOfTests)) / 1000;
  for (let now = begin + minute; now <= seconds; now += minute) {
    const way = isBlind(now) ? lost : sender;
    if (isBlind(now)) await life.until(now);
    else await life.says(now, 'status', { groupId: 'north', memory: { usedPercent: now < hour ? 95 : 20 } });
    const email = { send: async () => (now < 30 * minute ? failure : success) };
    const dispatcher = createDispatcher(world, { webhook: { send: async () => success }, email }, () => 0);
    for (const { data } of await world.store.find({ in: 'deliveries', limit: 1000 }))
      if (data.dueAt !== null && data.dueAt <= world.now()) await dispatcher.attempt(data.deliveryId, data.webhookId);
    await sweep(world, { seal, senders: { ingest: way, broker: way } }, ledger);
  }
}

const prove = (deviceId: string, token?: string) =>
  api.call('GET', `/v1/ledger/proof?deviceId=${deviceId}&from=${at(0)}&to=${world.now()}`, token ? { token } : {});

async function trailsOf(deviceId: string): Promise<{ trails: LedgerTrail[]; text: string; verdict: string }> {
  const { body } = await prove(deviceId);
  const bodies = (body.entries as { body: string }[]).map((entry) => JSON.parse(entry.body));
  const known = { from: bodies[0]?.from, to: bodies.at(-1)?.to };
  const [verdict] = await verdictsOf([{ text: JSON.stringify(body), ...known, keys: [testVerifierKey], known: null }]);
  return {
    trails: bodies.flatMap(({ trail }) => trail ?? []),
    text: JSON.stringify(body),
    verdict: verdict?.verdict ?? '',
  };
}

beforeAll(async () => {
  api = await startTestApi(world);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await livesUntil(minute);
  const body = { url: 'https://hooks.example.com/', events: ['alert', 'detection'], sequenced: true };
  webhookId = (await api.call('POST', '/v1/webhooks', { body })).body.webhookId;
  await livesUntil(5 * minute);
  await life.says(5 * minute + 1, 'detection', detection('s-1'));
  await api.call('PATCH', '/v1/devices/cam-1', { body: { name: 'North gate' } });
  const isBlind = (now: number) => now > 90 * minute && now <= 110 * minute;
  await livesUntil(40 * minute);
  await prove('cam-1');
  await livesUntil(3 * hour, isBlind);
  await Promise.all([prove('cam-1'), prove('watchpost')]);
  await livesUntil(3 * hour + 3 * minute);
}, 120_000);
afterAll(() => api.stop());

describe('the log of a camera', () => {
  test('holds what happened to its alerts, what was delivered and with which outcome, each once and proven', async () => {
    const { trails, verdict } = await trailsOf('cam-1');
    expect(verdict).toBe('proven');
    expect(trails.length).toBeGreaterThan(1);
    const alerts = trails.flatMap((trail) => trail.alerts ?? []);
    expect(alerts.filter(({ code }) => code === 'RES_001').map(({ action, status }) => [action, status])).toEqual([
      ['open', 'active'],
      ['end', 'resolved'],
    ]);
    const audit = await world.store.find({ in: 'audit', limit: 1000 });
    const settled = audit.filter(({ data }) => data.from !== data.to && data.recordedAt < (trails.at(-1)?.to ?? ''));
    expect(alerts).toHaveLength(settled.length);
    const ended = trails.flatMap(({ deliveries = [] }) => deliveries).filter(({ outcome }) => outcome !== 'pending');
    expect(new Set(ended.map(({ deliveryId }) => deliveryId)).size).toBe(ended.length);
    const mail = ended.filter(({ channel }) => channel === 'email');
    // The mail was pending in the first entry, so a later entry contains its outcome: dismissed, because the alert was over by then.
    expect(mail[0]).toMatchObject({ outcome: 'dismissed', attempts: 4, acceptedAt: expect.any(String) });
    expect(trails[0]?.deliveries).toContainEqual(
      expect.objectContaining({ ...mail[0], outcome: 'pending', finishedAt: null }),
    );
    expect(ended.filter(({ channel, outcome }) => channel === 'webhook' && outcome === 'delivered')).toHaveLength(1);
    expect(trails.at(-1)?.sequences).toEqual({ [webhookId]: 1 });
  });

  test('goes on where the entry before ended, and names no person and no address', async () => {
    const { trails, text } = await trailsOf('cam-1');
    for (const [index, { from, to }] of trails.entries()) {
      if (index > 0) expect(from).toBe(trails[index - 1]?.to);
      expect(from <= to).toBe(true);
    }
    expect(text).not.toMatch(/ops@example\.com|hooks\.example\.com|user:|"who"/);
  });
});

describe('the log of the service itself', () => {
  test('holds its own blindness, and what was changed of the configuration and the registry', async () => {
    const { body } = await prove('watchpost');
    const entries = (body.entries as { body: string }[]).map((entry) => JSON.parse(entry.body));
    const changes = entries.flatMap(({ trail }) => (trail as LedgerTrail | undefined)?.changes ?? []);
    expect(changes.map(({ action, kind, id }) => [action, kind, id])).toEqual([
      ['createWebhook', 'webhooks', webhookId],
      ['changeDevice', 'devices', 'cam-1'],
    ]);
    const blind = entries.flatMap(({ intervals }) => intervals);
    expect(blind).toHaveLength(1);
    const [{ begin, end, cause }] = blind;
    expect(cause).toBe('platform');
    // The last canary came through at 90 min, the first one after that at 111 min.
    expect(begin[0] <= at(90 * minute + 60) && at(90 * minute) <= begin[1]).toBe(true);
    expect(end[0] <= at(111 * minute) && at(111 * minute) <= end[1]).toBe(true);
  });

  test('is proven to the minute like that of a camera', async () => {
    expect((await trailsOf('watchpost')).verdict).toBe('proven');
  });

  test('is for bearers who may read the audit stream', async () => {
    const limited = await api.issuer.token({ groups: ['north'] });
    expect((await prove('watchpost', limited)).status).toBe(404);
    const scopes = await api.issuer.token({ scope: 'alerts:read' });
    expect((await prove('watchpost', scopes)).body).toMatchObject({ code: 'forbidden', scope: 'audit:read' });
    expect((await prove('watchpost-drill')).status).toBe(404);
  });
});

describe('the trail of a camera with many changes', () => {
  const device = { ...newDevice('cam-9', startOfTests), groupId: 'north' };
  const chain = { deviceId: 'cam-9', groupId: 'north' };
  const head: LedgerHead = { ...chain, key: '', n: 0, last: '', to: startOfTests, leafAt: startOfTests };

  test('comes in parts with nothing twice or left out, also within one instant, and a quiet one costs two reads', async () => {
    const other = createTestWorld();
    const counted = countingStore(other.store);
    other.pass(hour);
    await trailOfDevice({ ...other, store: counted.store }, head, device);
    // One for the query of the trail, one for the sequence numbers of the detections.
    expect(counted.spent.reads).toBe(2);
    const changes = 2 * linesOfEntry + 50;
    for (let n = 0; n < changes; n += 1) {
      const recordedAt = plus(startOfTests, Math.floor(n / 70) * 60_000 + 1);
      const entryId = `a-${String(n).padStart(4, '0')}`;
      const rest = {
        why: null,
        changes: {},
        notified: [],
        notNotified: [],
        expireAt: plus(recordedAt, 1),
        groupId: 'north',
      };
      const line = { action: 'open', from: null, to: 'active', who: 'system', at: recordedAt, recordedAt } as const;
      const data = { entryId, alertId: entryId, deviceId: 'cam-9', ...line, ...rest };
      await other.store.commit([{ kind: 'create', in: 'audit', id: entryId, data }]);
    }
    const seen: string[] = [];
    let at: LedgerHead = head;
    for (let part = 0; part < 3; part += 1) {
      const found = await trailOfDevice(other, at, device);
      expect(found?.isMore).toBe(part < 2);
      seen.push(...(found?.trail.alerts ?? []).map(({ alertId }) => alertId));
      at = { ...head, ...(found ? { entered: found.entered } : {}) };
    }
    expect(seen).toEqual(Array.from({ length: changes }, (_, n) => `a-${String(n).padStart(4, '0')}`));
  });

  test('leaves what is not ten minutes old to the next entry', async () => {
    const other = createTestWorld();
    expect(await trailOfDevice(other, head, device)).toBe(null);
    other.pass(11 * minute);
    expect((await trailOfDevice(other, head, device))?.entered.to).toBe(plus(startOfTests, 60_000));
  });
});
