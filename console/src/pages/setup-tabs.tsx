import type { JSX } from 'preact';
import { href } from '../router.ts';

const tabs = [
  ['rules', 'Rules'],
  ['teams', 'Teams'],
  ['settings', 'Settings'],
  ['quarantine', 'Quarantine'],
] as const;

/** What decides what becomes an alert, whom it reaches, and when. */
export function SetupTabs({ current }: { current: (typeof tabs)[number][0] }): JSX.Element {
  return (
    <nav class="tabs" aria-label="Setup">
      {tabs.map(([id, name]) => (
        <a key={id} href={href([id])} aria-current={id === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
