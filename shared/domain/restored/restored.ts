import { type Instant, later, msBetween, plus } from '../time.ts';

/** The time of which a restored database knows nothing: from the state that it came back to, until it served again. */
export type LostTime = { asOf: Instant; at: Instant };

/** The record that a database was restored, written before anything resumes. */
export type RestoredRecord = LostTime & {
  platformId: 'restored';
  kind: 'restored';
  /** What waited meanwhile has arrived by then. Before that nobody is notified of what began before. */
  quietUntil: Instant;
  /** Messages to people that were due by then and are not sent. */
  dismissed: number;
  /** How far what waited has been settled: the part, and the last record of it. */
  settled: { part: number; after: unknown[] | null };
};

export const restoredId = 'restored';

/** Why a message of the lost time is not sent, in the words of the record and of the explanation. */
export const lostReason = 'restored';

/** A clock that stood still in the lost time, and until what waited has arrived. */
export function stoodStill(at: Instant | null, { asOf, quietUntil }: Pick<RestoredRecord, 'asOf' | 'quietUntil'>) {
  return at === null ? null : plus(later(at, asOf), msBetween(asOf, quietUntil));
}

/** A device as it is judged after a restore: one that was not heard since has its whole patience from then on. */
export function heardFrom<Heard extends { lastSeenAt: Instant | null; registeredAt: Instant; restoredAt?: Instant }>(
  device: Heard,
  lost: LostTime | null | undefined,
): Heard {
  if (!lost || (device.lastSeenAt ?? device.registeredAt) >= lost.at) return device;
  return { ...device, restoredAt: lost.at };
}
