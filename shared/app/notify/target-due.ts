import { windowMessage } from '../../domain/notify/address.ts';
import { closeWindow, noteId, type TargetRecord, type WindowCounts, windowId } from '../../domain/notify/target.ts';

import type { Instant } from '../../domain/time.ts';
import { type Decided, put } from '../commit/commit.ts';

import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { Filter, Stored, Wake, World } from '../ports.ts';

/** Closes a target's window that is due: one digest contains everything that was not sent individually. Idempotent. */
export async function handleTargetDue(
  world: World,
  stored: Stored<'targets'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const { targetId, window, left } = stored.data;
  const counts = await countWindow(world, stored.data);
  const { target, send } = closeWindow(stored.data, counts, now, world.waits);
  const about = { id: targetId, occasion: 'opened', window } as const;
  const messages = send
    ? [
        windowMessage(
          target,
          send.kind === 'digest'
            ? { ...about, about: 'digest', left, late: send.late, went: send.went }
            : { ...about, about: 'held', count: send.count, sent: send.sent, nextAt: send.nextAt },
          now,
          send.kind === 'digest' && send.isUrgent,
        ),
      ]
    : [];
  return {
    writes: [put('targets', targetId, target, stored), ...messages.map(deliveryCreation)],
    wakes: [...deliveryWakes(messages), ...targetWakes(target)],
    answer: false,
  };
}

function targetWakes({ targetId: id, version, dueAt }: TargetRecord): Wake[] {
  return dueAt ? [{ in: 'targets', id, version, dueAt }] : [];
}

async function countWindow(world: World, { targetId, window, left, previous }: TargetRecord): Promise<WindowCounts> {
  const { store } = world;
  const ids = [...new Set(left.map(({ about }) => about))];
  const [noted, notedBefore, alerts, guardianAlerts] = await Promise.all([
    countNotes(world, windowId(targetId, window)),
    previous ? countNotes(world, windowId(targetId, previous.window)) : 0,
    ids.length > 0 ? store.get('alerts', ids) : [],
    ids.length > 0 ? store.get('guardianAlerts', ids) : [],
  ]);
  const notes = [...alerts, ...guardianAlerts].flatMap((each) =>
    each ? [{ id: each.id, digestIds: each.data.digestIds }] : [],
  );
  const gone = notes.filter(({ id, digestIds }) =>
    left.some(({ about, occasion }) => about === id && digestIds.includes(noteId({ targetId, window, occasion }))),
  );
  const waiting = noted - gone.length;
  const wentId = noteId({ targetId, window, occasion: 'went' });
  const went = waiting > 0 ? await store.count({ in: 'alerts', where: [noting(wentId)] }) : 0;
  return { noted, waiting, went, notedBefore };
}

async function countNotes({ store }: World, id: string): Promise<number> {
  const counts = await Promise.all([
    store.count({ in: 'alerts', where: [noting(id)] }),
    store.count({ in: 'guardianAlerts', where: [noting(id)] }),
    store.count({ in: 'deliveries', where: [{ field: 'digestId', is: '==', value: id }] }),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

function noting(value: string): Filter<'alerts' | 'guardianAlerts'> & { field: 'digestIds' } {
  return { field: 'digestIds', is: 'array-contains', value };
}
