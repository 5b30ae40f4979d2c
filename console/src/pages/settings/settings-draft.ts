import type { IdPattern, Schedule, Settings } from '../../../../shared/schema/settings/settings.ts';
import type { Failure } from '../../client/api.ts';

/** A schedule beside its name, so that the name can be typed; no zone is empty text. */
export type NamedSchedule = { name: string; timeZone: string; periods: Schedule['periods'] };
/** Patterns of ids stand one a line: pattern, group, site. */
export type SettingsDraft = Omit<Settings, 'schedules' | 'idPatterns'> & {
  schedules: NamedSchedule[];
  idPatterns: string;
};

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
  const idPatterns = (settings.idPatterns ?? [])
    .map(({ pattern, groupId, site }) => [pattern, groupId, ...(site ? [site] : [])].join(' '))
    .join('\n');
  return { ...settings, schedules, idPatterns };
}

export function settingsOf(draft: SettingsDraft): Settings {
  const schedules = draft.schedules.map(({ name, timeZone, periods }) => [
    name.trim(),
    { ...(timeZone.trim() ? { timeZone: timeZone.trim() } : {}), periods },
  ]);
  const { idPatterns, ...others } = draft;
  const patterns = idPatterns.split('\n').flatMap((line) => (line.trim() ? [patternOf(line.trim())] : []));
  return {
    ...others,
    schedules: Object.fromEntries(schedules),
    ...(patterns.length > 0 ? { idPatterns: patterns } : {}),
  };
}

/** What is left out or too much on a line, the service names. */
function patternOf(line: string): IdPattern {
  const [pattern = '', groupId = '', ...site] = line.split(/\s+/);
  return { pattern, groupId, ...(site.length > 0 ? { site: site.join(' ') } : {}) };
}

/** Whether a name stands for two schedules: the later would silently take the place of the earlier. */
export function isNameTwice({ schedules }: SettingsDraft, name: string): boolean {
  return schedules.filter((schedule) => schedule.name.trim() === name.trim()).length > 1;
}

export function hasNameTwice(draft: SettingsDraft): boolean {
  return draft.schedules.some(({ name }) => isNameTwice(draft, name));
}
