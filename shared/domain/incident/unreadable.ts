import { v5 as uuidv5 } from 'uuid';
import type { Device } from '../device/device.ts';
import { faultKeyOf } from '../device/sighting.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween, plus, spell } from '../time.ts';
import { type Gathered, withMembers } from './gathered.ts';
import { type IncidentRecord, seedIncident } from './incident.ts';

const namespace = 'c3a86b1d-0e57-5f4c-a2b9-61f08d3e7c44';

/** With this many cameras of one model and firmware, the cause is the firmware and not one camera. */
export function isCommon({ now }: Gathered): boolean {
  return now >= thresholds.unreadableDevices;
}

/** The incident of a fault that cameras of one model and firmware share. Null if this camera's record does not describe the fault. */
export function unreadableIncident(
  key: string,
  shown: Device,
  gathered: Gathered,
  at: Instant,
  waits: Waits,
): IncidentRecord | null {
  const fault = shown.unreadable.find(({ reason }) => faultKeyOf(shown, reason) === key);
  if (!fault) return null;
  const what = `${shown.model ?? 'unknown model'}, firmware ${shown.firmware ?? 'unknown'}`;
  const incident = seedIncident(
    {
      incidentId: uuidv5(JSON.stringify([key, at]), namespace),
      kind: 'unreadable',
      groups: [],
      scope: { kind: 'firmware', id: `${shown.model ?? 'unknown'} ${shown.firmware ?? 'unknown'}`, name: null },
      title: `Reports cannot be read in part: ${what}`,
      message:
        `${gathered.now} cameras (${what}) report something that cannot be read: ${fault.reason}. ` +
        'That section is left out and nothing is known of it; the rest of each report counts.',
      members: { now: 0, peak: 0, back: 0 },
      evidence: [`${gathered.now} cameras of ${what} within an hour: ${fault.reason}`],
    },
    'WARNING',
    at,
  );
  return { ...withMembers(incident, gathered), notifyAfter: plus(at, waits.placeGrace) };
}

/** The incident with its closing text. */
export function readableAgain(incident: IncidentRecord, at: Instant): IncidentRecord {
  const { now, back } = incident.members;
  const left = now === 0 ? '' : ` ${now} still ${now === 1 ? 'does' : 'do'}.`;
  const lasted = spell(msBetween(incident.timestamp, at));
  const message = `${back === 1 ? '1 camera has' : `${back} cameras have`} not reported it again in the last hour and more; it lasted ${lasted}.${left}`;
  return { ...incident, endedAt: at, message, evidence: [...incident.evidence, message] };
}
