import type { Scope } from '../../../../shared/schema/scopes.ts';
import { me } from '../../client/auth.ts';
import { useStore } from '../../store.ts';
import type { IconName } from '../icons.tsx';

/** A page in the navigation. Pressing `g` and then `key` opens it. */
export type Place = {
  name: string;
  icon: IconName;
  path: string;
  key: string;
  pages: string[];
  scope: Scope;
  group: 'first' | 'rest' | 'tools' | 'settings';
  /** It is part of another place, and stands there once that is open. */
  isInside?: true;
};

const places: Place[] = [
  { name: 'Now', icon: 'fleet', path: '', key: 'n', pages: ['', 'shift'], scope: 'alerts:read', group: 'first' },
  {
    name: 'Alerts',
    icon: 'alerts',
    path: 'alerts',
    key: 'a',
    pages: ['alerts', 'guardian'],
    scope: 'alerts:read',
    group: 'first',
  },
  {
    name: 'Cameras',
    icon: 'devices',
    path: 'devices',
    key: 'c',
    pages: ['devices', 'inventory', 'import'],
    scope: 'devices:read',
    group: 'first',
  },
  {
    name: 'Incidents',
    icon: 'incidents',
    path: 'incidents',
    key: 'i',
    pages: ['incidents'],
    scope: 'alerts:read',
    group: 'first',
  },
  {
    name: 'Reports',
    icon: 'reports',
    path: 'reports',
    key: 'p',
    pages: ['reports'],
    scope: 'alerts:read',
    group: 'rest',
  },
  {
    name: 'Webhooks',
    icon: 'webhooks',
    path: 'webhooks',
    key: 'w',
    pages: ['webhooks', 'review', 'deliveries'],
    scope: 'webhooks:read',
    group: 'tools',
  },
  { name: 'Rules', icon: 'rules', path: 'rules', key: 'r', pages: ['rules'], scope: 'settings:read', group: 'tools' },
  {
    name: 'Maintenance',
    icon: 'maintenance',
    path: 'maintenance',
    key: 'm',
    pages: ['maintenance'],
    scope: 'settings:read',
    group: 'tools',
  },
  {
    name: 'Who is told',
    icon: 'teams',
    path: 'teams',
    key: 't',
    pages: ['teams'],
    scope: 'settings:read',
    group: 'tools',
  },
  {
    name: 'Settings',
    icon: 'settings',
    path: 'settings',
    key: 's',
    pages: ['settings'],
    scope: 'settings:read',
    group: 'settings',
  },
  {
    name: 'Quarantine',
    icon: 'quarantine',
    path: 'quarantine',
    key: 'q',
    pages: ['quarantine'],
    scope: 'settings:read',
    group: 'settings',
    isInside: true,
  },
  {
    name: 'Audit',
    icon: 'audit',
    path: 'audit',
    key: 'u',
    pages: ['audit'],
    scope: 'audit:read',
    group: 'settings',
    isInside: true,
  },
];

/** The pages that the operator may see. */
export function usePlaces(): Place[] {
  const granted = useStore(me)?.scopes ?? [];
  return places.filter(({ scope }) => granted.includes(scope));
}

/** The places of the rail: those inside of settings only where a page of these is open, or where settings cannot be. */
export function placesOfRail(all: readonly Place[], here: string): Place[] {
  const settings = all.filter(({ group }) => group === 'settings');
  const isThere = settings.some(({ pages }) => pages.includes(here)) || settings.every(({ isInside }) => isInside);
  return all.filter(({ isInside }) => !isInside || isThere);
}
