import type { AlertCode } from '../../schema/vocabulary.ts';
import type { AlertRecord } from '../alert/alert.ts';
import { drillDeviceId } from '../ids.ts';
import { earlier } from '../time.ts';
import type { Cause, Share, Worst } from './cause.ts';
import { worseOf } from './rank.ts';

/** At so many places, the same code is one cause. An outage of a group or of the fleet takes as many places. */
export const manyPlaces = 5;
/** Places that a cause names. */
const mostNamed = 50;

/** What is known of a group whose alerts are arranged. */
export type GroupFacts = {
  groupId: string;
  /** Its cameras, and those of each of its sites. */
  total: number;
  totals: ReadonlyMap<string, number>;
  /** Names that people gave to sites and to the group itself, under `site:<id>` and `group:<id>`. */
  names: ReadonlyMap<string, string>;
};

/** Whether an alert needs somebody by itself. */
export function isCause(alert: AlertRecord): boolean {
  const { isOpen, isMember, isMaintained, isSnoozed, severity, deviceId } = alert;
  return isOpen && !isMember && !isMaintained && !isSnoozed && severity !== 'INFO' && deviceId !== drillDeviceId;
}

/** The causes of a group's alerts: the same code at one place is one, and at many places too. */
export function causesOfAlerts(alerts: readonly AlertRecord[], facts: GroupFacts): Cause[] {
  const bySpot = Map.groupBy(alerts.filter(isCause), ({ code, site }) => `${code} ${facts.groupId} ${site ?? ''}`);
  return folded([...bySpot].map(([key, some]) => causeOf(key, some, facts)));
}

function causeOf(key: string, alerts: readonly AlertRecord[], { groupId, total, totals, names }: GroupFacts): Cause {
  const [first, ...others] = alerts.map(worstOfAlert) as [Worst, ...Worst[]];
  const { severity, code, site } = alerts[0] as AlertRecord;
  const [kind, id] = site === null ? ['group', groupId] : ['site', site];
  const cameras = new Set(alerts.map(({ deviceId }) => deviceId)).size;
  return {
    ...{ key, severity, code, incident: null, groupId, groupTotal: total, messages: null, isEverywhere: false },
    worst: others.reduce(worseOf, first),
    place: { kind, id, groupId, name: names.get(`${kind}:${id}`) ?? null },
    among: [],
    places: 1,
    cameras,
    of: knownOf(cameras, site === null ? total : totals.get(site)),
    since: alerts.map(({ timestamp }) => timestamp).reduce(earlier),
  };
}

/** All cameras of a place. A smaller count is of another time, or lacks cameras that only their guardians were heard of: then it is not known. */
function knownOf(cameras: number, all: number | undefined): number | null {
  return all === undefined || all < cameras ? null : all;
}

function worstOfAlert(alert: AlertRecord): Worst {
  const { alertId, deviceId, deviceName, status, timestamp, respondBy, escalatedAt } = alert;
  const { acknowledgedBy, team, priority, version } = alert;
  const life = { status, timestamp, respondBy, escalatedAt, acknowledgedBy, team, priority, version };
  return { about: 'alert', id: alertId, deviceId, deviceName: deviceName ?? null, ...life };
}

/** Makes one cause of a code that is at many places. Folding parts and then the parts together gives the same. */
export function folded(causes: readonly Cause[]): Cause[] {
  const byCode = Map.groupBy(causes, ({ code }) => code);
  return [...byCode].flatMap(([code, some]) =>
    code !== null && some.reduce((sum, { places }) => sum + places, 0) >= manyPlaces ? [together(code, some)] : some,
  );
}

function together(code: AlertCode, causes: readonly Cause[]): Cause {
  const [first, ...others] = causes as [Cause, ...Cause[]];
  const worst = others.reduce((sum, each) => (worseOf(sum.worst, each.worst) === sum.worst ? sum : each), first);
  const groups = new Map(causes.map(({ groupId, groupTotal }) => [groupId, groupTotal]));
  const groupTotal = sumOf([...groups.values()]);
  const cameras = sumOf(causes.map((each) => each.cameras ?? 0));
  return {
    ...worst,
    key: code,
    place: null,
    among: causes
      .flatMap(({ place, cameras, among }) => (place ? [{ place, cameras: cameras ?? 0 }] : among))
      .toSorted((a, b) => b.cameras - a.cameras || (idOf(a) < idOf(b) ? -1 : 1))
      .slice(0, mostNamed),
    places: sumOf(causes.map(({ places }) => places)),
    cameras,
    of: knownOf(cameras, groupTotal),
    since: causes.map(({ since }) => since).reduce(earlier),
    groupId: groups.size === 1 ? first.groupId : null,
    groupTotal,
  };
}

function idOf({ place: { kind, id, groupId } }: Share): string {
  return `${groupId} ${kind} ${id}`;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
