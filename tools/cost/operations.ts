/** The platform operations of one unit of work. */
export type Operations = { reads: number; writes: number; deletes: number; tasks: number };

/**
 * Operations of each unit of work: measured on the use cases by `test/tools/cost.test.ts`, or a little more. Records with an expiry time
 * are deleted then. A query that finds nothing costs a read.
 */
export const operations = {
  /** A status report that changes nothing, one a minute. */
  unchangedReport: { reads: 1, writes: 0.5, deletes: 0, tasks: 0 },
  /** A condition that begins and later ends: two reports, two alerts, their history and their notifications. */
  alert: { reads: 12, writes: 15, deletes: 6, tasks: 4 },
  /** A detection that one endpoint wants. */
  detection: { reads: 3, writes: 2, deletes: 2, tasks: 1 },
  /** One attempt at an endpoint that takes it. */
  delivery: { reads: 3, writes: 2, deletes: 0, tasks: 0 },
  /** A sweep that finds nothing, with what it notes of our own sight, the canaries that come through and the summary of the fleet. */
  sweep: { reads: 50, writes: 7, deletes: 0, tasks: 0 },
  /** The numbers of the fleet after a change, of one group: its counters, its summary and the fleet's, and their newest alerts. */
  fold: { reads: 52, writes: 3, deletes: 2, tasks: 0 },
} as const satisfies Record<string, Operations>;
export type UnitOfWork = keyof typeof operations;
