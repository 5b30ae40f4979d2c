import type { Scope } from '../../../../shared/schema/scopes.ts';
import { sessionState } from '../../client/auth.ts';
import { useStore } from '../../store.ts';
import type { IconName } from '../icons.tsx';

/** A page in the navigation. Pressing `g` and then `key` opens it. */
export type Place = { name: string; icon: IconName; path: string; key: string; pages: string[] };

const places: (Place & { scope: Scope; isMore?: true })[] = [
  { name: 'Now', icon: 'fleet', path: '', key: 'n', pages: [''], scope: 'alerts:read' },
  {
    name: 'Alerts',
    icon: 'alerts',
    path: 'alerts',
    key: 'a',
    pages: ['alerts', 'incidents', 'guardian'],
    scope: 'alerts:read',
  },
  {
    name: 'Devices',
    icon: 'devices',
    path: 'devices',
    key: 'd',
    pages: ['devices', 'inventory', 'import'],
    scope: 'devices:read',
  },
  {
    name: 'Webhooks',
    icon: 'webhooks',
    path: 'webhooks',
    key: 'w',
    pages: ['webhooks', 'review', 'deliveries'],
    scope: 'webhooks:read',
  },
  { name: 'Rules', icon: 'rules', path: 'rules', key: 'r', pages: ['rules'], scope: 'settings:read' },
  {
    name: 'Maintenance',
    icon: 'maintenance',
    path: 'maintenance',
    key: 'm',
    pages: ['maintenance'],
    scope: 'settings:read',
    isMore: true,
  },
  { name: 'Reports', icon: 'audit', path: 'reports', key: 'p', pages: ['reports'], scope: 'alerts:read', isMore: true },
  { name: 'Teams', icon: 'teams', path: 'teams', key: 't', pages: ['teams'], scope: 'settings:read', isMore: true },
  {
    name: 'Quarantine',
    icon: 'quarantine',
    path: 'quarantine',
    key: 'q',
    pages: ['quarantine'],
    scope: 'settings:read',
    isMore: true,
  },
  { name: 'Audit', icon: 'audit', path: 'audit', key: 'u', pages: ['audit'], scope: 'audit:read', isMore: true },
  {
    name: 'Settings',
    icon: 'settings',
    path: 'settings',
    key: 's',
    pages: ['settings'],
    scope: 'settings:read',
    isMore: true,
  },
];

/** The pages that the operator may see: those in the bar, and those that narrow screens show under "More". */
export function usePlaces(): { main: Place[]; more: Place[] } {
  const state = useStore(sessionState);
  const shown = places.filter(({ scope }) => state.status === 'signed-in' && state.session.scopes.has(scope));
  return { main: shown.filter(({ isMore }) => !isMore), more: shown.filter(({ isMore }) => isMore) };
}
