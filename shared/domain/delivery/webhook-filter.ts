import type { Detection } from '../../schema/detection/detection.ts';
import type { WebhookFilter } from '../../schema/webhook/webhook.ts';
import { isWithin, type ScheduleSettings } from '../settings/schedules.ts';
import type { Instant } from '../time.ts';

/** What a filter compares. `objects` null: the event has no objects, and filter members about objects do not apply. */
export type Filterable = {
  at: Instant;
  deviceId: string;
  groupId: string;
  objects: Detection['analysis']['objects'] | null;
};

/** A member of a filter that does not match an event, and why. */
export type FilterRefusal = { member: keyof WebhookFilter; detail: string };

/**
 * Each member of a filter that does not match an event. Empty: the event passes. All given members must match, and an empty list matches
 * everything.
 */
export function refusalsOf(
  filter: WebhookFilter | null,
  event: Filterable,
  settings: ScheduleSettings,
): FilterRefusal[] {
  if (!filter) return [];
  const { devices, schedule } = filter;
  const refusals = event.objects ? refusalsOfObjects(filter, event.objects) : [];
  if (!takesGroup(filter, event.groupId)) {
    refusals.push({ member: 'groups', detail: `group ${event.groupId} is not among them` });
  }
  if (devices?.length && !devices.includes(event.deviceId)) {
    refusals.push({ member: 'devices', detail: `device ${event.deviceId} is not among them` });
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
