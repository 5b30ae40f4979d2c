import type { Schedule, Settings } from '../../../../shared/schema/settings/settings.ts';
import type { Failure } from '../../client/api.ts';

/** A schedule beside its name, so that the name can be typed; no zone is empty text. */
export type NamedSchedule = { name: string; timeZone: string; periods: Schedule['periods'] };
export type SettingsDraft = Omit<Settings, 'schedules'> & { schedules: NamedSchedule[] };

/** What a part of the page is given. */
export type PartProps = {
  draft: SettingsDraft;
  set: (change: Partial<SettingsDraft>) => void;
  failure: Failure | null;
};

export function draftOf(settings: Settings): SettingsDraft {
  const schedules = Object.entries(settings.schedules).map(([name, { timeZone = '', periods }]) => ({
    name,
    timeZone,
    periods,
  }));
  return { ...settings, schedules };
}

export function settingsOf(draft: SettingsDraft): Settings {
  const schedules = draft.schedules.map(({ name, timeZone, periods }) => [
    name.trim(),
    { ...(timeZone.trim() ? { timeZone: timeZone.trim() } : {}), periods },
  ]);
  return { ...draft, schedules: Object.fromEntries(schedules) };
}

/** Whether a name stands for two schedules: the later would silently take the place of the earlier. */
export function isNameTwice({ schedules }: SettingsDraft, name: string): boolean {
  return schedules.filter((schedule) => schedule.name.trim() === name.trim()).length > 1;
}

export function hasNameTwice(draft: SettingsDraft): boolean {
  return draft.schedules.some(({ name }) => isNameTwice(draft, name));
}
