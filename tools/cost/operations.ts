/** The platform operations of one unit of work. */
export type Operations = { reads: number; writes: number; deletes: number; tasks: number };

/**
 * Operations of each unit of work: as `test/tools/cost.test.ts` measures them on the use cases, or slightly more. Includes the later deletion of
 * records that expire. A query without results costs a read.
 */
export const operations = {
  /** A status report that changes nothing, one a minute. */
  unchangedReport: { reads: 1, writes: 0.5, deletes: 0, tasks: 0 },
  /** A condition that begins and later ends: two reports, two alerts, their history, their notifications and their events. */
  alert: { reads: 12, writes: 17, deletes: 8, tasks: 4 },
  /** A detection that one endpoint gets. Its event contains the payload, once for all endpoints and the feed. */
  detection: { reads: 3, writes: 3, deletes: 3, tasks: 1 },
  /** One successful attempt at an endpoint, with the payload from its event. */
  delivery: { reads: 4, writes: 2, deletes: 0, tasks: 0 },
  /** A sweep without due records: the platform's sight, the canaries and the summary of the fleet. */
  sweep: { reads: 51, writes: 7, deletes: 0, tasks: 0 },
  /** A round of the standing drill on both paths, to one mail address, one phone, one chat and one endpoint. */
  drill: { reads: 40, writes: 20, deletes: 4, tasks: 6 },
  /** A beat to one address of the external watchdog. */
  heartbeat: { reads: 4, writes: 4, deletes: 0, tasks: 1 },
  /**
   * The summaries after a change in one group: its counters, its summary, that of the fleet, and the newest alerts of both; and what is wrong now, from
   * the open alerts of the group.
   */
  summary: { reads: 98, writes: 7, deletes: 2, tasks: 0 },
} as const satisfies Record<string, Operations>;
export type UnitOfWork = keyof typeof operations;
