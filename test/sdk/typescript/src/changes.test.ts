import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Change, createClient, type Runtime } from '../../../../sdk/typescript/src/index.ts';
import { openTestAlert } from '../../../support/records/alerts.ts';
import { startTestApi } from '../../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let stop: AbortController;
let ends: (() => Promise<unknown>)[];
beforeEach(async () => {
  api = await startTestApi();
  stop = new AbortController();
  ends = [];
});
afterEach(async () => {
  stop.abort();
  // The number of open streams is limited for each bearer.
  for (const end of ends) await end();
  await api.stop();
});

/** Follows the stream; `cut` breaks the connection, and requests wait until `away` has resolved. */
function follow(after?: string) {
  const positions: (string | null)[] = [];
  let cut = () => {};
  let away: Promise<void> = Promise.resolve();
  const runtime: Partial<Runtime> = {
    fetch: async (url, init) => {
      await away;
      positions.push(new Headers(init.headers).get('Last-Event-ID'));
      const response = await api.fetch(new Request(url, { ...init, signal: null }));
      if (!response.ok) return response;
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const broken = new Promise<never>((_, reject) => {
        cut = () => reject(new TypeError('terminated'));
      });
      broken.catch(() => {});
      return new Response(
        new ReadableStream({
          cancel: () => reader.cancel(),
          async pull(controller) {
            try {
              const { value, done } = await Promise.race([reader.read(), broken]);
              if (done) controller.close();
              else controller.enqueue(value);
            } catch (error) {
              await reader.cancel();
              controller.error(error);
            }
          },
        }),
      );
    },
    pause: (ms, signal) =>
      ms > 10_000 ? new Promise((_, reject) => signal?.addEventListener('abort', reject)) : Promise.resolve(),
  };
  const client = createClient({ baseUrl: 'http://localhost:8080', token: () => api.issuer.token(), runtime });
  const states: string[] = [];
  const opened = Promise.withResolvers<void>();
  const changes = client.changes({
    signal: stop.signal,
    onState: (state) => {
      states.push(state);
      if (state === 'open') opened.resolve();
    },
    ...(after === undefined ? {} : { after }),
  });
  ends.push(() => changes.return());
  /** The next change of an alert. */
  const next = async (): Promise<Change & { event: 'alert' }> => {
    for (;;) {
      const { value, done } = await changes.next();
      if (done || !value) throw new Error('the changes ended');
      if (value.event === 'alert') return value;
    }
  };
  return {
    next,
    changes,
    positions,
    states,
    opened: opened.promise,
    /** Breaks the connection, and accepts no new one until `during` has ended. */
    async broken(during: () => Promise<unknown>) {
      const back = Promise.withResolvers<void>();
      away = back.promise;
      cut();
      await during();
      back.resolve();
    },
  };
}
const alertIn = ({ data }: Change & { event: 'alert' }) => data.alert?.alertId;

test('a broken connection loses no change and repeats none', async () => {
  const followed = follow();
  const first = followed.next();
  await followed.opened;
  const made = [await openTestAlert(api.world)];
  const found = [alertIn(await first)];
  for (let round = 0; round < 5; round += 1) {
    const next = followed.next();
    await followed.broken(async () => {
      for (let count = 0; count < 3; count += 1) {
        api.world.pass(count === 1 ? 0 : 1);
        made.push(await openTestAlert(api.world));
      }
    });
    found.push(alertIn(await next), alertIn(await followed.next()), alertIn(await followed.next()));
  }
  expect(found).toEqual(made);
  expect(followed.states.filter((state) => state === 'broken')).toHaveLength(5);
});

test('a connection that breaks before its first change loses no change', async () => {
  const followed = follow();
  const first = followed.next();
  await followed.opened;
  let made = '';
  await followed.broken(async () => {
    api.world.pass(1);
    made = await openTestAlert(api.world);
  });
  expect(alertIn(await first)).toBe(made);
  expect(followed.positions).toEqual([null, expect.stringContaining('~now')]);
});

test('a change that is committed late, behind a known one, is not missed', async () => {
  const followed = follow();
  const first = followed.next();
  await followed.opened;
  const early = await openTestAlert(api.world);
  expect(alertIn(await first)).toBe(early);
  const next = followed.next();
  let late = '';
  await followed.broken(async () => {
    // Its timestamp is earlier than that of the first alert, but its commit is later.
    api.world.pass(-2);
    late = await openTestAlert(api.world);
    api.world.pass(2);
  });
  expect(alertIn(await next)).toBe(late);
});

test('a later run continues where the earlier one stopped', async () => {
  const first = follow();
  const opening = first.next();
  await first.opened;
  await openTestAlert(api.world);
  const { id } = await opening;
  await first.changes.return();
  api.world.pass(1);
  const missed = await openTestAlert(api.world);
  expect(alertIn(await follow(id ?? '').next())).toBe(missed);
});

test('a refused stream throws an error instead of retrying forever', async () => {
  const client = createClient({
    baseUrl: 'http://localhost:8080',
    token: () => api.issuer.token({ scope: 'devices:read' }),
    runtime: { fetch: async (url, init) => api.fetch(new Request(url, init)) },
  });
  await expect(client.changes().next()).rejects.toMatchObject({ code: 'forbidden' });
});
