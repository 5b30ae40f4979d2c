import { beforeEach, describe, expect, test } from 'vitest';
import { importDevices } from '../../../../shared/app/devices/import.ts';
import { beginDrill } from '../../../../shared/app/drill/begin-drill.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { drillDeviceId } from '../../../../shared/domain/ids.ts';
import { canaryAttribute } from '../../../../shared/domain/sight/canary.ts';
import { drillHops } from '../../../../shared/schema/vocabulary.ts';
import { createStage } from '../../../support/drill/stage.ts';
import { ana, giveTeam } from '../../../support/records/alerts.ts';
import { giveWebhook } from '../../../support/records/deliveries.ts';
import { message } from '../../../support/records/reports.ts';
import { intake } from '../../../support/world/ways.ts';

let stage: ReturnType<typeof createStage>;
let asking: string;
beforeEach(async () => {
  stage = createStage();
  const contacts = { emails: ['ops@example.com'], phones: ['+46701234567'] };
  await giveTeam(stage.world, 'operations', {
    ...contacts,
    chats: [{ kind: 'slack', url: 'https://chat.example.com/ops' }],
  });
  await giveWebhook(stage.world, { events: ['alert', 'detection', 'guardian', 'audit'] });
  asking = await giveWebhook(stage.world, { events: ['detection'], drill: true });
});

/** Kinds of records that count, list, bill or report devices. A drill must leave none. */
const ofDevices = [
  'devices',
  'alerts',
  'audit',
  'activity',
  'trends',
  'trendCounters',
  'incidents',
  'auditStream',
  'events',
  'notices',
  'quarantine',
] as const;

async function traces(): Promise<string[]> {
  const found = await Promise.all(
    ofDevices.map(async (kind) => ({ kind, all: await stage.store.find({ in: kind, limit: 9 }) })),
  );
  return found.flatMap(({ kind, all }) => (all.length > 0 ? [kind] : []));
}

test('24 hours of health: each drill passes, each minute has its beat, and nobody else hears of it', async () => {
  for (let hour = 0; hour < 24; hour += 1) await stage.hour();
  expect(stage.logged()).toEqual([]);
  expect(await stage.seen()).toMatchObject({ state: 'passed', hop: null });
  const drills = stage.left.filter(({ eventType }) => eventType === 'test');
  expect(drills).toHaveLength(24 * 4);
  const where = drills.map(({ target }) =>
    'team' in target ? target.team : target.kind === 'webhook' ? target.webhookId : '',
  );
  expect([...new Set(where)].toSorted()).toEqual(['(drill)', asking].toSorted());
  expect(new Set(stage.left.map(({ eventType }) => eventType))).toEqual(new Set(['test', 'heartbeat']));
  expect(await traces()).toEqual([]);
});

describe('a hop that breaks is noticed within two periods, by its name', () => {
  test.each(drillHops)('%s', async (hop) => {
    await stage.hour();
    expect(await stage.seen()).toMatchObject({ state: 'passed' });
    stage.broken.add(hop);
    await stage.hour();
    await stage.hour();
    expect(await stage.seen()).toMatchObject({ state: 'broken', hop });
    if (hop !== 'sweep') expect(new Set(stage.logged())).toEqual(new Set([hop]));
    stage.broken.delete(hop);
    await stage.hour();
    await stage.hour();
    expect(await stage.seen()).toMatchObject({ state: 'passed', hop: null });
  });
});

test('a beat stops with the sweep, with ingest and with deliver, and begins again', async () => {
  const beats = async (minutes: number) => {
    const before = stage.left.length;
    for (let passed = 0; passed < minutes; passed += 1) await stage.minute();
    return stage.left.slice(before).filter(({ eventType }) => eventType === 'heartbeat').length;
  };
  expect(await beats(10)).toBe(10);
  for (const hop of ['sweep', 'queue'] as const) {
    stage.broken.add(hop);
    await beats(1);
    expect(await beats(5)).toBe(0);
    stage.broken.delete(hop);
    await beats(5);
    expect(await beats(5)).toBeGreaterThanOrEqual(4);
  }
  stage.broken.add('ingest');
  await beats(6);
  expect(await beats(5)).toBe(0);
  expect(
    await stage.store.find({
      in: 'deliveries',
      where: [{ field: 'eventType', is: '==', value: 'heartbeat' }],
      limit: 99,
    }),
  ).toHaveLength(1);
});

describe('who lies about it', () => {
  test('a camera that calls itself the drill is refused, on each kind of message and in the registry', async () => {
    const body = { memory: { usedPercent: 99 } };
    for (const kind of ['status', 'canary', 'event', 'guardian', 'detection'] as const) {
      await takeMessage(stage.world, message(kind as 'status', body, { deviceId: drillDeviceId }), intake);
    }
    const { results } = await importDevices(
      stage.world,
      ana,
      { devices: [{ deviceId: drillDeviceId, groupId: 'north' }] },
      false,
    );
    expect(results).toMatchObject([
      { outcome: 'refused', errors: [{ pointer: '/deviceId', detail: 'is reserved for the service itself' }] },
    ]);
    expect(await stage.store.find({ in: 'devices', limit: 9 })).toEqual([]);
    expect(await stage.store.find({ in: 'alerts', limit: 9 })).toEqual([]);
    expect(stage.left).toEqual([]);
  });

  test('a message that we did not sign, one of an earlier round and a copy change nothing', async () => {
    const startedAt = stage.world.now();
    const bodies: string[] = [];
    const { senders, seal } = stage.canaries;
    const kept = {
      seal,
      senders: { ingest: { send: async (_canary: object, body: string) => void bodies.push(body) } },
    };
    await beginDrill(stage.world, kept);
    const forged = JSON.stringify({ drill: startedAt, way: 'ingest', signature: seal.sign('another text') });
    const say = (body: string) =>
      stage.publish({
        messageId: body,
        publishTime: startedAt,
        attributes: { [canaryAttribute]: 'ingest' },
        data: Buffer.from(body),
      });
    const pending = async () => (await stage.store.find({ in: 'deliveries', limit: 99 })).length;
    await say(forged);
    expect(await pending()).toBe(0);
    await say(bodies[0] ?? '');
    await say(bodies[0] ?? '');
    expect(await pending()).toBe(4);
    await stage.hour();
    await beginDrill(stage.world, { seal, senders: { broker: senders.broker } });
    const before = await pending();
    await say(bodies[0] ?? '');
    expect(await pending()).toBe(before);
  });
});
