import type { Detection } from '../../schema/detection/detection.ts';
import type { WebhookFilter } from '../../schema/webhook/webhook.ts';
import { everybody } from '../event/event.ts';
import type { EventFacts } from '../event/facts.ts';
import { fitsCode, hasTags } from '../settings/rules.ts';
import { isWithin, type ScheduleSettings } from '../settings/schedules.ts';

/** A member of a filter that does not match an event, and why. */
export type FilterRefusal = { member: keyof WebhookFilter; detail: string };

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
): FilterRefusal[] {
  if (!filter) return [];
  const { codes, devices, tags, schedule } = filter;
  const refusals = event.objects ? refusalsOfObjects(filter, event.objects) : [];
  if (!takesGroup(filter, event.groupId)) {
    refusals.push({ member: 'groups', detail: `group ${event.groupId} is not among them` });
  }
  if (devices?.length && !devices.includes(event.deviceId)) {
    refusals.push({ member: 'devices', detail: `device ${event.deviceId} is not among them` });
  }
  for (const [member, fact] of Object.entries(lists) as [keyof typeof lists, (typeof lists)[keyof typeof lists]][]) {
    const wanted: readonly string[] = filter[member] ?? [];
    const value = event[fact];
    if (wanted.length === 0 || value === undefined || (value !== null && wanted.includes(value))) continue;
    refusals.push({ member, detail: value === null ? `it has no ${fact}` : `${fact} ${value} is not among them` });
  }
  const { code } = event;
  if (code !== undefined && codes?.length && !codes.some((pattern) => fitsCode(pattern, code))) {
    refusals.push({ member: 'codes', detail: `code ${code} is not among them` });
  }
  if (event.tags && !hasTags(tags, event.tags)) {
    refusals.push({ member: 'tags', detail: 'not every tag has one of its values' });
  }
  if (schedule !== undefined) {
    const holds = isWithin(schedule, event.at, settings);
    if (holds === null) refusals.push({ member: 'schedule', detail: `there is no schedule ${schedule}` });
    else if (!holds) refusals.push({ member: 'schedule', detail: `${schedule} does not hold at ${event.at}` });
  }
  return refusals;
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
): FilterRefusal[] {
  const refusals: FilterRefusal[] = [];
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

/** Whether an endpoint receives events of only these groups. Null: all groups. */
export function isWithinGroups(filter: WebhookFilter | null, groups: readonly string[] | null): boolean {
  if (groups === null) return true;
  return (filter?.groups?.length ?? 0) > 0 && (filter?.groups ?? []).every((group) => groups.includes(group));
}
