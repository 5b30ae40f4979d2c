import type { AlertRecord } from '../../domain/alert/alert.ts';
import type { Left, Message } from '../../domain/delivery/delivery.ts';
import { placeAndName } from '../../domain/messages/content.ts';
import {
  type DigestFacts,
  incidentInDigest,
  named,
  type Section,
  type WayGone,
  waysGone,
} from '../../domain/messages/digest.ts';
import { troubleOf } from '../../domain/messages/phrases.ts';
import { holdsFor, occasionTable } from '../../domain/notify/occasions.ts';
import { noteId, windowId } from '../../domain/notify/target.ts';
import { guardianAlertCodes, type Occasion, occasions, severities } from '../../schema/vocabulary.ts';
import type { Filter, World } from '../ports.ts';
import { withSiteNames } from './site-names.ts';

/** Alerts of a window that are read. Of a larger window these are a sample (ids are random), and the store counts the rest. */
const mostRead = 400;
const mostInDigest = 100;

type DigestEntry = { alert: AlertRecord; occasion: Occasion };
type Where = Filter<'alerts'>[];
/** The queries on a window: its entries, and counts by occasion. */
type Window = {
  entries: DigestEntry[];
  gravest(): Promise<AlertRecord[]>;
  count(occasion: Occasion, where: Where): Promise<number>;
};

/** The content of a digest. `only`: the single alert or incident that it would contain. */
export type DigestContent = { facts: DigestFacts; only: Pick<Message, 'about' | 'id' | 'occasion'> | null };

/** The present state of everything that a target's window notes and that was not sent individually. */
export async function digestFacts(world: World, message: Message): Promise<DigestContent> {
  const { id: targetId, window: number = 0, left = [] } = message;
  const { store } = world;
  const noted = windowId(targetId, number);
  const contains = { field: 'digestIds', is: 'array-contains', value: noted } as const;
  const [alerts, inWindow, went, guardian] = await Promise.all([
    store.find({ in: 'alerts', where: [contains], limit: mostRead }),
    store.find({ in: 'deliveries', where: [{ field: 'digestId', is: '==', value: noted }], limit: mostInDigest }),
    store.count({ in: 'alerts', where: [notedAs(targetId, number, 'went')] }),
    guardianCounts(world, noted, left),
  ]);
  const messages = inWindow.flatMap(({ data }) => data.message ?? []);
  const more = await entriesOf(world, messages);
  const own = alerts.flatMap(({ data }) => entriesNoted(data, targetId, number, left));
  const isAll = alerts.length < mostRead;
  const asked = isAll
    ? inMemory([...own, ...more])
    : await inStore(world, { targetId, number, left, entries: [...own, ...more], more });
  const all = await Promise.all([
    ...occasions.map((occasion) => sectionOf(occasion, asked)),
    ...waysGone.map((gone) => sectionOf('resolved', asked, gone)),
  ]);
  const incidents = await incidentsOf(world, messages);
  const facts: DigestFacts = {
    sections: all.flatMap((each) => each.section ?? []),
    over: all.reduce((sum, each) => sum + each.over, 0),
    went: went + (message.went ?? 0),
    late: message.late ?? 0,
    gravest: (await withSiteNames(world, await asked.gravest())).map((alert) => ({
      severity: alert.severity,
      what: `${placeAndName(alert)} ${alert.flapping && alert.lostAt !== null ? 'comes and goes' : troubleOf(alert.code)}`,
    })),
    incidents: incidents.map(({ line }) => line),
    guardian,
  };
  return { facts, only: onlyOf(facts, asked.entries, incidents) };
}

type DigestedIncident = { message: Message; line: DigestFacts['incidents'][number] };

/** The single alert or incident of a digest. Null: there are several, or it cannot be named. */
function onlyOf(
  { sections, over, late, went, guardian }: DigestFacts,
  entries: readonly DigestEntry[],
  incidents: readonly DigestedIncident[],
): DigestContent['only'] {
  const count = sections.reduce((sum, section) => sum + section.count, 0);
  if (over + late + went + guardian.length > 0 || count + incidents.length !== 1) return null;
  const [incident] = incidents;
  if (incident) return incident.message;
  const only = entries.find(({ alert, occasion }) => holdsFor(occasion, alert));
  return only ? { about: 'alert', id: only.alert.alertId, occasion: only.occasion } : null;
}

