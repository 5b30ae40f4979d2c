import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plus } from '../../../../shared/domain/time.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { answerWakes, behind, hangs, livingFleet, openingsOf } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import { openAlerts } from '../../../support/world/ways.ts';
import type { TestWorld } from '../../../support/world/world.ts';

const [a1, a2, b1, b2] = [behind('a', '1', 5), behind('a', '2', 5), behind('b', '1', 5), behind('b', '2', 5)];
const all = [...a1, ...a2, ...b1, ...b2];
const without = (lost: readonly string[]) => all.filter((camera) => !lost.includes(camera));

/** The audit entries by which the loss of a camera joined or left an incident. */
async function memberships({ store }: TestWorld, deviceId: string) {
  const found = await store.find({
    in: 'audit',
    where: [{ field: 'deviceId', is: '==', value: deviceId }],
    limit: 100,
  });
  return found.flatMap(({ data: { action, why } }) =>
    action === 'join' || action === 'leave' ? [{ action, why }] : [],
  );
}

test('a loss that was announced by itself joins the outage that follows it, and is announced no more; what is left of it leaves', async () => {
  const { world, live, lose } = await livingFleet(all, hangs);
  const [early = '', ...later] = a1;
  world.pass(1);
  await lose([early]);
  await live(8, without([early]));
  expect(await openingsOf(world)).toEqual(['[CRITICAL] a / a.1[.]cam-0 offline']);
  await lose(later);
  await live(8, without(a1));
  const [incident] = await incidentsOf(world);
  expect(incident).toMatchObject({ scope: { kind: 'switch', id: 'a-1' }, members: { now: 5 } });
  const mine = (await openAlerts(world)).find(({ deviceId }) => deviceId === early);
  expect(mine).toMatchObject({ isMember: true, incidentId: incident?.incidentId, respondBy: null, remindAt: null });
  expect(await memberships(world, early)).toEqual([{ action: 'join', why: 'It is part of: Outage behind switch a-1' }]);
  const notified = (await notifiedOf(world)).length;
  await live(40, without(a1));
  // The incident sends reminders, the alert does not.
  expect((await notifiedOf(world)).slice(notified).filter((line) => line.includes('cam-0 offline'))).toEqual([]);
  await live(13, without([early]));
  expect(await incidentsOf(world)).toMatchObject([{ status: 'resolved' }]);
  expect((await memberships(world, early)).map(({ action }) => action)).toEqual(['join', 'leave']);
  expect((await openAlerts(world)).map(({ deviceId, isMember }) => ({ deviceId, isMember }))).toEqual([
    { deviceId: early, isMember: false },
  ]);
});

test('of two outages behind one uplink that goes dark later both become part of a wider one, with their members', async () => {
  const { world, live, lose } = await livingFleet(all, hangs);
  world.pass(1);
  await lose([...a1, ...b1]);
  await live(8, [...a2, ...b2]);
  expect((await incidentsOf(world)).map(({ scope }) => scope.id).toSorted()).toEqual(['a-1', 'b-1']);
  await lose([...a2, ...b2]);
  await live(10, []);
  const found = await incidentsOf(world);
  const wide = found.find(({ endedAt }) => endedAt === null);
  const parts = found.filter(({ endedAt }) => endedAt !== null);
  expect(parts).toHaveLength(2);
  expect(wide).toMatchObject({ scope: { kind: 'uplink', id: 'u-1' }, members: { now: 20, peak: 20, back: 0 } });
  for (const part of parts) {
    expect(part).toMatchObject({ joinedTo: wide?.incidentId, status: 'resolved', resolution: 'superseded' });
    expect(part.message).toBe('It is part of a wider one: Outage behind uplink u-1.');
  }
  const alerts = await openAlerts(world);
  expect(alerts.map(({ incidentId, isMember }) => [incidentId, isMember])).toEqual(
    all.map(() => [wide?.incidentId, true]),
  );
  expect((await openingsOf(world)).toSorted()).toEqual([
    '[CRITICAL] Outage behind switch a-1',
    '[CRITICAL] Outage behind switch b-1',
    '[CRITICAL] Outage behind uplink u-1: wider than reported before',
  ]);
});

/** What people see of these losses. `second` is when they happened; they are handled in the order given. */
async function heard(losses: readonly { deviceId: string; second: number }[]) {
  const { world, ways, live } = await livingFleet(all, hangs);
  const from = world.pass(1);
  world.pass(58);
  for (const { deviceId, second } of losses) {
    await ways.say(deviceId, { kind: 'connection', body: { status: 'offline' } }, plus(from, second * 1000));
  }
  await ways.sweep();
  await answerWakes(world);
  const dark = losses.map(({ deviceId }) => deviceId);
  await live(9, without(dark));
  await live(4, without(dark.toSorted().slice(0, 1)));
  const incidents = await incidentsOf(world);
  const alerts = await world.store.find({ in: 'alerts', limit: 100 });
  return {
    incidents: incidents.map(({ incidentId, scope, timestamp, members, evidence, message, status }) => {
      return { incidentId, scope, timestamp, members, evidence, message, status };
    }),
    alerts: alerts
      .map(({ data: { deviceId, code, status, incidentId } }) => [deviceId, code, status, incidentId].join(' '))
      .toSorted(),
    notified: (await openingsOf(world)).toSorted(),
  };
}

test('the same losses in any order, and twice, are the same incident with the same members, by its id', async () => {
  const faults = [a1, a1.slice(0, 2), [...a1, ...a2], [...a1, ...a2, ...b1.slice(0, 1)], [...a1, ...b1], all];
  const times = fc.array(fc.nat({ max: 50 }), { minLength: all.length, maxLength: all.length });
  const copies = fc.array(fc.nat(), { minLength: 2 * all.length, maxLength: 2 * all.length });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...faults), times, copies, async (fault, seconds, keys) => {
      const losses = fault.map((deviceId, index) => ({ deviceId, second: seconds[index] ?? 0 }));
      const shuffled = [...losses, ...losses]
        .map((loss, index) => ({ loss, key: keys[index] ?? 0 }))
        .toSorted((one, other) => one.key - other.key)
        .map(({ loss }) => loss);
      expect(await heard(shuffled)).toEqual(await heard(losses.toSorted((one, other) => one.second - other.second)));
    }),
    { numRuns: unlessQuick(3, 8), seed: 7 },
  );
}, 120_000);
