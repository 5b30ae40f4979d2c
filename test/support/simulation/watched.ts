import type { Store } from '../../../shared/app/ports.ts';

/** What one sweep wrote down of what can be seen, and when that took effect. */
export type Horizon = { at: number; horizonAt: number; state: string };

/** What the API said of a device, asked and answered at these times. */
export type Sample = { deviceId: string; from: number; until: number; state: string };

/** The store, with an eye on what sweeps say of the horizon. */
export function watchHorizon(store: Store, horizons: Horizon[], ms: () => number): Store {
  return {
    ...store,
    async commit(writes) {
      const revisions = await store.commit(writes);
      for (const write of writes) {
        if (write.in !== 'platform' || write.kind === 'patch' || !('data' in write) || write.data.kind !== 'sight')
          continue;
        horizons.push({ at: ms(), horizonAt: Date.parse(write.data.horizonAt), state: write.data.state });
      }
      return revisions;
    },
  };
}
