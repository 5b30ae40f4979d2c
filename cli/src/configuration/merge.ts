import { isHidden } from './credential.ts';
import { isFromEnvironment } from './document.ts';
import type { Shown } from './kinds/kind.ts';

/** Whether a value has members of its own that a file can give one by one. */
function isMapping(value: unknown): value is Shown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !isFromEnvironment(value) && !isHidden(value);
}

/**
 * What exists, with what a file says (JSON Merge Patch, RFC 7396): absent members stay, null removes, mappings are merged, and everything else is replaced.
 * @param wholes members that are replaced although they are mappings, because their meaning lies in what they leave out
 */
export function merged(base: Shown, patch: Shown, wholes: readonly string[] = []): Shown {
  const result = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    const before = base[name];
    if (value === null || value === undefined) delete result[name];
    else if (!isMapping(value)) result[name] = value;
    else result[name] = merged(isMapping(before) && !wholes.includes(name) ? before : {}, value);
  }
  return result;
}

/** A text that is the same for equal values, whatever the order of their members. Null, and empty lists and mappings, are the same as nothing. */
export function canonical(value: unknown): string {
  return JSON.stringify(dense(value) ?? null);
}

function dense(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((each) => dense(each) ?? null);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const members = Object.entries(value)
    .map(([name, part]) => [name, dense(part)] as const)
    .filter(([, part]) => part !== undefined);
  if (members.length === 0) return undefined;
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
