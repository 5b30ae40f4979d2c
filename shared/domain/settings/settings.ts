import type { Fault } from '../../errors.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { type Channel, channels, type Severity } from '../../schema/vocabulary.ts';
import { timeZoneFault } from './local-time.ts';

/** The settings of the fleet as they are stored. `version` counts the changes and is the ETag. */
export type SettingsRecord = Settings & { version: number };

/** The team that always exists. It is notified of every alert, and of failures of the platform itself. */
export const operationsTeam = 'operations';

/** Schedules that exist without being named in the settings. */
export const builtInSchedules = ['always', 'business_hours', 'outside_business_hours'] as const;

const workingDays = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;

/** Settings until somebody changes them, with channels and response times by severity as fleet operators usually expect them. */
export const defaultSettings: Settings = {
  responseSeconds: { CRITICAL: 5 * 60, ERROR: 3600, WARNING: 24 * 3600 },
  escalationTeam: operationsTeam,
  channels: {
    CRITICAL: { email: true, chat: true, sms: true, webhook: true },
    ERROR: { email: true, chat: true, sms: false, webhook: true },
    WARNING: { email: false, chat: false, sms: false, webhook: true },
    INFO: { email: false, chat: false, sms: false, webhook: false },
  },
  reporting: { periodSeconds: 60 },
  timeZone: 'UTC',
  businessHours: [{ days: [...workingDays], from: '08:00', to: '18:00' }],
  schedules: {},
};

/** Faults that the schema cannot express: time zones must exist, and names must not hide a built-in schedule. */
export function faultsOfSettings(settings: Settings): Fault[] {
  const faults: Fault[] = [];
  const requireZone = (pointer: string, zone: string | undefined) => {
    const detail = zone === undefined ? null : timeZoneFault(zone);
    if (detail !== null) faults.push({ pointer, detail });
  };
  requireZone('/timeZone', settings.timeZone);
  for (const [name, schedule] of Object.entries(settings.schedules)) {
    requireZone(`/schedules/${name}/timeZone`, schedule.timeZone);
    if ((builtInSchedules as readonly string[]).includes(name)) {
      faults.push({ pointer: `/schedules/${name}`, detail: 'is a built-in schedule' });
    }
  }
  return faults;
}

/** The channels for an alert of a severity where no rule decides otherwise. */
export function channelsOf(settings: Settings, severity: Severity): Channel[] {
  return channels.filter((channel) => settings.channels[severity][channel]);
}

/** Seconds within which an alert of a severity must be acknowledged. Null: no action is needed. */
export function responseSecondsOf(settings: Settings, severity: Severity): number | null {
  return severity === 'INFO' ? null : settings.responseSeconds[severity];
}
