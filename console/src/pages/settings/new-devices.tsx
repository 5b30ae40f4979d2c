import type { JSX } from 'preact';
import { errorAt, TextField } from '../../components/form.tsx';
import type { PartProps } from './settings-draft.ts';

/** The initial group and site of a camera that nobody has registered. */
export function NewDevices({ draft, set, failure }: PartProps): JSX.Element {
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>New devices</h2>
      </header>
      <p class="quiet">
        Group and site of a camera that reports for the first time, by its id. Without a pattern that fits it is
        unassigned.
      </p>
      <TextField
        label="Patterns"
        rows={4}
        value={draft.idPatterns}
        onChange={(idPatterns) => set({ idPatterns })}
        placeholder="gbg-* north gbg-central"
        hint="One per line: pattern, group and optionally site. * matches anything; the first match counts."
        error={errorAt(failure, '/idPatterns')}
      />
    </section>
  );
}
