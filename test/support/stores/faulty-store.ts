import { Conflict, type Store } from '../../../shared/app/ports.ts';
import { type Around, aroundCalls } from './around-calls.ts';

/** The fault of one call of the store: none, before it takes effect, or after ("the answer is lost"). */
export type Fault = null | { when: 'before' | 'after'; error: () => Error };

export const storeErrors = {
  UNAVAILABLE: () => Object.assign(new Error('UNAVAILABLE'), { code: 14 }),
  DEADLINE_EXCEEDED: () => Object.assign(new Error('DEADLINE_EXCEEDED'), { code: 4 }),
  ABORTED: () => new Conflict('ABORTED'),
};

/** A store that fails on request: `faultOf` is called with the number and name of each call. */
export function createFaultyStore(
  store: Store,
  faultOf: (call: number, name: keyof Store) => Fault,
): Store & { calls(): number } {
  let calls = 0;
  const guarded: Around = async (name, act) => {
    calls += 1;
    const fault = faultOf(calls, name);
    if (fault?.when === 'before') throw fault.error();
    const result = await act();
    if (fault?.when === 'after') throw fault.error();
    return result;
  };
  return { calls: () => calls, ...aroundCalls(store, guarded) };
}
