import type { Configuration } from '../../domain/notify/configuration.ts';
import { faultsOfPolicy } from '../../domain/settings/escalation.ts';
import { defaultSettings, faultsOfSettings } from '../../domain/settings/settings.ts';
import { AppError, type Fault } from '../../errors.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { decideAndCommit, put, requireVersion } from '../commit/commit.ts';

import type { Reads, Stored, World } from '../ports.ts';
import { lockedConfiguration } from './configuration.ts';
import { faultsOfTeam } from './team-references.ts';

export type VersionedSettings = { settings: Settings; version: number };

/** The settings of the fleet; the defaults until somebody changes them. */
export async function getSettings(world: Reads<'settings'>): Promise<VersionedSettings> {
  return versionedOf(await load(world));
}

/**
 * Replaces the settings.
 * @throws AppError `invalid-request` that names each member at fault; `precondition-failed`
 */
export async function putSettings(
  world: World,
  settings: Settings,
  ifVersion: number | null,
): Promise<VersionedSettings> {
  return decideAndCommit(world, async () => {
    const [stored, [configuration, revision]] = await Promise.all([load(world), lockedConfiguration(world)]);
    const errors = faultsOf(settings, configuration);
    if (errors.length > 0) throw new AppError('invalid-request', 'The settings are not valid.', { errors });
    const { version } = versionedOf(stored);
    requireVersion('settings', version, ifVersion);
    const data = { ...settings, version: version + 1 };
    return {
      writes: [put('settings', 'settings', data, stored), revision],
      wakes: [],
      answer: { settings, version: data.version },
    };
  });
}

function faultsOf(settings: Settings, configuration: Configuration): Fault[] {
  const { escalation, escalationTeam } = settings;
  const known = { teams: new Set(configuration.teams.keys()), people: null, rotations: null };
  return [
    ...faultsOfSettings(settings),
    ...faultsOfTeam(escalationTeam, configuration, '/escalationTeam'),
    ...(escalation ? faultsOfPolicy(escalation, known) : []),
  ];
}

async function load({ store }: Reads<'settings'>): Promise<Stored<'settings'> | null> {
  const [stored = null] = await store.get('settings', ['settings']);
  return stored;
}

function versionedOf(stored: Stored<'settings'> | null): VersionedSettings {
  const { version, ...settings } = { version: 0, ...defaultSettings, ...stored?.data };
  return { settings, version };
}
