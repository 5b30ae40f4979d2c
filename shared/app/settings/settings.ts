import { faultsOfPolicy } from '../../domain/settings/escalation.ts';
import { defaultSettings, faultsOfSettings } from '../../domain/settings/settings.ts';
import { AppError } from '../../errors.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { decideAndCommit, put, requireVersion } from '../commit/commit.ts';

import type { Reads, Stored, World } from '../ports.ts';
import { loadConfiguration, revisionWrite } from './configuration.ts';

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
  const { escalation } = settings;
  const steps = escalation
    ? faultsOfPolicy(escalation, {
        teams: new Set((await loadConfiguration(world)).teams.keys()),
        people: null,
        rotations: null,
      })
    : [];
  const errors = [...faultsOfSettings(settings), ...steps];
  if (errors.length > 0) throw new AppError('invalid-request', 'The settings are not valid.', { errors });
  return decideAndCommit(world, async () => {
    const stored = await load(world);
    const { version } = versionedOf(stored);
    requireVersion('settings', version, ifVersion);
    const data = { ...settings, version: version + 1 };
    return {
      writes: [put('settings', 'settings', data, stored), await revisionWrite(world.store)],
      wakes: [],
      answer: { settings, version: data.version },
    };
  });
}

async function load({ store }: Reads<'settings'>): Promise<Stored<'settings'> | null> {
  const [stored = null] = await store.get('settings', ['settings']);
  return stored;
}

function versionedOf(stored: Stored<'settings'> | null): VersionedSettings {
  const { version, ...settings } = { version: 0, ...defaultSettings, ...stored?.data };
  return { settings, version };
}
