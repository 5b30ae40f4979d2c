import type { AuditEntry } from '../../../../shared/schema/audit/audit.ts';

/** Changed members that a line names. */
const namedAtMost = 3;

/** What was changed from what to what: `responseMinutes CRITICAL: 5 → 7`. Of a record that is new or gone, only that. */
export function changeWords({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  if (!before) return 'created';
  if (!after) return 'removed';
  const [old, fresh] = [leavesOf(before), leavesOf(after)];
  const changed = [...new Set([...old.keys(), ...fresh.keys()])].filter((name) => old.get(name) !== fresh.get(name));
  const words = changed
    .slice(0, namedAtMost)
    .map((name) => `${name}: ${old.get(name) ?? '–'} → ${fresh.get(name) ?? '–'}`);
  const more = changed.length > namedAtMost ? [`${changed.length - namedAtMost} more`] : [];
  return [...words, ...more].join('; ');
}

/** The values in a record by the path of their names. A list is one value. */
function leavesOf(value: unknown, path: readonly string[] = []): Map<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map([[path.join(' '), typeof value === 'string' ? value : JSON.stringify(value)]]);
  }
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...leavesOf(inner, [...path, name])]));
}
