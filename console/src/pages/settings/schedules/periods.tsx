import type { JSX } from 'preact';
import type { Period } from '../../../../../shared/schema/settings/settings.ts';
import type { Weekday } from '../../../../../shared/schema/vocabulary.ts';
import type { Failure } from '../../../client/api.ts';
import { CheckGroup, errorAt, TextField } from '../../../components/form.tsx';
import { Icon } from '../../../components/icons.tsx';

export const timeZones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')];

const days: (readonly [Weekday, string])[] = [
  ['mon', 'Mon'],
  ['tue', 'Tue'],
  ['wed', 'Wed'],
  ['thu', 'Thu'],
  ['fri', 'Fri'],
  ['sat', 'Sat'],
  ['sun', 'Sun'],
];

type Props = {
  /** A name for what the periods belong to. */
  of: string;
  periods: readonly Period[];
  /** The pointer of the periods in the request body. */
  pointer: string;
  failure: Failure | null;
  onChange: (periods: Period[]) => void;
};

/** Times of the week, at least one. */
export function Periods({ of, periods, pointer, failure, onChange }: Props): JSX.Element {
  return (
    <>
      {periods.map((period, index) => (
        <PeriodFields
          key={index}
          name={`Period ${index + 1} of ${of}`}
          period={period}
          pointer={`${pointer}/${index}`}
          failure={failure}
          onChange={(changed) => onChange(periods.with(index, changed))}
          onRemove={periods.length > 1 ? () => onChange(periods.toSpliced(index, 1)) : null}
        />
      ))}
      <button
        type="button"
        class="button small"
        aria-label={`Add a period to ${of}`}
        onClick={() => onChange([...periods, { days: ['sat'], from: '09:00', to: '13:00' }])}
      >
        <Icon name="plus" /> Add a period
      </button>
    </>
  );
}

type FieldsProps = {
  name: string;
  period: Period;
  pointer: string;
  failure: Failure | null;
  onChange: (period: Period) => void;
  onRemove: (() => void) | null;
};

function PeriodFields({ name, period, pointer, failure, onChange, onRemove }: FieldsProps): JSX.Element {
  const { days: chosen, from, to } = period;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within a fieldset would be read twice for each day
    <div class="period" role="group" aria-label={name}>
      <CheckGroup
        legend="Days"
        options={days}
        chosen={chosen}
        onChange={(value) => onChange({ ...period, days: value })}
        error={errorAt(failure, `${pointer}/days`)}
      />
      <TextField
        label="From"
        type="time"
        value={from}
        onChange={(value) => onChange({ ...period, from: value })}
        error={errorAt(failure, `${pointer}/from`)}
      />
      {/* A time field has no 24:00. As the end of a period 00:00 means the same. */}
      <TextField
        label={to && (to <= from || to === '24:00') ? 'To, the next day' : 'To'}
        type="time"
        value={to === '24:00' ? '00:00' : to}
        onChange={(value) => onChange({ ...period, to: value })}
        error={errorAt(failure, `${pointer}/to`)}
      />
      {onRemove ? (
        <button
          type="button"
          class="button small"
          aria-label={`Remove ${name.toLowerCase()}`}
          onClick={() => onRemove()}
        >
          Remove
        </button>
      ) : null}
    </div>
  );
}
