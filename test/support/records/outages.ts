import { placeKeyOf } from '../../../shared/domain/device/places.ts';
import type { IncidentRecord, OutageState } from '../../../shared/domain/incident/incident.ts';
import type { CameraLoss } from '../../../shared/domain/outage/look.ts';
import { placeIdOf, type SeenPlace } from '../../../shared/domain/outage/places.ts';
import type { PlaceCount } from '../../../shared/domain/outage/scopes.ts';
import { at } from '../world/timeline.ts';
import { incident } from './incidents.ts';

export const place = (kind: string, id: string, groups: string[] = ['north']): SeenPlace => ({
  kind,
  id,
  groups,
  name: null,
  isShared: groups.length > 1,
});

/** A place of which `dark` of `total` cameras are dark; `near` and `far` of them were so before the baselines. */
export function counted(
  of: SeenPlace,
  dark: number,
  total: number,
  { near = 0, far = 0, maintained = 0 }: { near?: number; far?: number; maintained?: number } = {},
): PlaceCount {
  return { place: of, dark, total, before: { near, far }, from: { near: at(-900), far: at(-7200) }, maintained };
}

export const keyAt = (kind: string, id: string, groupId = 'north') => placeKeyOf({ kind, id, groupId });

export function loss(name: string, places: readonly string[], seconds = 0, groupId = 'north'): CameraLoss {
  const lostAt = at(seconds);
  return { alertId: name, groupId, places, lostAt, darkness: { since: lostAt, lastReportBy: null } };
}

/** What is known of an outage of a place with ten cameras. */
export function outageState(given: Partial<OutageState> = {}): OutageState {
  return {
    placeId: 'x',
    from: at(0),
    size: 10,
    around: [],
    lookedAt: at(0),
    backSince: null,
    returnedAt: at(0),
    spells: [{ darkAt: at(0), litAt: null }],
    announcedCount: 10,
    isRecoveryTold: false,
    groupEnds: {},
    continues: null,
    ...given,
  };
}

/** An open outage of a place that was announced at once. */
export function outage(
  of: SeenPlace,
  given: Partial<IncidentRecord> = {},
  state: Partial<OutageState> = {},
): IncidentRecord {
  const course = outageState({ placeId: placeIdOf(of), from: at(-900), ...state });
  const members = { now: 10, peak: 10, back: 0 };
  return incident({
    incidentId: `${of.kind} ${of.id}`,
    scope: { kind: of.kind, id: of.id, name: null },
    groups: of.groups,
    title: `Outage of ${of.id}`,
    announcedAt: at(60),
    members,
    byGroup: { [of.groups[0] ?? '']: members },
    outage: course,
    ...given,
  });
}
