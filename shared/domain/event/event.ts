import { v5 } from 'uuid';
import { endpointEvents } from '../../schema/vocabulary.ts';
import { retention } from '../limits.ts';
import { type Instant, later, plus } from '../time.ts';
import type { EventFacts } from './facts.ts';

/** An event for everybody belongs to every group. */
export const everybody = '*';

/** An event as it is stored once, with the exact bytes that everybody gets: readers of the feed, and the deliveries that refer to it. */
export type EventRecord = {
  /** The same event for the same readers always has the same id. */
  recordId: string;
  type: string;
  /** Identifies the event among those of its type; deliveries carry it too. */
  eventId: string;
  at: Instant;
  deviceId: string | null;
  body: string;
  /** What filters compared, to explain it later. Absent: no filter applies, or the event is in the feed only in another form. */
  facts?: Omit<EventFacts, 'objects'>;
  /** A reader who is limited to groups must have all of these, because who has one of them only does not see what the event is about. */
  allOf?: string[];
  /** The topics under which readers of the feed find it. Empty: only deliveries refer to it. */
  topics: string[];
  expireAt: Instant;
};

const namespace = '0f6b1a52-6f1d-5c8e-9a41-5f6a3b0c7d12';

type NewEvent = Pick<EventRecord, 'type' | 'eventId' | 'at' | 'deviceId' | 'body' | 'facts'> & {
  /** Groups whose readers may see it. Null: readers of any group, but none who is limited to groups. */
  groups: readonly string[] | null;
  /** Whether readers who are not limited to groups see it. */
  isWhole: boolean;
  allOf?: string[];
};

/** An event for the readers of these groups. */
export function eventRecord({ groups, isWhole, ...event }: NewEvent): EventRecord {
  const { type, at } = event;
  const readers = [...(isWhole ? [unlimited] : []), ...(groups ?? [])];
  return {
    ...event,
    recordId: recordIdOf(event, isWhole ? [] : ['groups', ...(groups ?? [])]),
    topics: readers.flatMap((reader) => topicsOf(reader, type)),
    expireAt: plus(at, retention.feed),
  };
}

/** An event for endpoints only, because they get it in another form than the feed. `form`: names that form. */
export function unlistedEvent(event: Omit<NewEvent, 'groups' | 'isWhole'>, form: readonly string[]): EventRecord {
  const recordId = recordIdOf(event, ['unlisted', ...form]);
  return { ...event, recordId, topics: [], expireAt: plus(event.at, retention.feed) };
}

/** @param form how it differs from the complete event: the readers that it is for */
export function recordIdOf(
  { type, deviceId, eventId }: Pick<EventRecord, 'type' | 'deviceId' | 'eventId'>,
  form: readonly string[] = [],
): string {
  return v5(JSON.stringify([type, deviceId, eventId, ...form]), namespace);
}

/** The event with an expiry as late as that of its deliveries, which are kept longer than the feed. */
export function keptFor(
  event: EventRecord,
  deliveries: readonly { recordId: string | null; expireAt: Instant }[],
): EventRecord {
  const referring = deliveries.filter(({ recordId }) => recordId === event.recordId);
  const expireAt = referring.reduce((last, delivery) => later(last, delivery.expireAt), event.expireAt);
  return { ...event, expireAt };
}

/** Types that a reader gets only by naming them: not everybody who may read events may read the audit stream, or sees endpoints. */
const namedOnly: ReadonlySet<string> = new Set(['audit', ...endpointEvents]);
const unlimited = '';

function topicsOf(reader: string, type: string): string[] {
  return namedOnly.has(type) ? [topicOf(reader, type)] : [topicOf(reader, ''), topicOf(reader, type)];
}

function topicOf(reader: string, type: string): string {
  return `${type}|${reader}`;
}

/** Whether a reader who found an event under one of his groups may see it. @param groups null: he is not limited to groups */
export function isForReader({ allOf }: Pick<EventRecord, 'allOf'>, groups: readonly string[] | null): boolean {
  return groups === null || (allOf ?? []).every((group) => groups.includes(group));
}

/**
 * The topics that a reader of the feed asks for.
 * @param groups null: the reader is not limited to groups
 * @param types null: all except those that must be named
 */
export function topicsFor(groups: readonly string[] | null, types: readonly string[] | null): string[] {
  const readers = groups === null ? [unlimited] : groups.filter((group) => group !== everybody);
  return readers.flatMap((reader) => (types ?? ['']).map((type) => topicOf(reader, type)));
}
