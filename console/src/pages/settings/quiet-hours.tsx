import type { JSX } from 'preact';
import { builtInSchedules, timedSeverities } from '../../../../shared/schema/vocabulary.ts';
import { CheckGroup, errorAt, SelectField } from '../../components/form.tsx';
import { severityNames } from '../../model.ts';
import type { PartProps } from './settings-draft.ts';

/** What waits for the morning. */
export function QuietHours({ draft, set, failure }: PartProps): JSX.Element {
  const { schedule = 'night', hold = [] } = draft.quietHours ?? {};
  const names = [...builtInSchedules.filter((name) => name !== 'always'), ...draft.schedules.map(({ name }) => name)];
  return (
    <section class="panel" aria-label="Quiet hours">
      <header class="panel-head">
        <h2>Quiet hours</h2>
      </header>
      <p class="quiet">
        What begins, gets worse or is escalated in these hours with one of these severities is told when they end, if it
        still holds. Webhooks and incidents wait for nothing. Unless you change it, warnings wait from 22:00 to 07:00.
      </p>
      <SelectField
        label="In the schedule"
        value={schedule}
        options={[...new Set([...names, schedule])].filter(Boolean).map((name) => [name, name] as const)}
        onChange={(name) => set({ quietHours: { schedule: name, hold } })}
        error={errorAt(failure, '/quietHours/schedule')}
      />
      <CheckGroup
        legend="These wait"
        options={timedSeverities.map((severity) => [severity, severityNames[severity]] as const)}
        chosen={hold}
        onChange={(chosen) => set({ quietHours: { schedule, hold: chosen } })}
      />
    </section>
  );
}
