import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './icons.tsx';

type Props<T> = {
  legend: string;
  /** What one row is, for its name and its buttons: `Contact`. */
  one: string;
  hint?: ComponentChildren;
  items: readonly T[];
  fresh: () => T;
  onChange: (items: T[]) => void;
  children: (item: T, change: (changes: Partial<T>) => void, index: number) => ComponentChildren;
};

/** A list in a form: a row of fields for each item, each of which can be removed, and a button that adds one. */
export function Rows<T>({ legend, one, hint, items, fresh, onChange, children }: Props<T>): JSX.Element {
  return (
    <fieldset class="form-rows">
      <legend>{legend}</legend>
      {hint ? <p class="hint">{hint}</p> : null}
      {items.map((item, index) => (
        <fieldset class="form-row" key={index} aria-label={`${one} ${index + 1}`}>
          <div class="form-row-fields">
            {children(item, (changes) => onChange(items.with(index, { ...item, ...changes })), index)}
          </div>
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${one.toLowerCase()} ${index + 1}`}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            <Icon name="close" />
          </button>
        </fieldset>
      ))}
      <button type="button" class="button small" onClick={() => onChange([...items, fresh()])}>
        <Icon name="plus" /> Add {one.toLowerCase()}
      </button>
    </fieldset>
  );
}
