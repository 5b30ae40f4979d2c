import { decideDevice } from '../../domain/change/decide.ts';
import type { DeviceDecision } from '../../domain/change/report-decision.ts';
import { standingOf } from '../outages/standing.ts';
import type { Stored, World } from '../ports.ts';
import { decided, nothingRead, type Written } from './written.ts';

/** Makes a decision on a device, reading the alerts that it names, and returns everything to be written. */
export function decidedOnDevice(
  world: World,
  stored: Stored<'devices'> | null,
  decision: DeviceDecision,
): Promise<Written> {
  const askStanding = () => standingOf(world, decision.device);
  return decided(world, { ...nothingRead, device: stored, askStanding }, decision.at, (known, given) =>
    decideDevice(stored?.data ?? null, decision, known, given),
  );
}
