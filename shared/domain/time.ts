/** An instant as ISO 8601 UTC with milliseconds: sorts as text, and is what the wire shows. */
export type Instant = string;

export function plus(at: Instant, ms: number): Instant {
  return new Date(Math.round(Date.parse(at) + ms)).toISOString();
}

/** Milliseconds from `from` to `to`; negative when `to` is earlier. */
export function msBetween(from: Instant, to: Instant): number {
  return Date.parse(to) - Date.parse(from);
}

/** A duration as text for people: `45 s`, `12 min`, `3 h 5 min`, `2 days`. */
export function spell(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** The same instant in the stored form. `text` must have passed the schema of a timestamp. */
export function toInstant(text: string): Instant {
  return new Date(text).toISOString();
}

/** The earliest of the instants that are not null. */
export function earliest(instants: readonly (Instant | null | undefined)[]): Instant | null {
  let first: Instant | null = null;
  for (const at of instants) if (at && (first === null || at < first)) first = at;
  return first;
}

export function earlier(a: Instant, b: Instant): Instant {
  return earliest([a, b]) ?? a;
}

export function later(a: Instant, b: Instant): Instant {
  return latest(a, b) ?? a;
}

export function latest(a: Instant | null, b: Instant | null): Instant | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}
