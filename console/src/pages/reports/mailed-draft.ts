import type { ReportSchedule, ReportScheduleInput } from '../../../../shared/schema/ledger/schedule.ts';
import { words } from '../../components/form.tsx';
import { timeZone } from '../../time-zone.ts';

/** A mailed report as its form shows it. */
export type Draft = {
  name: string;
  every: ReportSchedule['every'];
  timeZone: string;
  by: ReportSchedule['by'];
  groups: string;
  emails: string;
  enabled: boolean;
};

export const rhythmNames: Record<Draft['every'], string> = { week: 'Each week', month: 'Each month' };

export function draftOf(schedule: ReportSchedule | null): Draft {
  if (!schedule) return { name: '', every: 'month', timeZone, by: 'site', groups: '', emails: '', enabled: true };
  const { name, every, timeZone: zone, by, groups, emails, enabled } = schedule;
  const lists = { groups: groups?.join(', ') ?? '', emails: emails.join('\n') };
  return { name, every, timeZone: zone, by, ...lists, enabled };
}

export function bodyOf({ name, groups, emails, timeZone: zone, ...draft }: Draft): ReportScheduleInput {
  const named = words(groups);
  return {
    ...draft,
    name: name.trim(),
    timeZone: zone.trim(),
    ...(named.length > 0 ? { groups: named } : {}),
    emails: words(emails),
  };
}
