import { messageTo } from '../../domain/notify/address.ts';
import { closeFold, type Fold } from '../../domain/notify/fold.ts';
import { digestLetter, isGuardianCode } from '../../domain/notify/messages.ts';
import type { Instant } from '../../domain/time.ts';
import { foldWake } from '../change/written.ts';
import type { Decided } from '../commit/commit.ts';
import { put } from '../commit/put.ts';
import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { Filter, Stored, World } from '../ports.ts';

/** Links that a digest shows beside the one to all of them. */
const samples = 3;

/** Closes a window whose time has come: one digest for all that came after its first message. Safe to repeat. */
export async function decideFoldDue(world: World, stored: Stored<'folds'>, now: Instant): Promise<Decided<boolean>> {
  const counts = await countWindows(world, stored.data);
  const { fold, digest } = closeFold(stored.data, counts, now, world.waits.foldWindow);
  const messages = digest > 0 ? [await digestOf(world, fold, digest, now)] : [];
  return {
    writes: [put('folds', stored.id, fold, stored), ...messages.map(deliveryCreation)],
    wakes: [...deliveryWakes(messages), ...(fold.dueAt ? [foldWake(fold)] : [])],
    answer: false,
  };
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
  return messageTo(fold.contact, letter, event, now);
}

function noting(windowId: string): Filter<'alerts' | 'guardianAlerts'> & { field: 'foldIds' } {
  return { field: 'foldIds', is: 'array-contains', value: windowId };
}
