import type { Store } from '../../../shared/app/ports.ts';

/** The sight that one sweep recorded, and when it took effect. */
export type Horizon = { at: number; horizonAt: number; state: string };

/** The state of a device according to the API, between request and answer. */
export type Sample = { deviceId: string; from: number; until: number; state: string };

/** A store that also records the horizon of each sweep. */
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
