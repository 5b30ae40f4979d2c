import { expect, test } from 'vitest';
import { lookAtOutages } from '../../../../shared/app/outages/look.ts';
import type { Write } from '../../../../shared/app/ports.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { uuidOf } from '../../../support/records/alerts.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { answerWakes, behind } from '../../../support/world/living-fleet.ts';
import { incidentsOf } from '../../../support/world/places.ts';
import type { TestWorld } from '../../../support/world/world.ts';

/** Lets the look see up to now, as a sweep does. */
const look = (world: TestWorld) =>
  lookAtOutages(world, { horizonAt: world.now(), state: 'sees', incidentId: null }, plus(world.now(), 45_000));

async function commitAll({ store }: TestWorld, writes: readonly Write[]): Promise<void> {
  for (let from = 0; from < writes.length; from += 400) await store.commit(writes.slice(from, from + 400));
}

test('of 450 open outages each is looked at in each minute', async () => {
  const site = behind('a', '1', 6);
  const { world, darken, minutes } = await lateFleet([...site, ...behind('b', '1', 6)]);
  await darken(site);
  await minutes(9);
  const [outage] = await incidentsOf(world);
  if (!outage) throw new Error('there is no outage');
  const others = Array.from({ length: 450 }, (_, index): Write => {
    const incidentId = uuidOf(index);
    return { kind: 'create', in: 'incidents', id: incidentId, data: { ...outage, incidentId } };
  });
  await commitAll(world, others);
  await minutes(1);
  const found = (await incidentsOf(world)).filter(({ endedAt }) => endedAt === null);
  expect(found).toHaveLength(451);
  expect(new Set(found.map((each) => each.outage?.lookedAt)).size).toBe(1);
});

test('more than 2,000 losses at once join their outage by a job, and none of them in the look itself', async () => {
  const site = behind('a', '1', 3);
  const { world, darken, minutes } = await lateFleet([...site, ...behind('b', '1', 3)]);
  const { store } = world;
  await darken(site);
  await minutes(8);
  const [alerts, devices] = await Promise.all([
    store.find({ in: 'alerts', limit: 10 }),
    store.find({ in: 'devices', where: [{ field: 'site', is: '==', value: 'a' }], limit: 10 }),
  ]);
  const [alert, device] = [alerts[0]?.data, devices[0]?.data];
  if (!alert || !device) throw new Error('nothing is lost');
  const unjudged = { isMember: false, incidentId: null, announcedAt: null, awaitsLook: true, isJudged: false };
  const more = Array.from({ length: 2100 }, (_, index): Write[] => {
    const [deviceId, alertId] = [`a.1.more-${index}`, uuidOf(index)];
    return [
      { kind: 'create', in: 'devices', id: deviceId, data: { ...device, deviceId } },
      { kind: 'create', in: 'alerts', id: alertId, data: { ...alert, ...unjudged, deviceId, alertId } },
    ];
  });
  await commitAll(world, more.flat());
  world.pass(60);
  let written = 0;
  world.store = {
    ...store,
    commit: (writes) => {
      written += writes.filter((write) => write.in === 'alerts').length;
      return store.commit(writes);
    },
  };
  await look(world);
  expect(await incidentsOf(world)).toMatchObject([{ title: 'Outage at a' }]);
  expect(written).toBe(0);
  world.pass(1);
  await answerWakes(world);
  const [outage] = await incidentsOf(world);
  const joined = await store.find({ in: 'alerts', limit: 5000 });
  expect(joined.filter(({ data }) => data.isMember && data.incidentId === outage?.incidentId)).toHaveLength(2103);
});
