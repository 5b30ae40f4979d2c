import { v5 as uuidv5 } from 'uuid';
import type { Device } from '../device/device.ts';
import { everybody } from '../event/event.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween, plus, spell } from '../time.ts';
import { isNearlyNone, withMembers } from './gathered.ts';
import { type IncidentRecord, seedIncident } from './incident.ts';

const namespace = '4e9b7f02-5d31-5c86-b8aa-90c4e1f7d235';

/** Guardians of a group that have no effect. `lasting`: for so long that a single one counts. */
export type Unguarded = { now: number; lasting: number };

export function isGrave({ now, lasting }: Unguarded): boolean {
  return now >= thresholds.unguardedDevices || lasting > 0;
}

/** It is over when almost none is left, and the rest would not open it again at once. */
export function isGuardedAgain({ members }: IncidentRecord, unguarded: Unguarded): boolean {
  return isNearlyNone(members) && !isGrave(unguarded);
}

/** The incident of a group whose guardians have no effect. Null: of many groups. `worst`: some of their cameras, the longest-lasting first. */
export function guardiansIncident(
  groupId: string | null,
  { now }: Unguarded,
  worst: readonly Device[],
  at: Instant,
  waits: Waits,
): IncidentRecord {
  const where = groupId === null ? 'in many groups' : `in group ${groupId}`;
  const incident = seedIncident(
    {
      incidentId: uuidv5(JSON.stringify([groupId ?? everybody, at]), namespace),
      kind: 'guardians',
      groups: [groupId ?? everybody],
      scope:
        groupId === null
          ? { kind: 'platform', id: 'watchpost', name: null }
          : { kind: 'group', id: groupId, name: null },
      title: `${now === 1 ? 'A guardian is' : 'Guardians are'} of no effect ${where}`,
      message:
        `${now === 1 ? '1 camera' : `${now} cameras`} ${where} ${now === 1 ? 'has' : 'have'} a guardian that is silent, cannot read its camera, ` +
        'or refuses its golden configuration: what somebody changes there is not found and not restored.',
      members: { now: 0, peak: 0, back: 0 },
      evidence: worst.map(lineOf),
    },
    'ERROR',
    worst[0]?.unguardedAt ?? at,
  );
  return {
    ...withMembers(incident, { now, byGroup: groupId === null ? {} : { [groupId]: now } }),
    notifyAfter: plus(at, waits.placeGrace),
  };
}

const states: Partial<Record<string, string>> = {
  blind: 'cannot read its camera',
  'golden-refused': 'refuses its golden configuration',
};

function lineOf({ name, guardianTrust, unguardedAt }: Device): string {
  const health = guardianTrust?.health;
  const state = health?.idleSince ? states[health.status] : undefined;
  const why = state && health?.reason ? `: ${health.reason}` : '';
  return `${name}: ${state ? `${state}${why}` : `silent, last heard ${health?.at ?? 'never'}`}, since ${unguardedAt}`;
}

/** The incident with its closing text. */
export function guardedAgain(incident: IncidentRecord, at: Instant): IncidentRecord {
  const { now, back } = incident.members;
  const left = now === 0 ? '' : ` ${now} ${now === 1 ? 'is' : 'are'} not yet.`;
  const lasted = spell(msBetween(incident.timestamp, at));
  const message = `${back === 1 ? '1 camera is' : `${back} cameras are`} guarded again, or gone, after ${lasted}.${left}`;
  return { ...incident, endedAt: at, message, evidence: [...incident.evidence, message] };
}
