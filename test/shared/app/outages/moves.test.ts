import { expect, test } from 'vitest';
import { removeDevice } from '../../../../shared/app/devices/devices.ts';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import { postOf } from '../../../support/notify/post.ts';
import { ana, giveTeam } from '../../../support/records/alerts.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind } from '../../../support/world/living-fleet.ts';
import { incidentsOf } from '../../../support/world/places.ts';
import { openAlerts } from '../../../support/world/ways.ts';
import type { TestWorld } from '../../../support/world/world.ts';

const site = behind('a', '1', 6);
const others = behind('b', '1', 30);
const who = ana.subject.replace(/^user:/, '');

/** The mails about the outage at site a that a team got, without the times in their titles. */
const mailsOf = (world: TestWorld) =>
  postOf(world)
    .sent.filter(
      ({ channel, text }) => channel === 'email' && text.includes('Outage at a') && !text.includes('escalated'),
    )
    .map(({ text }) => text);

async function dark() {
  const fleet = await lateFleet([...site, ...others]);
  await giveTeam(fleet.world, 'south-team', { emails: ['south@example.com'] });
  await fleet.darken(site);
  await fleet.minutes(9);
  expect(await incidentsOf(fleet.world)).toMatchObject([{ title: 'Outage at a', endedAt: null, members: { now: 6 } }]);
  return fleet;
}

const northern = async (world: TestWorld) =>
  (await incidentsOf(world)).find(({ kind, groups }) => kind === 'outage' && groups.includes('north'));
const move = (world: TestWorld, camera: string) => changeDevice(world, ana, camera, { groupId: 'south' });
const remove = (world: TestWorld, camera: string) => removeDevice(world, ana, camera);

test.each([
  ['moved', move],
  ['deleted', remove],
] as const)('an outage all of whose cameras were %s is not over: its end says who did it', async (how, act) => {
  const { world, minutes } = await dark();
  for (const camera of site) await act(world, camera);
  await minutes(4);
  const outage = await northern(world);
  expect(outage).toMatchObject({ status: 'resolved', resolution: how, members: { now: 0, peak: 6, back: 0 } });
  const end = mailsOf(world).at(-1) ?? '';
  expect(end).toContain(`Outage at a: ${how}, still dark`);
  expect(end).toContain(`6 ${how} by ${who}, still dark when they left.`);
  expect(mailsOf(world).filter((text) => /over|back/.test(text))).toEqual([]);
});

test('an outage of which two cameras were moved and the others came back counts and names both', async () => {
  const { world, minutes, light } = await dark();
  for (const camera of site.slice(0, 2)) await move(world, camera);
  await light(site.slice(2));
  await minutes(4);
  const outage = await northern(world);
  expect(outage).toMatchObject({ resolution: 'automatic', members: { now: 0, peak: 6, back: 4 } });
  expect(outage?.message).toMatch(
    new RegExp(`^4 of 6 back after \\d+ min, 2 moved by ${who}, still dark when they left\\.$`),
  );
});

test('cameras that are hung elsewhere while their old place is dark are not back', async () => {
  const { world, minutes, light } = await dark();
  for (const camera of site.slice(0, 2)) await changeDevice(world, ana, camera, { site: 'c', parents: [] });
  await minutes(6);
  expect(await northern(world)).toMatchObject({ endedAt: null, members: { now: 4, peak: 6, back: 0 } });
  expect((await northern(world))?.message).not.toContain('back');
  await light(site.slice(3));
  await minutes(4);
  expect(await northern(world)).toMatchObject({ endedAt: null, members: { now: 1, peak: 6, back: 3 } });
  await minutes(10);
  expect((await northern(world))?.message).toMatch(
    /^3 of 6 back after \d+ min, 2 moved, still dark when they left, 1 still dark: a\.1\.cam-\d\.$/,
  );
  const left = (await openAlerts(world)).map(({ site: where, isMember }) => `${where} ${isMember}`);
  expect(left.toSorted()).toEqual(['a false', 'c false', 'c false']);
});

test('an outage all of whose cameras were hung at another site is not over, and each of them is announced there', async () => {
  const { world, minutes } = await dark();
  for (const [index, camera] of site.entries())
    await changeDevice(world, ana, camera, { site: `c${index}`, parents: [{ kind: 'switch', id: `c${index}` }] });
  await minutes(4);
  const outage = await northern(world);
  expect(outage).toMatchObject({ status: 'resolved', resolution: 'moved', members: { now: 0, peak: 6, back: 0 } });
  expect(outage?.message).toBe('6 moved, still dark when they left.');
  const open = await openAlerts(world);
  expect(open.map(({ site: where, isMember }) => `${where} ${isMember}`).toSorted()).toEqual(
    site.map((_, index) => `c${index} false`),
  );
  expect(open.filter(({ announcedAt }) => announcedAt === null)).toEqual([]);
});

test.each([
  ['moved', move],
  ['deleted', remove],
] as const)(
  'who was told of a lost camera hears that it was %s while it was dark, and not that it is over',
  async (how, act) => {
    const { world, minutes, darken } = await lateFleet([...site, ...others]);
    const [camera = ''] = site;
    await darken([camera]);
    await minutes(9);
    await act(world, camera);
    await minutes(4);
    const mails = postOf(world).sent.map(({ text }) => text.replaceAll('[.]', '.'));
    const ofNorth = mails.filter((text) => text.includes(camera)).slice(0, 2);
    expect(ofNorth[0]).toContain(`a / ${camera} offline since`);
    expect(ofNorth[1]).toContain(`a / ${camera}: ${how} by ${who}, still dark when it left`);
    expect(mails.filter((text) => text.includes(': over'))).toEqual([]);
  },
);
