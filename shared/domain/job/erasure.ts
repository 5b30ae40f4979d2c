/** A person as records name him: as who did something, and by addresses that messages go to. */
export type Person = { subject: string | null; emails: string[]; phones: string[] };

/** What an erasure is about. Null: it is done, and does not keep the name either. */
export type ErasedSubject = { kind: 'device'; deviceId: string } | { kind: 'person'; person: Person; alias: string };

/** What stands where free text of an erased person was. */
const erasedText = '[erased]';

/** Every text by which records name a person, the longest first. */
export function namesOf({ subject, emails, phones }: Person): string[] {
  return [...(subject === null ? [] : [subject]), ...emails, ...phones].toSorted((a, b) => b.length - a.length);
}

/**
 * A record in which nothing names the person any more: the alias stands for him. What he wrote himself (`why` of a line that is his) goes too.
 * Null: it does not name him.
 */
export function withoutPerson<T extends object>(record: T, names: readonly string[], alias: string): T | null {
  const pattern = patternOf(names);
  if (!pattern.test(JSON.stringify(record))) return null;
  const isHis = 'who' in record && typeof record.who === 'string' && names.includes(record.who);
  const free = isHis && 'why' in record && record.why !== null ? { ...record, why: erasedText } : record;
  return replaced(free, pattern, alias) as T;
}

/** A name within a text counts where it is not part of a longer one: `user:al` is not `user:alice`. */
function patternOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|');
  return new RegExp(`(?<![\\w.+-])(?:${any})(?![\\w-]|\\.\\w)`, 'iu');
}

function replaced(value: unknown, pattern: RegExp, alias: string): unknown {
  if (typeof value === 'string') return value.replaceAll(new RegExp(pattern, 'giu'), alias);
  if (Array.isArray(value)) return value.map((item) => replaced(item, pattern, alias));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item, pattern, alias)]));
}
