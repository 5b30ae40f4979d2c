import type { ComponentChildren, JSX } from 'preact';

/** A name with its value. A null value is omitted. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Facts about a record, as names with values. */
export function Facts({ facts, ...rest }: { facts: readonly Fact[]; class?: string }): JSX.Element {
  return (
    <dl class={`facts ${rest.class ?? ''}`}>
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
