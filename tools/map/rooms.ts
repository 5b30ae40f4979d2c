import { dirname } from 'node:path';
import type { Import } from '../imports.ts';

/** The layer and room of a file. */
type Place = { layer: string; room: string };

/**
 * The rooms of each layer, lowest first: a room imports only rooms before it. A file directly in the layer is a room of its own. A room that is
 * missing here is refused, so that every new room gets a place.
 */
const towers: Record<string, readonly string[]> = {
  'shared/schema': [
    ...['vocabulary', 'scopes', 'channels', 'pattern-words', 'text', 'json', 'common', 'problem', 'route'],
    ...[
      'alert',
      'settings',
      'maintenance',
      'detection',
      'guardian',
      'device',
      'place',
      'fleet',
      'bridge',
      'incident',
      'audit',
      'delivery',
      'webhook',
      'event',
      'ledger',
    ],
    ...['job', 'quarantine', 'metrics', 'me', 'probe', 'routes', 'call', 'documents', 'generated', 'validate'],
  ],
  'shared/domain': [
    ...['time', 'restored', 'limits', 'shards', 'ids', 'same', 'chain', 'undo', 'attachment'],
    ...[
      'job',
      'probe',
      'settings',
      'maintenance',
      'event',
      'delivery',
      'guardian',
      'sight',
      'device',
      'registry',
      'detection',
      'alert',
      'fleet',
      'place',
      'incident',
      'outage',
      'now',
    ],
    ...['messages', 'metrics', 'notify', 'drill', 'audit', 'ledger', 'intake', 'change'],
  ],
  'shared/app': [
    ...[
      'refused',
      'outside',
      'commit-order',
      'ports',
      'asked-time',
      'bearer',
      'writes',
      'paging',
      'events',
      'commit',
      'sight',
      'settings',
      'maintenance',
      'messages',
      'deliveries',
      'change',
      'drill',
      'webhooks',
      'notify',
      'alerts',
      'incidents',
      'outages',
    ],
    ...[
      'devices',
      'places',
      'now',
      'fleet',
      'audit',
      'ledger',
      'reports',
      'links',
      'quarantine',
      'intake',
      'jobs',
      'metrics',
      'probe',
      'restored',
      'due',
    ],
  ],
};

/**
 * Rooms that may import only some of the rooms before them. `intake` reads what came in, and takes no part in decisions
 * about it.
 */
const mayImport: Record<string, readonly string[]> = {
  'shared/domain/intake': [
    'time',
    'limits',
    'shards',
    'ids',
    'undo',
    'same',
    'guardian',
    'sight',
    'device',
    'detection',
    'alert',
    'undo',
  ],
};

/** With this many files in one folder, it is hard to find one. */
const crowd = 26;

/** The room of a file: the first folder inside its layer, or its own name if it is directly in the layer. */
export function roomOf(file: string): string {
  const { layer, room } = placeOf(file);
  return `${layer}/${room}`;
}

function placeOf(file: string): Place {
  const parts = file.replace(/\.[^./]+$/, '').split('/');
  const depth = /^sdk\//.test(file) ? 3 : /^(shared\/\w+|console\/src|cli\/src)\//.test(file) ? 2 : 1;
  return { layer: parts.slice(0, depth).join('/'), room: parts[depth] ?? '' };
}

/** The number of files in each folder. */
export function filesByFolder(files: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return counts;
}

export function crowdedFolders(files: readonly string[]): string[] {
  return [...filesByFolder(files)]
    .filter(([, count]) => count >= crowd)
    .map(([name, count]) => `${name}: ${count} files`);
}

/**
 * Faults: an import of a room that does not come before the importing room, or that it may not import, and a room
 * without a place.
 */
export function arrowsUp(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to, line }) => {
    const [a, b] = [placeOf(from), placeOf(to)];
    const tower = towers[a.layer];
    if (!tower || a.layer !== b.layer || a.room === b.room) return [];
    const fault = faultOf(a, b, tower);
    return fault ? [`${from}:${line}: ${fault}`] : [];
  });
}

function faultOf(a: Place, b: Place, tower: readonly string[]): string | null {
  for (const { layer, room } of [a, b]) {
    if (!tower.includes(room)) return `${layer}/${room} has no place in the tower of tools/map/rooms.ts`;
  }
  const allowed = mayImport[`${a.layer}/${a.room}`];
  if (allowed && !allowed.includes(b.room)) return `${a.room} may not import ${b.room} (${allowed.join(', ')})`;
  return tower.indexOf(b.room) < tower.indexOf(a.room)
    ? null
    : `${a.room} may not import ${b.room}, which stands above it`;
}
