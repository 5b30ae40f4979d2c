import type { Detection } from '../../schema/detection/detection.ts';
import { alertCatalogue } from '../../schema/vocabulary.ts';
import type { WebhookFilter } from '../../schema/webhook/webhook.ts';
import { everybody } from '../event/event.ts';
import type { EventFacts } from '../event/facts.ts';
import { fitsCode, hasTags } from '../settings/rules.ts';
import { isWithin, type ScheduleSettings } from '../settings/schedules.ts';
import type { Webhook } from './webhook.ts';

const criticalCodes = Object.entries(alertCatalogue).flatMap(([code, { severity }]) =>
  severity === 'CRITICAL' ? [code] : [],
);

/** A member of a filter that does not match an event, and why. */
export type FilterMismatch = { member: keyof WebhookFilter; detail: string };

/** The members of a filter that are lists of values, and the fact of an event that must be among them. */
const lists = {
  sites: 'site',
  severities: 'severity',
  categories: 'category',
  changes: 'change',
  kinds: 'kind',
} as const satisfies Partial<Record<keyof WebhookFilter, keyof EventFacts>>;

/**
 * Each member of a filter that does not match an event. Empty: the event passes. All given members must match, and an empty list matches
 * everything. A member about something that the event does not have does not count.
 */
export function refusalsOf(
  filter: WebhookFilter | null,
  event: EventFacts,
  settings: ScheduleSettings,
): FilterMismatch[] {
  if (!filter) return [];
  return [
    ...(event.objects ? refusalsOfObjects(filter, event.objects) : []),
    ...refusalsOfNames(filter, event),
    ...refusalsOfLists(filter, event),
    ...refusalsOfSchedule(filter, event, settings),
  ];
}

/** What an event is about by name: its group, its device, its code and the tags of its device. */
function refusalsOfNames(filter: WebhookFilter, { groupId, deviceId, code, tags }: EventFacts): FilterMismatch[] {
  const { codes = [], devices = [] } = filter;
  const refusals: FilterMismatch[] = [];
  if (!takesGroup(filter, groupId)) {
    refusals.push({ member: 'groups', detail: `group ${groupId} is not among them` });
  }
  if (devices.length > 0 && !devices.includes(deviceId)) {
    refusals.push({ member: 'devices', detail: `device ${deviceId} is not among them` });
  }
  if (code !== undefined && codes.length > 0 && !codes.some((pattern) => fitsCode(pattern, code))) {
    refusals.push({ member: 'codes', detail: `code ${code} is not among them` });
  }
  if (tags && !hasTags(filter.tags, tags)) {
    refusals.push({ member: 'tags', detail: 'not every tag has one of its values' });
  }
  return refusals;
}

function refusalsOfLists(filter: WebhookFilter, event: EventFacts): FilterMismatch[] {
  const members = Object.entries(lists) as [keyof typeof lists, (typeof lists)[keyof typeof lists]][];
  return members.flatMap(([member, fact]) => {
    const wanted: readonly string[] = filter[member] ?? [];
    const value = event[fact];
    if (wanted.length === 0 || value === undefined || (value !== null && wanted.includes(value))) return [];
    return [{ member, detail: value === null ? `it has no ${fact}` : `${fact} ${value} is not among them` }];
  });
}

function refusalsOfSchedule(
  { schedule }: WebhookFilter,
  { at }: EventFacts,
  settings: ScheduleSettings,
): FilterMismatch[] {
  if (schedule === undefined) return [];
  const holds = isWithin(schedule, at, settings);
  if (holds === null) return [{ member: 'schedule', detail: `there is no schedule ${schedule}` }];
  return holds ? [] : [{ member: 'schedule', detail: `${schedule} does not hold at ${at}` }];
}

/** Whether a filter accepts events of a group. Events without a group pass where the filter names no group. */
export function takesGroup(filter: WebhookFilter | null, groupId: string | null): boolean {
  const groups = filter?.groups ?? [];
  return groups.length === 0 || groups.includes(groupId ?? '');
}

/** Of the groups of an event, one that a filter takes, if there is one. */
export function concernedOf(filter: WebhookFilter | null, groups: readonly string[]): string {
  return (filter?.groups?.length ? groups.find((group) => takesGroup(filter, group)) : groups[0]) ?? everybody;
}

/** Confidence is that of a detected object. Where the filter names objects, only those count. */
function refusalsOfObjects(
  { objects, minConfidence }: WebhookFilter,
  seen: Detection['analysis']['objects'],
): FilterMismatch[] {
  const refusals: FilterMismatch[] = [];
  const wanted = objects?.length ? new Set(objects.map(caseFolded)) : null;
  const detected = seen.filter(({ detected: isDetected }) => isDetected);
  const named = wanted ? detected.filter(({ name }) => wanted.has(caseFolded(name))) : detected;
  if (wanted && named.length === 0) {
    refusals.push({
      member: 'objects',
      detail: `detected: ${detected.map(({ name }) => name).join(', ') || 'nothing'}`,
    });
  }
  if (minConfidence !== undefined) {
    const best = Math.max(...named.map(({ confidence }) => confidence));
    if (named.length === 0) refusals.push({ member: 'minConfidence', detail: 'no object to measure it by' });
    else if (best < minConfidence) refusals.push({ member: 'minConfidence', detail: `the best is ${best}` });
  }
  return refusals;
}

function caseFolded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Whether an endpoint can get alerts that are CRITICAL, or incidents of them. */
export function takesCritical({ events, filter }: Pick<Webhook, 'events' | 'filter'>): boolean {
  const { severities = [], codes = [] } = filter ?? {};
  const isAlerted = events.includes('alert') || events.includes('incident');
  const isOfSeverity = severities.length === 0 || severities.includes('CRITICAL');
  const isOfCode = codes.length === 0 || criticalCodes.some((code) => codes.some((pattern) => fitsCode(pattern, code)));
  return isAlerted && isOfSeverity && isOfCode;
}

/** Whether an endpoint receives events of only these groups. Null: all groups. */
export function isWithinGroups(filter: WebhookFilter | null, groups: readonly string[] | null): boolean {
  if (groups === null) return true;
  return (filter?.groups?.length ?? 0) > 0 && (filter?.groups ?? []).every((group) => groups.includes(group));
}
