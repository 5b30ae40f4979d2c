import type { JSX } from 'preact';
import { Time } from '../time.tsx';

type Props = { name: string; at: string | null; by?: string | null };

/** An event with its time, and by whom or how long ago. Empty where it did not happen. */
export function Moment({ name, at, by }: Props): JSX.Element | null {
  if (!at) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Time at={at} form="full" /> <span class="quiet">{by ?? <Time at={at} form="age" />}</span>
      </dd>
    </div>
  );
}
