import { closeFold, type Fold } from '../../domain/notify/fold.ts';
import { digestLetter, isGuardianCode } from '../../domain/notify/messages.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Filter, World } from '../ports.ts';
import { deliveryWrites, foldWake, foldWrite } from './tell.ts';

/** Links that a digest shows beside the one to all of them. */
const samples = 3;

/** Closes a window whose time has come: one digest for all that came after its first message. Safe to repeat. */
export async function handleFoldDue(world: World, foldId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('folds', [foldId]);
    const now = world.now();
    if (!stored?.data.dueAt || stored.data.dueAt > now) return { writes: [], wakes: [], answer: undefined };
    const counts = await countWindows(world, stored.data);
    const { fold, digest } = closeFold(stored.data, counts, now, world.waits.foldWindow);
    const message = digest > 0 ? await digestOf(world, fold, digest, now) : { writes: [], wakes: [] };
    return {
      writes: [foldWrite(stored, fold), ...message.writes],
      wakes: [...message.wakes, ...(fold.dueAt ? [foldWake(fold)] : [])],
      answer: undefined,
    };
  });
}

async function countWindows({ store }: World, { code, windowId, previous }: Fold) {
  const kind = isGuardianCode(code) ? 'guardianAlerts' : 'alerts';
  const count = (id: string) => store.count({ in: kind, where: [noting(id)] });
  const [current, earlier] = await Promise.all([count(windowId), previous ? count(previous.windowId) : 0]);
  return { current, previous: earlier };
}

async function digestOf(world: World, fold: Fold, count: number, now: string) {
  const shows = isGuardianCode(fold.code) ? 0 : samples;
  const found = shows > 0 ? await world.store.find({ in: 'alerts', where: [noting(fold.windowId)], limit: shows }) : [];
  const letter = digestLetter(
    fold,
    count,
    found.map(({ data }) => data),
    world.consoleUrl,
  );
  const eventId = `${fold.windowId} ${fold.version}`;
  const event = { eventType: 'digest', eventId, alertId: null, deviceId: null, groupId: fold.groupId };
  return deliveryWrites(fold.contact, letter, event, now);
}

function noting(windowId: string): Filter<'alerts' | 'guardianAlerts'> & { field: 'foldIds' } {
  return { field: 'foldIds', is: 'array-contains', value: windowId };
}
