/** Kinds of records that can be read in the order in which the store committed them. Each is created once; only an erasure rewrites or deletes one. */
export const orderedKinds = ['events', 'audit', 'incidentAudit', 'activity'] as const;
export type OrderedKind = (typeof orderedKinds)[number];

/**
 * A place in the order of commits: the time of a commit by the store's own clock, in microseconds, and the id of a record of it. Without an
 * id it lies before all records of that time. Text that sorts as the order does.
 */
export type Position = `${string}~${string}`;

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z~[\w-]{0,80}$/;

/** Reads a position from outside. Null: the text is not a position. */
export function readPosition(text: string): Position | null {
  return form.test(text) && !Number.isNaN(Date.parse(timeOf(text as Position))) ? (text as Position) : null;
}

/** The position before everything that was committed at a time or later. @param at an ISO 8601 time in milliseconds or microseconds */
export function positionAt(at: string): Position {
  return `${at.slice(0, 19)}.${at.slice(20, -1).padEnd(6, '0')}Z~`;
}

export function timeOf(position: Position): string {
  return position.slice(0, 27);
}
