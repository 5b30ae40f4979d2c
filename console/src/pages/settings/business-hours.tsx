import type { JSX } from 'preact';
import { errorAt, TextField } from '../../components/form.tsx';
import { Periods, timeZones } from './schedules/periods.tsx';
import type { PartProps } from './settings-draft.ts';

/** The business hours that schedules use, and their time zone. */
export function BusinessHours({ draft, set, failure }: PartProps): JSX.Element {
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Business hours</h2>
      </header>
      <TextField
        label="Time zone"
        value={draft.timeZone}
        suggestions={timeZones}
        onChange={(timeZone) => set({ timeZone })}
        error={errorAt(failure, '/timeZone')}
      />
      <Periods
        of="business hours"
        periods={draft.businessHours}
        pointer="/businessHours"
        failure={failure}
        onChange={(businessHours) => set({ businessHours })}
      />
    </section>
  );
}
