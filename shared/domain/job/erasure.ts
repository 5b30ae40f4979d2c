import { isSame } from '../same.ts';

/** A person as records name them: as the author of actions, by addresses, and in texts that people wrote. */
export type ErasurePerson = {
  subject: string | null;
  emails: string[];
  phones: string[];
  names: string[];
};

/** The subject of an erasure. Null: the job is done and no longer keeps the subject. */
export type ErasedSubject =
  | { kind: 'device'; deviceId: string }
  | { kind: 'person'; person: ErasurePerson; alias: string };

/** Copies that an erasure does not reach, and the days after which each expires (`terraform/`). */
export const copiesKept = [
  { copy: 'point-in-time-recovery', days: 7 },
  { copy: 'backups', days: 14 },
  { copy: 'logs', days: 30 },
  { copy: 'exports', days: 60 },
  { copy: 'hourly-exports', days: 35 },
] as const;

/** Replaces free text of an erased person. */
const erasedText = '[erased]';

/** Every text that identifies a person in records, the longest first, also in the escaped form of JSON text. */
export function namesOf({ subject, emails, phones, names }: ErasurePerson): string[] {
  const all = [...(subject === null ? [] : [subject]), ...emails, ...phones, ...names];
  const escaped = all.map((name) => JSON.stringify(name).slice(1, -1));
  return [...new Set([...all, ...escaped])].toSorted((a, b) => b.length - a.length);
}

/** Members of a record that may contain a name, each `name` or `name.inner`. Null: any member. */
export type NameMembers = readonly string[] | null;

/**
 * The record with an alias in place of the person or device. The person's own comments (`why` of their lines) and the address that they called from
 * are removed too. Null: the record does not name them.
 */
export function renamed<T extends object>(
  record: T,
  names: readonly string[],
  alias: string,
  members: NameMembers = null,
): T | null {
  const pattern = patternOf(names);
  if (members === null) {
    const isNamed = !isSame(replaced(record, pattern, alias), record);
    return isNamed ? (replaced(withoutOwn(record, names), pattern, alias) as T) : null;
  }
  const next = members.reduce((whole, path) => withMember(whole, path.split('.'), pattern, alias), record);
  return isSame(next, record) ? null : next;
}

function withMember<T extends object>(record: T, [name = '', ...inner]: string[], pattern: RegExp, alias: string): T {
  const value = (record as Record<string, unknown>)[name];
  if (value === undefined || value === null) return record;
  const next = inner.length > 0 ? withMember(value, inner, pattern, alias) : replaced(value, pattern, alias);
  return { ...record, [name]: next };
}

function withoutOwn(record: object, names: readonly string[]): object {
  const { who, subject, why, address } = record as Record<string, unknown>;
  const isHis = [who, subject].some((each) => typeof each === 'string' && names.includes(each));
  if (!isHis) return record;
  return { ...record, ...(why ? { why: erasedText } : {}), ...(address ? { address: null } : {}) };
}

/** A name counts only if it is not part of a longer one: `user:al` does not match `user:alice`. */
function patternOf(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}_.+-])(?:${any})(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])`, 'iu');
}

function replaced(value: unknown, pattern: RegExp, alias: string): unknown {
  if (typeof value === 'string') return value.replaceAll(new RegExp(pattern, 'giu'), alias);
  if (Array.isArray(value)) return value.map((item) => replaced(item, pattern, alias));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item, pattern, alias)]));
}