function notedAs(targetId: string, window: number, occasion: Occasion | 'went'): Filter<'alerts'> {
  return { field: 'digestIds', is: 'array-contains', value: noteId({ targetId, window, occasion }) };
}

function entriesNoted(alert: AlertRecord, targetId: string, window: number, left: readonly Left[]): DigestEntry[] {
  const hasLeft = (occasion: Occasion) =>
    left.some((each) => each.about === alert.alertId && each.occasion === occasion);
  return occasions
    .filter((occasion) => alert.digestIds.includes(noteId({ targetId, window, occasion })) && !hasLeft(occasion))
    .map((occasion) => ({ alert, occasion }));
}

/** @param gone only alerts that ended because their cameras were moved or deleted; null: all others */
async function sectionOf(
  occasion: Occasion,
  window: Window,
  gone: WayGone | null = null,
): Promise<{ section: Section | null; over: number }> {
  const wayOf = ({ resolution }: AlertRecord) => waysGone.find((way) => occasion === 'resolved' && way === resolution);
  const own = window.entries.filter((entry) => entry.occasion === occasion && (wayOf(entry.alert) ?? null) === gone);
  if (own.length === 0) return { section: null, over: 0 };
  const { phase, holds } = occasionTable[occasion];
  const held = holds.map(({ field, value }): Filter<'alerts'> => ({ field, is: '==', value }));
  const byWay = (way: WayGone): Filter<'alerts'> => ({ field: 'resolution', is: '==', value: way });
  const count = async (where: Where) => {
    if (gone !== null) return window.count(occasion, [...where, byWay(gone)]);
    const all = [window.count(occasion, where)];
    if (occasion === 'resolved') all.push(...waysGone.map((way) => window.count(occasion, [...where, byWay(way)])));
    const [whole = 0, ...less] = await Promise.all(all);
    return less.reduce((sum, each) => sum - each, whole);
  };
  const ended: Filter<'alerts'> = { field: 'isOpen', is: '==', value: false };
  const holding = own.filter(({ alert }) => holdsFor(occasion, alert));
  const groupIds = mostCommon(holding.map(({ alert }) => alert.groupId));
  const [total, over, codes, groups] = await Promise.all([
    count(held),
    phase === 'began' ? count([ended]) : 0,
    Promise.all(
      mostCommon(holding.map(({ alert }) => alert.code)).map(async (code) => ({
        code,
        count: await count([...held, { field: 'code', is: '==', value: code }]),
      })),
    ),
    Promise.all(
      groupIds.slice(0, named.groups).map(async (groupId) => ({
        groupId,
        count: await count([...held, { field: 'groupId', is: '==', value: groupId }]),
      })),
    ),
  ]);
  const others = groupIds.length > named.groups;
  return { section: total > 0 ? { occasion, gone, count: total, codes, groups, others } : null, over };
}

/** Distinct values, the most frequent first. */
function mostCommon<T extends string>(values: readonly T[]): T[] {
  const groups = Map.groupBy(values, (value) => value);
  return [...groups].toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1)).map(([value]) => value);
}

function fits(alert: AlertRecord, where: Where): boolean {
  return where.every(({ field, value }) => alert[field] === value);
}

const rank = ({ severity }: AlertRecord) => severities.indexOf(severity);

function gravestOf(entries: readonly DigestEntry[]): AlertRecord[] {
  const open = entries.filter(
    ({ alert, occasion }) => alert.isOpen && !alert.isMember && occasionTable[occasion].phase === 'began',
  );
  const alerts = [...new Map(open.map(({ alert }) => [alert.alertId, alert])).values()];
  return alerts.toSorted((a, b) => rank(a) - rank(b) || (a.timestamp < b.timestamp ? -1 : 1)).slice(0, named.gravest);
}

