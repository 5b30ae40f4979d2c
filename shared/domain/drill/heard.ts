import { channels } from '../../schema/vocabulary.ts';
import { drillDeviceId } from '../ids.ts';
import type { Configuration } from '../notify/configuration.ts';
import { emptyTeam, type TeamRecord } from '../notify/team.ts';
import { defaultSettings, operationsTeam } from '../settings/settings.ts';
import type { DrillTargets } from './drill.ts';

/** The name of the drill's contacts where a delivery names its team. No team of people can have it. */
export const drillTeam = '(drill)';

/**
 * The configuration by which an alert of a device is heard. That of the drill is heard by the drill's own targets and by endpoints that ask
 * for it, and by nobody else: this is the one test that keeps it from teams, rules and other endpoints.
 * @param targets null: no drill is set up, so that nobody hears of it
 */
export function heardBy(deviceId: string, configuration: Configuration, targets: DrillTargets | null): Configuration {
  if (deviceId !== drillDeviceId) return configuration;
  const everything = Object.fromEntries(channels.map((channel) => [channel, true]));
  const loud = everything as Record<(typeof channels)[number], boolean>;
  const { quietHours: _, ...settings } = defaultSettings;
  return {
    rules: [],
    windows: [],
    teams: new Map([[operationsTeam, targets ? teamOf(targets) : emptyTeam(drillTeam)]]),
    webhooks: targets ? configuration.webhooks.filter(asksForDrills).map(forDrill) : [],
    settings: { ...settings, channels: { ...settings.channels, ERROR: loud } },
  };
}

function asksForDrills({ drill = false, isEnabled, challenge }: Configuration['webhooks'][number]): boolean {
  return drill && isEnabled && challenge === null;
}

/** Whatever else it asks for, it hears of the drill. */
function forDrill(webhook: Configuration['webhooks'][number]): Configuration['webhooks'][number] {
  return { ...webhook, events: ['alert'], filter: null };
}

function teamOf({ emails, phones, chats }: DrillTargets): TeamRecord {
  const named = chats.map(({ kind }, index) => ({ chatId: String(index), kind, sealedUrl: '', shownUrl: '' }));
  return { ...emptyTeam(drillTeam), emails, phones, chats: named };
}
