import { expect, test } from 'vitest';
import { oneAtATime } from '../../../../shared/app/intake/one-at-a-time.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { Conflict, type Store } from '../../../../shared/app/ports.ts';
import { message } from '../../../support/records/reports.ts';
import { intake } from '../../../support/world/ways.ts';
import { createTestWorld } from '../../../support/world/world.ts';

test('thirty messages of one device at the same time cost one another no second decision', async () => {
  const made = createTestWorld();
  let conflicts = 0;
  const commit: Store['commit'] = async (writes) => {
    try {
      return await made.store.commit(writes);
    } catch (error) {
      if (error instanceof Conflict) conflicts += 1;
      throw error;
    }
  };
  const world = { ...made, store: { ...made.store, commit } };
  const hosts = Array.from({ length: 30 }, (_, index) => `h${index}`);
  const timestamp = world.now();
  await Promise.all(
    hosts.map((attemptedHost) =>
      takeMessage(world, message('event', { type: 'unauthorized_broker_attempt', timestamp, attemptedHost }), intake),
    ),
  );
  expect(conflicts).toBe(0);
  const [alert] = await world.store.find({ in: 'alerts', limit: 2 });
  expect(alert?.data.code).toBe('SEC_002');
});

test('work that fails does not stop the next, and no device waits for another', async () => {
  const { store } = createTestWorld();
  const began: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    began.push(name);
    await until;
    return name;
  };
  const failing = oneAtATime({ store }, 'cam-1', work('first', first.promise));
  const next = oneAtATime({ store }, 'cam-1', work('next'));
  expect(await oneAtATime({ store }, 'cam-2', work('other'))).toBe('other');
  expect(began).toEqual(['first', 'other']);
  first.reject(new Error('the store is away'));
  await expect(failing).rejects.toThrow('the store is away');
  expect(await next).toBe('next');
});