function countIn(entries: readonly DigestEntry[], occasion: Occasion, where: Where): number {
  return entries.filter((entry) => entry.occasion === occasion && fits(entry.alert, where)).length;
}

function inMemory(entries: DigestEntry[]): Window {
  return {
    entries,
    gravest: async () => gravestOf(entries),
    count: async (occasion, where) => countIn(entries, occasion, where),
  };
}

/** For larger windows: the store counts, minus alerts that were sent individually, plus alerts that only their deliveries note. */
async function inStore(
  { store }: World,
  {
    targetId,
    number,
    left,
    entries,
    more,
  }: { targetId: string; number: number; left: Left[]; entries: DigestEntry[]; more: DigestEntry[] },
): Promise<Window> {
  const direct = await store.get('alerts', [...new Set(left.map(({ about }) => about))]);
  const gone = direct.flatMap((stored): DigestEntry[] =>
    occasions
      .filter((occasion) => stored?.data.digestIds.includes(noteId({ targetId, window: number, occasion })))
      .filter((occasion) => left.some((each) => each.about === stored?.id && each.occasion === occasion))
      .flatMap((occasion) => (stored ? [{ alert: stored.data, occasion }] : [])),
  );
  return {
    entries,
    async gravest() {
      const found: DigestEntry[] = [];
      for (const severity of severities) {
        if (found.length >= named.gravest) break;
        const where: Where = [
          { field: 'digestIds', is: 'array-contains', value: windowId(targetId, number) },
          { field: 'isOpen', is: '==', value: true },
          { field: 'isMember', is: '==', value: false },
          { field: 'severity', is: '==', value: severity },
        ];
        const alerts = await store.find({ in: 'alerts', where, limit: named.gravest + left.length });
        found.push(...alerts.flatMap(({ data }) => entriesNoted(data, targetId, number, left)));
      }
      return gravestOf(found);
    },
    async count(occasion, where) {
      const counted = await store.count({ in: 'alerts', where: [notedAs(targetId, number, occasion), ...where] });
      return Math.max(0, counted - countIn(gone, occasion, where)) + countIn(more, occasion, where);
    },
  };
}

/** The alerts whose deliveries note a window themselves. */
async function entriesOf({ store }: World, messages: readonly Message[]): Promise<DigestEntry[]> {
  const own = messages.filter(({ about }) => about === 'alert');
  const found = await store.get(
    'alerts',
    own.map(({ id }) => id),
  );
  return own.flatMap(({ occasion }, index): DigestEntry[] => {
    const alert = found[index]?.data;
    return alert ? [{ alert, occasion }] : [];
  });
}

async function incidentsOf({ store }: World, messages: readonly Message[]): Promise<DigestedIncident[]> {
  const own = messages.filter(({ about }) => about === 'incident');
  const found = await store.get(
    'incidents',
    own.map(({ id }) => id),
  );
  return own.flatMap((message, index) => {
    const incident = found[index]?.data;
    if (!incident || !holdsFor(message.occasion, incident)) return [];
    const { severity } = incident;
    return [{ message, line: { severity, title: incidentInDigest(incident, message.occasion) } }];
  });
}

async function guardianCounts(
  { store }: World,
  noted: string,
  left: readonly Left[],
): Promise<DigestFacts['guardian']> {
  const where: Filter<'guardianAlerts'> = { field: 'digestIds', is: 'array-contains', value: noted };
  const [total, direct] = await Promise.all([
    store.count({ in: 'guardianAlerts', where: [where] }),
    store.get(
      'guardianAlerts',
      left.map(({ about }) => about),
    ),
  ]);
  if (total === 0) return [];
  const counts = await Promise.all(
    guardianAlertCodes.map(async (alertCode) => {
      const all = await store.count({
        in: 'guardianAlerts',
        where: [where, { field: 'alertCode', is: '==', value: alertCode }],
      });
      const gone = direct.filter((each) => each?.data.alertCode === alertCode && each.data.digestIds.includes(noted));
      return { alertCode, count: all - gone.length };
    }),
  );
  return counts.filter(({ count }) => count > 0);
}
