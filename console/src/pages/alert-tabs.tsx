import type { JSX } from 'preact';
import { href } from '../router.ts';

/** Alerts of devices, and what the guardians on them said. */
export function AlertTabs({ current }: { current: 'alerts' | 'guardian' }): JSX.Element {
  return (
    <header class="page-head">
      <h1>{current === 'alerts' ? 'Alerts' : 'Guardian alerts'}</h1>
      <nav class="tabs" aria-label="Kinds of alerts">
        <a href={href(['alerts'])} aria-current={current === 'alerts' ? 'page' : undefined}>
          Devices
        </a>
        <a href={href(['guardian'])} aria-current={current === 'guardian' ? 'page' : undefined}>
          Guardian
        </a>
      </nav>
    </header>
  );
}
