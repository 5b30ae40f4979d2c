import type { Fault } from '../../errors.ts';
import { type PeopleChannel, peopleChannels } from '../../schema/channels.ts';
import type { EscalationPolicy } from '../../schema/settings/escalation.ts';
import type { QuietHours, Settings } from '../../schema/settings/settings.ts';
import {
  builtInSchedules,
  type Channel,
  channels,
  channelTable,
  type Severity,
  severities,
} from '../../schema/vocabulary.ts';
import { measureLimits } from '../limits.ts';
import { timeZoneFault } from './local-time.ts';

/** The settings of the fleet as they are stored. `version` counts the changes and is the ETag. */
export type SettingsRecord = Settings & { version: number };

/** The team that always exists. It is notified of every alert for which no rule names another team, and of failures of the platform itself. */
export const operationsTeam = 'operations';

const workingDays = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;

export const defaultRepeatMinutes = 30;
/** The escalation policy if neither the team nor the settings define one. */
export const defaultPolicy: EscalationPolicy = {
  steps: [{ afterMinutes: 0, escalationTeam: true }],
  repeatMinutes: defaultRepeatMinutes,
};

/** A camera that is lost alone at a place of so many wakes nobody by phone for so long. */
export const defaultLoneCamera = { placeOf: 20, smsAfterMinutes: 30 };

/** Settings until somebody changes them, with channels and response times by severity as fleet operators usually expect them. */
export const defaultSettings: Settings = {
  responseSeconds: { CRITICAL: 5 * 60, ERROR: 3600, WARNING: 24 * 3600 },
  escalationTeam: operationsTeam,
  escalation: defaultPolicy,
  channels: Object.fromEntries(
    severities.map((severity) => [
      severity,
      Object.fromEntries(channels.map((channel) => [channel, isAmong(channelTable[channel].notifies, severity)])),
    ]),
  ) as Settings['channels'],
  updates: { acknowledged: defaultUpdates('acknowledged'), resolved: defaultUpdates('resolved') },
  quietHours: { schedule: 'night', hold: ['WARNING'] },
  telling: { loneCamera: defaultLoneCamera },
  reporting: { periodSeconds: 60 },
  timeZone: 'UTC',
  businessHours: [{ days: [...workingDays], from: '08:00', to: '18:00' }],
  schedules: {},
};

function isAmong(notified: readonly Severity[], severity: Severity): boolean {
  return notified.includes(severity);
}

type Updates = NonNullable<Settings['updates']>;

function defaultUpdates<K extends keyof Updates>(what: K): Updates[K] {
  const cells = peopleChannels.map((channel) => [channel, [...channelTable[channel].updates[what]]]);
  return Object.fromEntries(cells) as Updates[K];
}

/** Faults that the schema cannot express: time zones must exist, and names must not hide a built-in schedule. */
export function faultsOfSettings(settings: Settings): Fault[] {
  const faults: Fault[] = [];
  const requireZone = (pointer: string, zone: string | undefined) => {
    const detail = zone === undefined ? null : timeZoneFault(zone);
    if (detail !== null) faults.push({ pointer, detail });
  };
  requireZone('/timeZone', settings.timeZone);
  faults.push(...faultsOfQuietHours(settings.quietHours, settings));
  for (const [name, schedule] of Object.entries(settings.schedules)) {
    requireZone(`/schedules/${name}/timeZone`, schedule.timeZone);
    if ((builtInSchedules as readonly string[]).includes(name)) {
      faults.push({ pointer: `/schedules/${name}`, detail: 'is a built-in schedule' });
    }
  }
  faults.push(...faultsOfLimits(settings.limits));
  return faults;
}

/** A measure is critical beyond the limit at which it becomes high. */
function faultsOfLimits(limits: Settings['limits'] = []): Fault[] {
  return limits.flatMap(({ memory }, index) => {
    const { high = measureLimits.memory.high.above, critical = measureLimits.memory.critical.above } = memory ?? {};
    if (critical > high) return [];
    const member = memory?.critical === undefined ? 'high' : 'critical';
    const detail =
      member === 'high' ? `must be less than \`critical\`: ${critical}` : `must be more than \`high\`: ${high}`;
    return [{ pointer: `/limits/${index}/memory/${member}`, detail }];
  });
}

/** Faults of quiet hours: their schedule must exist, and they must end. */
export function faultsOfQuietHours(hours: QuietHours | undefined, settings: Pick<Settings, 'schedules'>): Fault[] {
  if (hours === undefined) return [];
  const pointer = '/quietHours/schedule';
  if (hours.schedule === 'always')
    return [{ pointer, detail: 'must not be `always`, because nobody would ever be notified' }];
  return isSchedule(hours.schedule, settings) ? [] : [{ pointer, detail: `there is no schedule ${hours.schedule}` }];
}

function isSchedule(name: string, { schedules }: Pick<Settings, 'schedules'>): boolean {
  return builtInSchedules.some((builtIn) => builtIn === name) || Object.hasOwn(schedules, name);
}

/** The channels that notify a severity by default, without rules. */
export function channelsOf(settings: Settings, severity: Severity): Channel[] {
  return channels.filter((channel) => settings.channels[severity][channel]);
}

const updateNames = { taken: 'acknowledged', over: 'resolved' } as const;

/** Whether a channel also reports acknowledgements or ends to those who were notified of the beginning. */
export function isUpdateSent(
  { updates = defaultSettings.updates }: Pick<Settings, 'updates'>,
  phase: keyof typeof updateNames,
  severity: Severity,
  channel: PeopleChannel,
): boolean {
  const severities: readonly Severity[] = updates?.[updateNames[phase]][channel] ?? [];
  return severities.includes(severity);
}

/** Seconds in which a severity must be acknowledged. Null: no action is needed. */
export function responseSecondsOf(settings: Settings, severity: Severity): number | null {
  return severity === 'INFO' ? null : settings.responseSeconds[severity];
}
