import { decideDevice } from '../../domain/change/decide.ts';
import type { DeviceDecision } from '../../domain/change/report-decision.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { Stored, World } from '../ports.ts';
import { type ChangeWork, decided, nothingRead } from './written.ts';

/** Makes a decision on a device, reading the alerts that it names, and returns everything to be written. */
export function decidedOnDevice(
  world: World,
  stored: Stored<'devices'> | null,
  decision: DeviceDecision,
): Promise<ChangeWork> {
  return decidedByConfiguration(world, stored, null, () => decision);
}

/**
 * Makes a decision on a device that depends on the configuration.
 * @param earlier a configuration that may be outdated: if it is, `decide` is asked again with the present one
 */
export function decidedByConfiguration(
  world: World,
  stored: Stored<'devices'> | null,
  earlier: Configuration | null,
  decide: (configuration: Configuration | null) => DeviceDecision,
): Promise<ChangeWork> {
  const { at } = decide(earlier);
  const read = { ...nothingRead, device: stored, earlier };
  return decided(world, read, at, (known, given) =>
    decideDevice(stored?.data ?? null, decide(known.configuration), known, given),
  );
}

/** Makes each decision once, however often it is asked for. */
export function decidedOnce<Decision>(
  decide: (configuration: Configuration | null) => Decision,
): (configuration: Configuration | null) => Decision {
  const made = new Map<Configuration | null, Decision>();
  return (configuration) => {
    const decision = made.get(configuration) ?? decide(configuration);
    made.set(configuration, decision);
    return decision;
  };
}
