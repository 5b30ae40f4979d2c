import { afterEach, beforeEach, expect, test } from 'vitest';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import type { Write } from '../../../shared/app/ports.ts';
import { ana, openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';

type Event = { id: string | null; event: string; data: Record<string, unknown> };
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

/** Listens to the stream; `next(count)` waits for `count` events. */
async function listen(given: { token?: string; lastEventId?: string } = {}) {
  const headers = new Headers({ Authorization: `Bearer ${given.token ?? (await api.issuer.token())}` });
  if (given.lastEventId) headers.set('Last-Event-ID', given.lastEventId);
  const response = await api.fetch(new Request('http://watchpost.test/v1/stream', { headers }));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  const events: Event[] = [];
  const next = async (count: number): Promise<Event[]> => {
    while (events.length < count) {
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream ended');
      text += Buffer.from(value).toString();
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      events.push(...parts.flatMap(eventOf));
    }
    return events.splice(0, count);
  };
  return { response, next, stop: () => reader.cancel() };
}

function eventOf(block: string): Event[] {
  const lines = new Map(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  const [event, data] = [lines.get('event'), lines.get('data')];
  return event && data ? [{ id: lines.get('id') ?? null, event, data: JSON.parse(data) }] : [];
}

test('changes of alerts arrive as events with the alert after the change', async () => {
  const stream = await listen();
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const alertId = await openTestAlert(api.world);
  await actOnAlert(api.world, ana, alertId, { kind: 'acknowledge' }, null);
  const events = await stream.next(2);
  expect(events.map(({ event, data }) => [event, data['change'], data['who']])).toEqual([
    ['alert', 'open', 'device'],
    ['alert', 'acknowledge', 'ana'],
  ]);
  expect(events[1]?.data['alert']).toMatchObject({ alertId, status: 'acknowledged' });
  await stream.stop();
});

test('a listener that reconnects gets the missed changes, once and in order', async () => {
  const first = await listen();
  await openTestAlert(api.world);
  const [seen] = await first.next(1);
  await first.stop();
  const missed: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    api.world.pass(1);
    missed.push(await openTestAlert(api.world));
  }
  const again = await listen({ lastEventId: seen?.id ?? '' });
  api.world.pass(1);
  const later = await openTestAlert(api.world);
  const events = await again.next(4);
  expect(events.map(({ data }) => (data['alert'] as { alertId: string }).alertId)).toEqual([...missed, later]);
  await again.stop();
});

test('a listener with an unknown Last-Event-ID gets the event `reset`', async () => {
  const stream = await listen({ lastEventId: 'nonsense' });
  expect((await stream.next(1))[0]).toMatchObject({ event: 'reset' });
  await stream.stop();
});

test('a stream is refused where the store does not say where it is, instead of missing changes', async () => {
  const { store } = api.world;
  const { tail } = store;
  store.tail = () => Promise.reject(new Error('UNAVAILABLE'));
  expect((await listen()).response.status).toBe(500);
  store.tail = tail;
  const again = await listen();
  await openTestAlert(api.world);
  expect(await again.next(1)).toMatchObject([{ event: 'alert', data: { change: 'open' } }]);
  await again.stop();
});

test('a hundred listeners get changes of their own groups only', async () => {
  const streams = await Promise.all(
    Array.from({ length: 100 }, async (_unused, index) => {
      const groups = [index % 2 === 0 ? 'north' : 'south'];
      return listen({ token: await api.issuer.token({ groups, sub: `listener-${index}` }) });
    }),
  );
  const ids = { north: await openTestAlert(api.world), south: await openTestAlert(api.world, { groupId: 'south' }) };
  const heard = await Promise.all(streams.map((stream) => stream.next(1)));
  heard.forEach(([event], index) => {
    expect(event?.data['alert']).toMatchObject({ alertId: index % 2 === 0 ? ids.north : ids.south });
  });
  await Promise.all(streams.map((stream) => stream.stop()));
});

test('each listener gets every change of a storm, even if it exceeds the buffer of one listener', async () => {
  const streams = await Promise.all([listen(), listen()]);
  const ids = Array.from({ length: 2500 }, (_, index) => `e-${String(index).padStart(4, '0')}`);
  const { store, now } = api.world;
  const writes = ids.map((entryId): Write => {
    const data = {
      entryId,
      deviceId: entryId,
      groupId: 'north',
      at: now(),
      kind: 'presence',
      who: 'device',
      summary: 'x',
    };
    return { kind: 'create', in: 'activity', id: entryId, data: data as never };
  });
  for (let from = 0; from < writes.length; from += 250) await store.commit(writes.slice(from, from + 250));
  const hear = async ({ next, stop }: (typeof streams)[number]) => {
    const heard: unknown[] = [];
    while (heard.length < ids.length) {
      heard.push(...(await next(1)).flatMap(({ event, data }) => (event === 'device' ? [data['deviceId']] : [])));
    }
    expect(heard).toEqual(ids);
    await stop();
  };
  await Promise.all(streams.map(hear));
});
