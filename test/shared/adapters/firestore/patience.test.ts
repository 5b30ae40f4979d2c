import { expect, test } from 'vitest';
import { withPatience } from '../../../../shared/adapters/firestore/patience.ts';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { Conflict, type Store } from '../../../../shared/app/ports.ts';

/** A store that may hang or fail, before it timers that fire by hand. */
function patientStore() {
  const database = { isHanging: false, calls: 0, error: null as Error | null };
  const timers: { ms: number; fire: () => void }[] = [];
  const memory = createMemoryStore(() => 0);
  const store: Store = {
    ...memory,
    get: async (kind, ids) => {
      database.calls += 1;
      if (database.isHanging) await new Promise(() => {});
      if (database.error) throw database.error;
      return memory.get(kind, ids);
    },
    commit: async () => {
      if (database.error) throw database.error;
      return [];
    },
  };
  const after = (ms: number, fire: () => void) => {
    const timer = { ms, fire };
    timers.push(timer);
    return { stop: () => void timers.splice(timers.indexOf(timer), 1) };
  };
  const patient = withPatience(store, { firstMs: 3000, thenMs: 300 }, after);
  return { database, timers, patient, read: () => patient.get('settings', ['settings']) };
}

const away = { code: 'unavailable', status: 503, headers: { 'Retry-After': '5' } };

test('a call waits 3 s; while the database is away, one call at a time asks for 0.3 s, and the others fail at once', async () => {
  const { database, timers, read } = patientStore();
  database.isHanging = true;
  const first = read();
  expect(timers.map(({ ms }) => ms)).toEqual([3000]);
  timers[0]?.fire();
  await expect(first).rejects.toMatchObject(away);
  const asking = read();
  expect(timers.map(({ ms }) => ms)).toEqual([300]);
  await expect(read()).rejects.toMatchObject(away);
  expect(database.calls).toBe(2);
  timers[0]?.fire();
  await expect(asking).rejects.toMatchObject(away);
  database.isHanging = false;
  expect(await read()).toEqual([null]);
  expect(await Promise.all([read(), read()])).toEqual([[null], [null]]);
  expect(timers).toEqual([]);
});

test('an answer that has come while the process was busy counts', async () => {
  const { timers, read } = patientStore();
  const reading = read();
  timers[0]?.fire();
  expect(await reading).toEqual([null]);
  const next = read();
  expect(timers.map(({ ms }) => ms)).toEqual([3000]);
  await next;
});

test.each([4, 8, 14])('the gRPC status %i says that the database is away', async (code) => {
  const { database, read } = patientStore();
  database.error = Object.assign(new Error('away'), { code });
  await expect(read()).rejects.toMatchObject({ ...away, cause: database.error });
});

test('a refusal by the database is no absence, and no answer says that nothing was changed', async () => {
  const { database, timers, patient, read } = patientStore();
  database.error = new Conflict('create alerts/1');
  await expect(patient.commit([])).rejects.toBe(database.error);
  const next = read().catch(() => {});
  expect(timers.map(({ ms }) => ms)).toEqual([3000]);
  await next;
  database.error = Object.assign(new Error('away'), { code: 14 });
  await expect(patient.commit([])).rejects.toThrow('Whether the change was made is not known');
});
