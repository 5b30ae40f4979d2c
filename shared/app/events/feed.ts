import { type EventRecord, isForReader, topicsFor } from '../../domain/event/event.ts';
import { retention } from '../../domain/limits.ts';
import { type LostTime, restoredId } from '../../domain/restored/restored.ts';
import { plus } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import type { FeedEvent, FeedPage, FeedQuery } from '../../schema/event/event.ts';
import { endpointEvents } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import { type Position, positionAt, readPosition, timeOf } from '../commit-order.ts';
import { pause, type Reads, type TailPage, type World } from '../ports.ts';

/** Events of one page, and their total bytes. Cloud Run limits an answer to 32 MiB. */
const mostEvents = 200;
const mostBytes = 2 * 1024 * 1024;
/** A cursor further in the future is not one of ours: it would skip all events until then. */
const aheadMs = 10 * 60_000;

type Feed = Pick<World, 'store' | 'now' | 'after'>;

/**
 * Reads events after a cursor, in the order of their commits. If there are none, waits for the first one.
 * @param everyMs how often it polls while it waits; `gone`: the reader went away, and it stops at once
 * @throws AppError `invalid-request` for a text that is not a cursor, `cursor-expired` for one that is too old or from before the database was restored, `forbidden` for events of the audit
 * stream, or of endpoints
 */
export async function readEvents(
  world: Feed,
  bearer: Bearer,
  { after, types, wait = 0 }: FeedQuery,
  everyMs: number,
  gone?: AbortSignal,
): Promise<FeedPage> {
  if (types?.includes('audit') && (bearer.groups !== null || !bearer.scopes.has('audit:read'))) {
    const detail = 'Events of the audit stream need the scope audit:read too, and a token of all groups.';
    throw new AppError('forbidden', detail);
  }
  if (types?.some((type) => endpointEvents.some((each) => each === type)) && !bearer.scopes.has('webhooks:read')) {
    throw new AppError('forbidden', 'Events of endpoints need the scope webhooks:read too.');
  }
  const topics = topicsFor(bearer.groups, types ?? null);
  const left = new Promise<void>((resolve) => gone?.addEventListener('abort', () => resolve(), { once: true }));
  let position = await positionOf(world, after);
  for (let leftMs = wait * 1000; ; leftMs -= everyMs) {
    const page = pageOf(await readAfter(world, position, topics), (event) => isForReader(event, bearer.groups));
    if (page.events.length > 0 || leftMs <= 0 || gone?.aborted) return page;
    position = cursorPosition(page.cursor) ?? position;
    await Promise.race([pause(world, Math.min(everyMs, leftMs)), left]);
    if (gone?.aborted) return page;
  }
}

function readAfter({ store }: Feed, after: Position, topics: readonly string[]): Promise<TailPage<'events'>> {
  const where = [{ field: 'topics', is: 'array-contains-any', value: topics } as const];
  return store.tail({ in: 'events', where, after, limit: mostEvents });
}

function pageOf(page: TailPage<'events'>, sees: (event: EventRecord) => boolean): FeedPage {
  const { end } = page;
  const found = page.found.filter(({ data }) => sees(data));
  let bytes = 0;
  const fitting = found.findIndex(({ data }, index) => {
    bytes += Buffer.byteLength(data.body);
    return index > 0 && bytes > mostBytes;
  });
  const kept = fitting < 0 ? found : found.slice(0, fitting);
  const last = fitting < 0 ? end : (kept.at(-1)?.position ?? end);
  const events = kept.map(
    ({ data: { recordId, eventId, type, at, deviceId, body } }): FeedEvent => ({
      ...{ recordId, eventId, at, deviceId, body },
      // `publicationOf` and `incidentPublicationOf` write only these types.
      type: type as FeedEvent['type'],
    }),
  );
  return { events, cursor: cursorOf(last) };
}

async function positionOf(world: Feed, after: string | undefined): Promise<Position> {
  const { store, now } = world;
  const oldest = positionAt(plus(now(), -retention.feed));
  if (after === undefined) return oldest;
  if (after === 'now') return (await store.tail({ in: 'events', after: null, limit: 1 })).end;
  const position = cursorPosition(after);
  if (position === null || timeOf(position) > timeOf(positionAt(plus(now(), aheadMs)))) {
    throw new AppError('invalid-request', '`after` is not a cursor of this feed.', {
      errors: [{ pointer: '?after', detail: 'is not a cursor of this feed' }],
    });
  }
  if (position < oldest) {
    throw new AppError('cursor-expired', 'The cursor is older than 30 days, and the events after it have expired.', {
      members: { oldest: cursorOf(oldest) },
    });
  }
  const lost = await loadLostTime(world);
  if (lost && position < positionAt(lost.at)) {
    throw new AppError(
      'cursor-expired',
      'The database was restored, and events after the cursor may be lost: read the records anew.',
      {
        members: { oldest: cursorOf(positionAt(lost.at)), lostFrom: lost.asOf, lostTo: lost.at },
      },
    );
  }
  return position;
}

/** The time that a restore of the database lost. Null: there was none. */
export async function loadLostTime({ store }: Reads<'platform'>): Promise<LostTime | null> {
  const [stored = null] = await store.get('platform', [restoredId]);
  return stored?.data.kind === 'restored' ? stored.data : null;
}

/** Opaque to clients, so that the order can change. It is not signed, because an invented one shows only events that the caller may see. */
function cursorOf(position: Position): string {
  return Buffer.from(position).toString('base64url');
}

function cursorPosition(cursor: string): Position | null {
  const position = readPosition(Buffer.from(cursor, 'base64url').toString());
  return position !== null && cursorOf(position) === cursor ? position : null;
}
