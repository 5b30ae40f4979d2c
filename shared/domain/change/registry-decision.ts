import type { Fault } from '../../errors.ts';
import type { DevicePatch } from '../../schema/device/registry.ts';
import type { Actor } from '../alert/change.ts';
import { type ActivityEntry, activityEntry } from '../device/activity.ts';
import { type Device, judgedBy } from '../device/device.ts';
import { placeKeysOf } from '../device/places.ts';
import { silentAtOf } from '../device/presence.ts';
import { countedFrom, unguardedAtOf } from '../guardian/guarding.ts';
import { movedFrom } from '../registry/memberships.ts';
import {
  changesOf,
  type DeviceMemberChange,
  isLabelled,
  withLabels,
  withPattern,
  withRegistry,
} from '../registry/registry.ts';

import { isSame } from '../same.ts';
import { type Change, type DecisionContext, type KnownRecords, type Needs, noChange } from './change.ts';
import { decideMove } from './decide.ts';
import { renamesOf } from './renames.ts';

/** A patch that is refused, or that changes nothing. */
type NoRegistration = { kind: 'refused'; faults: Fault[] } | { kind: 'unchanged' };

/** Everything that follows when a person registers or edits a device. `isNew`: the device was unknown before. */
export function decideRegistration(
  before: Device,
  patch: DevicePatch,
  { who, isNew }: { who: Actor; isNew: boolean },
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs | NoRegistration {
  if (known.configuration === null) return { kind: 'needs', alerts: [], targets: [] };
  const { settings } = known.configuration;
  const { device: set, faults } = withRegistry(isNew ? withPattern(before, settings.idPatterns) : before, patch);
  if (faults.length > 0) return { kind: 'refused', faults };
  const changes = changesOf(before, set);
  // Write the record although nothing changed if its labels are outdated: a device that never reports again has no other write.
  const isKept = changes.length === 0 && isSame(set.setByHand, before.setByHand) && isLabelled(before);
  if (!isNew && isKept) return { kind: 'unchanged' };
  const named = withLabels({ ...set, places: placeKeysOf(set), version: before.version + 1 });
  const patient = judgedBy(named, settings);
  const isMove = !isNew && patient.groupId !== before.groupId;
  const guardianTrust = isMove ? countedFrom(patient.guardianTrust, given.at) : patient.guardianTrust;
  const silentAt = before.isOnline ? silentAtOf(patient, given.waits) : null;
  const unguardedAt = unguardedAtOf({ ...patient, guardianTrust }, given.waits);
  const since = isMove ? movedFrom(before, given.at) : {};
  const device: Device = { ...patient, ...since, guardianTrust, silentAt, unguardedAt };
  const by = { who, isNew };
  if (!isMove) {
    const activity = [entryOf(device, changes, by, given)];
    return { ...noChange(), device, renames: renamesOf(before, device), activity };
  }
  // Each group reads its own part: how the camera was called and placed in the other one is not its concern.
  const left = entryOf({ ...before, version: device.version }, [], by, given, 'Moved to another group');
  const arrived = entryOf(device, changes, by, given, 'Moved here from another group');
  const activity = [left, arrived];
  const moved = decideMove(before, device, who, known, given);
  return moved.kind === 'change' ? { ...moved, activity } : moved;
}

function entryOf(
  device: Device,
  changes: readonly DeviceMemberChange[],
  { who, isNew }: { who: Actor; isNew: boolean },
  { recordedAt }: DecisionContext,
  move?: string,
): ActivityEntry {
  const lines = changes.map(({ member, from, to }) => `${member}: ${shown(from)} → ${shown(to)}`);
  const summary = move ?? (lines.join(', ') || 'Kept as it is');
  const cause = `version ${device.version}${move ? ` in ${device.groupId}` : ''}`;
  return activityEntry(device, recordedAt, cause, {
    kind: 'device-changed',
    who,
    summary: isNew ? 'Registered' : summary,
    detail: Object.fromEntries(changes.map(({ member, to }) => [member, shown(to)])),
  });
}

/** A value as text for an activity entry. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
