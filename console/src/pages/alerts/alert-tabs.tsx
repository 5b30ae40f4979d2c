import type { JSX } from 'preact';
import { href } from '../../client/router.ts';

/** Alerts of devices, and what the guardians on them said. The list of alerts can be out of sight: its page holds the heading itself. */
export function AlertTabs({ current }: { current: 'alerts' | 'guardian' }): JSX.Element {
  return (
    <header class="page-head">
      {current === 'alerts' ? <p class="title">Alerts</p> : <h1>Guardian alerts</h1>}
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
