import type { JSX } from 'preact';
import { href } from '../router.ts';

const tabs = [
  ['rules', 'Rules'],
  ['teams', 'Teams'],
  ['settings', 'Settings'],
] as const;

/** What decides whom an alert reaches, and when. */
export function SetupTabs({ current }: { current: 'rules' | 'teams' | 'settings' }): JSX.Element {
  return (
    <nav class="tabs" aria-label="Rules, teams and settings">
      {tabs.map(([id, name]) => (
        <a key={id} href={href([id])} aria-current={id === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
