import type { JSX } from 'preact';
import { href } from '../../client/router.ts';

const tabs = [
  ['alerts', 'Cameras', 'Alerts'],
  ['incidents', 'Incidents', 'Incidents'],
  ['guardian', 'Guardian', 'Guardian alerts'],
] as const;

/**
 * Tabs for alerts of devices, incidents, and alerts of guardians. The list of alerts may be hidden, so its page contains the heading
 * itself.
 */
export function AlertTabs({ current }: { current: (typeof tabs)[number][0] }): JSX.Element {
  const title = tabs.find(([page]) => page === current)?.[2];
  return (
    <header class="page-head">
      {current === 'alerts' ? <p class="title">{title}</p> : <h1>{title}</h1>}
      <nav class="tabs" aria-label="Kinds of alerts">
        {tabs.map(([page, name]) => (
          <a key={page} href={href([page])} aria-current={current === page ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}
