import type { Kind } from '../../shared/app/ports.ts';

type Data = Record<string, unknown>;

const ofTrails = { told: 'notified', notTold: 'notNotified' };
const ofLives = {
  isFolded: 'isMember',
  toldVersions: 'notifiedVersions',
  toldTo: 'notifiedTargets',
  toldNow: 'announcedCount',
};

/**
 * Renamed members: the name in older records, and the present name. They are renamed at any depth, because an entry of
 * a trail contains the changed members of its record.
 */
export const renamed: Partial<Record<Kind, Record<string, string>>> = {
  alerts: ofLives,
  incidents: ofLives,
  audit: { ...ofTrails, ...ofLives },
  incidentAudit: { ...ofTrails, ...ofLives },
  devices: { toldBy: 'statedBy', toldAt: 'statedAt' },
  ledgerHeads: { owed: 'pending' },
};

/** The members of a record whose names or contents have changed. Undefined: the member does not exist any more. */
export function renamedOf(data: Data, names: Record<string, string>): Data {
  const changes: Data = {};
  for (const [name, value] of Object.entries(data)) {
    const [now, content] = [names[name] ?? name, withNames(value, names)];
    if (now === name && content === value) continue;
    // If the record has the present name too, this release wrote it, so its value is newer and is kept.
    if (now === name || data[now] === undefined) changes[now] = content;
    if (now !== name) changes[name] = undefined;
  }
  return changes;
}

/** @returns the same object if nothing in it is renamed */
function withNames(value: unknown, names: Record<string, string>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withNames(item, names));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).map(([name, content]) => [names[name] ?? name, withNames(content, names)]);
  const isSame = members.every(([name, content]) => (value as Data)[name as string] === content);
  return isSame ? value : Object.fromEntries(members);
}
