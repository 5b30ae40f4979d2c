import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Period, Weekday } from '../../../shared/schema/settings.ts';
import { CheckGroup, errorAt, TextField } from '../components/form.tsx';
import type { PartProps } from './settings.tsx';

const days: (readonly [Weekday, string])[] = [
  ['mon', 'Mon'],
  ['tue', 'Tue'],
  ['wed', 'Wed'],
  ['thu', 'Thu'],
  ['fri', 'Fri'],
  ['sat', 'Sat'],
  ['sun', 'Sun'],
];

/** The hours that webhooks' schedules are counted by, and the zone they are told in. */
export function BusinessHours({ draft, set, failure }: PartProps): JSX.Element {
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], []);
  const change = (index: number, period: Period) => set({ businessHours: draft.businessHours.with(index, period) });
  const remove = (index: number) => set({ businessHours: draft.businessHours.toSpliced(index, 1) });
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Business hours</h2>
      </header>
      <TextField
        label="Time zone"
        value={draft.timeZone}
        suggestions={zones}
        onChange={(timeZone) => set({ timeZone })}
        error={errorAt(failure, '/timeZone')}
      />
      {draft.businessHours.map((period, index) => (
        <div class="period" key={index}>
          <CheckGroup
            legend={`Days of period ${index + 1}`}
            options={days}
            chosen={period.days}
            onChange={(chosen) => change(index, { ...period, days: chosen })}
          />
          <TextField
            label="From"
            type="time"
            value={period.from}
            onChange={(from) => change(index, { ...period, from })}
          />
          <TextField label="To" type="time" value={period.to} onChange={(to) => change(index, { ...period, to })} />
          {draft.businessHours.length > 1 ? (
            <button type="button" class="button small" onClick={() => remove(index)}>
              Remove
            </button>
          ) : null}
        </div>
      ))}
      <button
        type="button"
        class="button small"
        onClick={() => set({ businessHours: [...draft.businessHours, { days: ['sat'], from: '09:00', to: '13:00' }] })}
      >
        Add a period
      </button>
      {Object.keys(draft.schedules).length > 0 ? (
        <p class="hint">Named schedules: {Object.keys(draft.schedules).join(', ')}.</p>
      ) : null}
    </section>
  );
}
