import type { Store } from '../../../shared/app/ports.ts';
import { aroundCalls } from '../../support/stores/around-calls.ts';

/** A store that counts its round trips in a row: calls that are under way at the same time are one. */
export function countTrips(store: Store): { store: Store; trips: { count: number } } {
  const trips = { count: 0 };
  let turn: Promise<void> | null = null;
  /** All calls that are made before the process has nothing else to do are answered together. */
  const nextTurn = () => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        trips.count += 1;
        turn = null;
        resolve();
      });
    });
    return turn;
  };
  return { trips, store: aroundCalls(store, (_, act) => nextTurn().then(act)) };
}
