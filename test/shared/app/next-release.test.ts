import { expect, test } from 'vitest';
import { createPageTokens } from '../../../shared/adapters/auth/page-tokens.ts';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { listAlerts } from '../../../shared/app/alerts/list.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { createWindow } from '../../../shared/app/maintenance/windows.ts';
import type { Kind, Write } from '../../../shared/app/ports.ts';
import { plus } from '../../../shared/domain/time.ts';
import { postOf } from '../../support/notify/post.ts';
import { ana, giveRule, giveTeam, openTestAlert } from '../../support/records/alerts.ts';
import { giveWebhook } from '../../support/records/deliveries.ts';
import { detection } from '../../support/records/detections.ts';
import { kinds } from '../../support/records/records.ts';
import { message } from '../../support/records/reports.ts';
import { lateFleet } from '../../support/world/late-fleet.ts';
import { behind } from '../../support/world/living-fleet.ts';
import { intake } from '../../support/world/ways.ts';
import type { TestWorld } from '../../support/world/world.ts';

const cameras = behind('a', '1', 8);
const [camera = '', other = '', third = '', fourth = ''] = cameras;

const alertId = '00000000-0000-4000-8000-0000000a0001';
const member = 'ofTheNextRelease';
const value = { since: 'the next release' };

/** The record with an unknown member in each of its objects, at every depth: in maps it is an unknown name. */
function planted(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(planted);
  if (given === null || typeof given !== 'object') return given;
  const members = Object.entries(given).map(([name, each]) => [name, planted(each)]);
  return Object.fromEntries([...members, [member, value]]);
}

/** @returns what the records were before, by kind and id */
async function plantEverywhere({ store }: TestWorld): Promise<Set<string>> {
  const names = new Set<string>();
  for (const kind of kinds) {
    for (const { id, data, revision } of await store.find({ in: kind, limit: 10_000 })) {
      await store.commit([{ kind: 'replace', in: kind, id, data: planted(data), revision } as unknown as Write]);
      names.add(`${kind} ${id}`);
    }
  }
  return names;
}

/** The life of a fleet; in the middle of it every record comes to be one of the next release, or not. */
async function lived(plant: (world: TestWorld) => Promise<Set<string>>) {
  const { world, ways, minutes, darken, light } = await lateFleet(cameras);
  await giveTeam(world, 'night', { emails: ['night@example.com'], phones: ['+46700000001'] });
  await giveRule(world, {
    name: 'Doors first',
    condition: { code: 'SEC_*', device: [third] },
    action: { team: 'night', notify: ['sms'], priority: 'high' },
  });
  const webhookId = '00000000-0000-4000-8000-0000000b0001';
  await giveWebhook(world, { webhookId, events: ['alert', 'detection', 'incident'], sequenced: true });
  await createWindow(
    world,
    ana,
    {
      startsAt: plus(world.now(), 60_000),
      endsAt: plus(world.now(), 12 * 60_000),
      name: 'Ladder',
      scope: { devices: [fourth] },
    },
    '00000000-0000-4000-8000-0000000c0001',
  );
  const detect = (session: string) => {
    const given = { deviceId: camera, messageId: session, publishTime: world.now() };
    return takeMessage(world, message('detection', detection(session), given), intake);
  };
  await detect('s-1');
  await ways.say(third, { kind: 'status', body: { memory: 'much' } });
  await ways.say(third, { kind: 'status', body: { memory: { usedPercent: 96 } } });
  await openTestAlert(world, { alertId, deviceId: third, code: 'SEC_002' });
  await darken([camera, other]);
  await minutes(9);
  const names = await plant(world);
  await detect('s-2');
  await minutes(3);
  await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
  await light([camera]);
  await minutes(20);
  await light([other]);
  await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  await minutes(20);
  return { world, names };
}

test('a fleet lives on with records of the next release: people and endpoints are told the same, and no record loses what is not known', async () => {
  const plain = await lived(async () => new Set());
  const { world, names } = await lived(plantEverywhere);
  const told = (of: TestWorld) =>
    postOf(of).sent.map(({ at, to, channel, delivery }) => [at, to, channel, delivery.eventType]);
  expect(told(world).length).toBeGreaterThan(20);
  expect(told(world)).toEqual(told(plain.world));
  const failed = ({ lines }: TestWorld) => lines.filter(({ event }) => event.endsWith('.failed'));
  expect(failed(world)).toEqual(failed(plain.world));
  const keeping: string[] = [];
  const losing = new Set<Kind>();
  for (const kind of kinds) {
    for (const { id, data } of await world.store.find({ in: kind, limit: 10_000 })) {
      if (!names.has(`${kind} ${id}`)) continue;
      if (member in data) keeping.push(kind);
      else losing.add(kind);
    }
  }
  expect(new Set(keeping).size).toBeGreaterThan(15);
  expect([...losing]).toEqual(['now']);
});

test('a further code of alerts is kept, shown and settled by this release, which does not know it', async () => {
  const rename = async ({ store }: TestWorld) => {
    for (const kind of kinds) {
      for (const { id, data, revision } of await store.find({ in: kind, limit: 10_000 })) {
        const renamed = JSON.parse(JSON.stringify(data).replaceAll('SEC_002', 'SEC_909'));
        await store.commit([{ kind: 'replace', in: kind, id, data: renamed, revision } as unknown as Write]);
      }
    }
    return new Set<string>();
  };
  const { world } = await lived(rename);
  expect(world.lines.filter(({ event }) => event.endsWith('.failed'))).toEqual([]);
  const [stored = null] = await world.store.get('alerts', [alertId]);
  expect(stored?.data).toMatchObject({ code: 'SEC_909', status: 'resolved' });
  const { alerts } = await listAlerts(world, ana, { status: ['all'] }, createPageTokens(Buffer.alloc(32, 1)));
  expect(alerts.map(({ code }) => code)).toContain('SEC_909');
});
