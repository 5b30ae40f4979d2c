import type { Revision } from '../ports.ts';

/** Whether two reads of a record found the same revision. A store may return another object for it with each read. */
export function isSameRevision(one: Revision, other: Revision | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
