import { setTimeout as wait } from 'node:timers/promises';
import { startTimer } from '../../../shared/adapters/world.ts';
import type { Bearer } from '../../../shared/app/bearer.ts';
import { readEvents } from '../../../shared/app/events/feed.ts';
import type { Store, Write } from '../../../shared/app/ports.ts';
import { eventRecord } from '../../../shared/domain/event/event.ts';
import type { FeedPage } from '../../../shared/schema/event/event.ts';

const everybody: Bearer = { subject: 'user:reader', scopes: new Set(['events:read']), groups: null };

/** Number of the first reader's last pages that are read again at the end. */
const mostReread = 50;

type Page = { after: string; ids: string[] };
type Read = { ids: string[]; pages: Page[]; kills: number };

/**
 * Runs concurrent writers of events, and readers that follow by cursor. Readers are killed in the middle of pages and resume at their stored cursor.
 * No event may be missed, all readers must see the same order, and a page must not change.
 */
export async function proveOrder(
  store: Store,
  { events, writers, readers, everyMs = 50 }: { events: number; writers: number; readers: number; everyMs?: number },
): Promise<{ missed: number; outOfOrder: number; changedPages: number; kills: number }> {
  const world = { store, now: () => new Date().toISOString(), after: startTimer };
  const read = (after: string, waitSeconds: number) =>
    readEvents(world, everybody, { after, wait: waitSeconds }, everyMs);
  const { cursor } = await read('now', 0);
  const each = events / writers;
  const write = async (writer: number) => {
    for (let index = 0; index < each; index += 1) await store.commit([eventWrite(`${writer}:${index}`)]);
  };
  const results = await Promise.all([
    ...Array.from({ length: readers }, () => follow((after) => read(after, 5), cursor, { events, everyMs })),
    Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).then(() => null),
  ]);
  const runs = results.filter((run): run is Read => run !== null);
  const [first] = runs;
  const rereads = await Promise.all(
    (first?.pages ?? []).slice(-mostReread).map(async ({ after, ids }) => {
      const again = idsOf(await read(after, 0));
      return ids.every((id, index) => again[index] === id) ? 0 : 1;
    }),
  );
  return {
    missed: runs.reduce((sum, { ids }) => sum + events - new Set(ids).size, 0),
    outOfOrder: runs.reduce((sum, { ids }) => sum + turns(ids) + (`${ids}` === `${first?.ids}` ? 0 : 1), 0),
    changedPages: rereads.reduce<number>((sum, one) => sum + one, 0),
    kills: Math.min(...runs.map(({ kills }) => kills)),
  };
}

/** Reads until all events have come. Dies in the middle of its first page and of each third one after it: it has handled a part, and its stored cursor is the previous one. */
async function follow(
  read: (after: string) => Promise<FeedPage>,
  from: string,
  { events, everyMs }: { events: number; everyMs: number },
): Promise<Read> {
  const done = new Set<string>();
  const run: Read = { ids: [], pages: [], kills: 0 };
  let kept = from;
  let silences = 0;
  let pages = 0;
  while (done.size < events) {
    const page = await read(kept);
    const ids = idsOf(page);
    run.pages.push({ after: kept, ids });
    const dies = ids.length > 0 && pages % 3 === 0;
    if (ids.length > 0) pages += 1;
    for (const id of dies ? ids.slice(0, Math.ceil(ids.length / 2)) : ids) {
      if (!done.has(id)) run.ids.push(id);
      done.add(id);
    }
    if (dies) run.kills += 1;
    else kept = page.cursor;
    // After four empty pages in a row, each after a wait of up to five seconds, the other events count as missed.
    silences = ids.length === 0 ? silences + 1 : 0;
    if (silences > 3) break;
    await wait(ids.length < 100 ? everyMs : 0);
  }
  return run;
}

/** How often an event came before an earlier one of the same writer. */
function turns(ids: readonly string[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const id of ids) {
    const [writer = '', index = ''] = id.split(':');
    if (Number(index) < (last.get(writer) ?? -1)) count += 1;
    last.set(writer, Number(index));
  }
  return count;
}

function idsOf({ events }: FeedPage): string[] {
  return events.map(({ eventId }) => eventId);
}

function eventWrite(eventId: string): Write {
  const at = new Date().toISOString();
  const notified = { type: 'alert', eventId, at, deviceId: 'cam-1', body: `{"n":"${eventId}"}` };
  const data = eventRecord({ ...notified, groups: ['north'], isWhole: true });
  return { kind: 'create', in: 'events', id: data.recordId, data };
}
