import { channels } from '../../schema/vocabulary.ts';
import { drillDeviceId } from '../ids.ts';
import type { Configuration } from '../notify/configuration.ts';
import { emptyTeam, type TeamRecord } from '../notify/team.ts';
import { defaultSettings, operationsTeam } from '../settings/settings.ts';
import type { DrillTargets } from './drill.ts';

/** Team name in the drill's deliveries. No real team can have it. */
export const drillTeam = '(drill)';

/**
 * The configuration for alerts of a device. For the drill's device it contains only the drill's own targets and the endpoints that want drills: this
 * is the only check that keeps drills away from teams, rules and other endpoints.
 * @param targets null: no drill is set up, so nobody is notified
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

/** The endpoint gets the drill whatever its other filters say. */
function forDrill(webhook: Configuration['webhooks'][number]): Configuration['webhooks'][number] {
  return { ...webhook, events: ['alert'], filter: null };
}

function teamOf({ emails, phones, chats }: DrillTargets): TeamRecord {
  const named = chats.map(({ kind }, index) => ({ chatId: String(index), kind, sealedUrl: '', shownUrl: '' }));
  return { ...emptyTeam(drillTeam), emails, phones, chats: named };
}
