import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Failure } from '../client/api.ts';

type Common = { label: string; hint?: ComponentChildren; error?: string | undefined };

/** A labelled control with a hint. If the service refused its value, the reason stands in place of the hint. */
function Field({
  id,
  label,
  hint,
  error,
  children,
}: Common & { id: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class={error ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {children}
      <p id={`${id}-hint`} class="hint" aria-live="polite">
        {error ?? hint}
      </p>
    </div>
  );
}

type TextProps = Common & {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'url' | 'number' | 'time' | 'datetime-local';
  rows?: number;
  required?: boolean;
  placeholder?: string;
  min?: number | string;
  max?: number | string;
  step?: number | string;
  suggestions?: readonly string[];
};

export function TextField({ label, hint, error, value, onChange, rows, suggestions, ...rest }: TextProps): JSX.Element {
  const id = useId();
  const common = { id, value, 'aria-describedby': `${id}-hint`, 'aria-invalid': Boolean(error), spellcheck: false };
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {rows ? (
        <textarea
          {...common}
          rows={rows}
          placeholder={rest.placeholder ?? ''}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <input
          {...common}
          {...rest}
          autocomplete="off"
          {...(suggestions ? { list: `${id}-list` } : {})}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {suggestions ? (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      ) : null}
    </Field>
  );
}

type SelectProps = Common & {
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
};

export function SelectField({ label, hint, error, value, options, onChange }: SelectProps): JSX.Element {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Check({
  label,
  checked,
  onChange,
}: {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
}): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A group of checkboxes. */
export function CheckGroup<T extends string>({
  legend,
  options,
  chosen,
  onChange,
  error,
}: {
  legend: string;
  options: readonly (readonly [value: T, text: string])[];
  chosen: readonly T[];
  onChange: (chosen: T[]) => void;
  error?: string | undefined;
}): JSX.Element {
  const toggle = (value: T, isChosen: boolean) =>
    onChange(options.flatMap(([option]) => ((option === value ? isChosen : chosen.includes(option)) ? [option] : [])));
  return (
    <fieldset class={error ? 'checks wrong' : 'checks'}>
      <legend>{legend}</legend>
      <div class="row">
        {options.map(([value, text]) => (
          <Check
            key={value}
            label={text}
            checked={chosen.includes(value)}
            onChange={(isChosen) => toggle(value, isChosen)}
          />
        ))}
      </div>
      {error ? (
        <p class="hint" role="status">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

/**
 * A form that calls `onSubmit` in place of the browser's own submission. The service's refusal is shown above its fields.
 * `isNew`: a page for something new, which is typed at once.
 */
export function Form({
  onSubmit,
  failure = null,
  isNew = false,
  children,
  ...rest
}: {
  onSubmit: () => unknown;
  failure?: Failure | null;
  isNew?: boolean;
  class?: string;
  children: ComponentChildren;
}): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (isNew) form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  return (
    <form
      {...rest}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      <FormFailure failure={failure} />
      {children}
    </form>
  );
}

/** Says that the form contains text typed earlier, and offers to discard it. */
export function TypedBefore({ draft }: { draft: { isFromBefore: boolean; forget: () => void } }): JSX.Element | null {
  if (!draft.isFromBefore) return null;
  return (
    <div class="notice discard" role="status">
      <strong>What you typed before is here again. It is not saved yet.</strong>
      <button type="button" class="button" onClick={draft.forget}>
        Discard it
      </button>
    </div>
  );
}

/** The service's refusal with each faulty member, because not every member has a field. */
function FormFailure({ failure }: { failure: Failure | null }): JSX.Element | null {
  if (!failure) return null;
  return (
    <div class="notice problem" role="alert">
      <strong>{failure.kind === 'conflict' ? 'Somebody else changed this meanwhile.' : failure.title}.</strong>{' '}
      {failure.detail}
      {failure.errors.length > 0 ? (
        <ul>
          {failure.errors.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** The reason why one member was refused. */
export function errorAt(failure: Failure | null, pointer: string | null): string | undefined {
  if (pointer === null) return undefined;
  return failure?.errors.find((error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`))?.detail;
}

type TextMember<Draft> = keyof { [Member in keyof Draft as string extends Draft[Member] ? Member : never]: 0 } & string;

/** Connects text fields to the members of a draft: their value, their change, and the service's error at their pointer. */
export function textFields<Draft>(draft: Draft, set: (change: Partial<Draft>) => void, failure: Failure | null) {
  return (member: TextMember<Draft>, pointer = `/${member}`) => ({
    value: draft[member] as string,
    onChange: (value: string) => set({ [member]: value } as Partial<Draft>),
    error: errorAt(failure, pointer),
  });
}

/** Words separated by commas or line ends, each once. */
export const words = (text: string): string[] => [...new Set(text.split(/[\n,]/).flatMap((word) => word.trim() || []))];
