import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { useLink } from '../../../shared/app/links/links.ts';
import { putPlace } from '../../../shared/app/places/places.ts';
import { getSettings, putSettings } from '../../../shared/app/settings/settings.ts';
import { plus } from '../../../shared/domain/time.ts';
import { postOf, type Sent } from '../notify/post.ts';
import { ana, giveTeam } from '../records/alerts.ts';
import { createRandom } from '../world/random.ts';
import { openAlerts } from '../world/ways.ts';
import type { TestWorld } from '../world/world.ts';
import { quietFleet } from './outages.ts';
import type { Hung } from './topology.ts';

/** A period in which a camera is dark, in seconds of the night. */
export type Dark = { deviceId: string; from: number; to: number };
/** A period in which all cameras of a place are dark. */
export type Outage = { name: string; cameras: string[]; from: number; to: number };
export type Night = { fleet: Hung[]; outages: Outage[]; darks: Dark[] };

export const nightSeconds = 12 * 3600;
/** When somebody repairs the cameras: after the night. */
const morning = nightSeconds + 3600;
const minute = 60;
const sites = 6;
const switches = 4;
const cameras = 7;

/**
 * Twelve hours with 8 outages of five or more cameras, 20 single cameras that fail and are repaired in the morning, and 100 interruptions that are
 * too short for a loss. The seed determines times and cameras.
 */
export function fixedNight(seed: number): Night {
  const random = createRandom(seed);
  const fleet: Hung[] = [];
  for (let site = 0; site < sites; site += 1)
    for (let sw = 0; sw < switches; sw += 1)
      for (let camera = 0; camera < cameras; camera += 1)
        fleet.push({
          deviceId: `s${site}w${sw}c${camera}`,
          groupId: 'night',
          site: `site-${site}`,
          parents: [
            { kind: 'switch', id: `sw-${site}-${sw}` },
            { kind: 'uplink', id: `line-${site % 3}` },
          ],
        });
  const hungOn = (name: string) =>
    fleet
      .filter(({ site, parents }) => [site, ...parents.map(({ id }) => id)].includes(name))
      .map((each) => each.deviceId);
  const places = [
    ...Array.from({ length: 4 }, () => `sw-${random.below(sites)}-${random.below(switches)}`),
    ...Array.from({ length: 3 }, () => `site-${random.below(sites)}`),
    `line-${random.below(3)}`,
  ];
  const outages = random.shuffledWithin(places, places.length).map((name, index) => {
    const from = (20 + index * 85 + random.below(20)) * minute + random.below(60);
    return { name, cameras: hungOn(name), from, to: from + (15 + random.below(50)) * minute };
  });
  const darks = outages.flatMap(({ cameras: hung, from, to }) => hung.map((deviceId) => ({ deviceId, from, to })));
  const isFree = ({ deviceId, from, to }: Dark) =>
    darks.every((dark) => dark.deviceId !== deviceId || dark.to + 20 * minute < from || dark.from > to + 20 * minute);
  const add = (times: number, until: (from: number) => number) => {
    for (let found = 0; found < times; ) {
      const from = 600 + random.below(nightSeconds - 1800);
      const dark = { deviceId: random.pick(fleet).deviceId, from, to: until(from) };
      if (!isFree(dark)) continue;
      darks.push(dark);
      found += 1;
    }
  };
  add(20, () => morning);
  add(100, (from) => from + 20 + random.below(240));
  return { fleet, outages, darks };
}

/** A message to the one phone, mailbox or chat room, with its second of the night. */
export type Notified = { second: number; channel: Sent['channel']; text: string };

/**
 * Runs a night. `answersAfter`: seconds after an SMS at which its reader acknowledges, by its link or else in the console. Null: nobody acknowledges.
 */
export async function liveThroughNight(
  { fleet, darks }: Night,
  answersAfter: number | null,
): Promise<{ startsAt: string; notified: Notified[] }> {
  const { world, ways } = await quietFleet(fleet);
  await giveTeam(world, 'operations', {
    emails: ['night@example.com'],
    phones: ['+46700000001'],
    chats: [{ kind: 'slack', url: 'https://chat.example.com/room' }],
  });
  // Here each camera is told by SMS at once.
  const { settings } = await getSettings(world);
  await putSettings(world, { ...settings, telling: { loneCamera: { placeOf: 0, smsAfterMinutes: 30 } } }, null);
  for (const site of new Set(fleet.map(({ site: id }) => id))) {
    await putPlace(world, { kind: 'site', id: site }, { name: `Yard ${site}`, groups: ['night'], shared: false }, null);
  }
  const post = postOf(world);
  post.sent.length = 0;
  const start = world.now();
  const secondOf = (at: string) => (Date.parse(at) - Date.parse(start)) / 1000;
  const steps = darks.flatMap(({ deviceId, from, to }) => {
    const connectedAt = plus(start, to * 1000);
    return [
      { at: from, act: () => ways.say(deviceId, { kind: 'connection', body: { status: 'offline' } }) },
      { at: to, act: () => ways.say(deviceId, { kind: 'connection', body: { status: 'online', connectedAt } }) },
    ];
  });
  for (let at = minute; at <= nightSeconds; at += minute)
    steps.push({ at, act: async () => void (await ways.sweep()) });
  let read = 0;
  const answer = async () => {
    for (; read < post.sent.length; read += 1) {
      const { at, channel, text } = post.sent[read] as Sent;
      if (answersAfter === null || channel !== 'sms') continue;
      if (secondOf(at) + answersAfter > secondOf(world.now())) return;
      await take(world, text);
    }
  };
  for (const { at, act } of steps.toSorted((a, b) => a.at - b.at)) {
    if (at > nightSeconds) break;
    await post.pass(at - secondOf(world.now()));
    await act();
    await post.answerDue();
    await answer();
  }
  const notified = post.sent.map(({ at, channel, text }) => ({ second: secondOf(at), channel, text }));
  return { startsAt: start, notified };
}

/** Acknowledges by the link of a message. Without a link: every open alert that was notified. */
async function take(world: TestWorld, text: string): Promise<void> {
  const token = /\/t\/([\w-]{22})/.exec(text)?.[1];
  if (token !== undefined) {
    await useLink(world, token, { address: null, requestId: token });
    return;
  }
  const open = (await openAlerts(world)).filter(
    ({ status, isMember, announcedAt }) => status !== 'acknowledged' && !isMember && announcedAt !== null,
  );
  for (const { alertId } of open) await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
}
