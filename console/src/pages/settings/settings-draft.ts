import type { IdPattern, Schedule, Settings } from '../../../../shared/schema/settings/settings.ts';
import type { Failure } from '../../client/api.ts';

/**
 * A schedule with its name as a member, so that the name can be edited. Empty `timeZone`: that of the business hours.
 */
export type NamedSchedule = { name: string; timeZone: string; periods: Schedule['periods'] };
/** Id patterns are edited as text, one per line: pattern, group, site. */
export type SettingsDraft = Omit<Settings, 'schedules' | 'idPatterns' | 'runbooks'> & {
  schedules: NamedSchedule[];
  idPatterns: string;
  /** One per line: code, address. */
  runbooks: string;
};

/** Properties of each part of the page. */
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
  const runbooks = Object.entries(settings.runbooks ?? {})
    .map((line) => line.join(' '))
    .join('\n');
  return { ...settings, schedules, idPatterns, runbooks };
}

export function settingsOf(draft: SettingsDraft): Settings {
  const schedules = draft.schedules.map(({ name, timeZone, periods }) => [
    name.trim(),
    { ...(timeZone.trim() ? { timeZone: timeZone.trim() } : {}), periods },
  ]);
  const { idPatterns, runbooks, ...others } = draft;
  const patterns = idPatterns.split('\n').flatMap((line) => (line.trim() ? [patternOf(line.trim())] : []));
  return {
    ...others,
    schedules: Object.fromEntries(schedules),
    ...(patterns.length > 0 ? { idPatterns: patterns } : {}),
    ...(runbooks.trim() ? { runbooks: linksOf(runbooks) } : {}),
  };
}

/** Nothing is checked here: the service reports unknown codes and invalid addresses. */
function linksOf(text: string): NonNullable<Settings['runbooks']> {
  const lines = text.split('\n').filter((line) => line.trim());
  return Object.fromEntries(lines.map((line) => line.trim().split(/\s+(.*)/, 2)));
}

/** Nothing is checked here: the service reports missing or extra words on a line. */
function patternOf(line: string): IdPattern {
  const [pattern = '', groupId = '', ...site] = line.split(/\s+/);
  return { pattern, groupId, ...(site.length > 0 ? { site: site.join(' ') } : {}) };
}

/** Whether two schedules have the same name. Otherwise the later one would silently replace the earlier one. */
export function isNameTwice({ schedules }: SettingsDraft, name: string): boolean {
  return schedules.filter((schedule) => schedule.name.trim() === name.trim()).length > 1;
}

export function hasNameTwice(draft: SettingsDraft): boolean {
  return draft.schedules.some(({ name }) => isNameTwice(draft, name));
}
