import { isPack, mostPacked, type PackEntry, unpacked } from '../../domain/intake/pack.ts';
import type { Message } from '../../domain/intake/pushed.ts';
import type { World } from '../ports.ts';
import { quarantine } from '../quarantine/quarantine.ts';
import { createPackStore } from './pack-store.ts';
import { type Intake, takeDeadLetter, takeMessage } from './take-message.ts';

/**
 * Handles a message, or each entry of a pack as a message of its own. Throws where the platform must deliver it again, after all other entries have been
 * handled: every entry is safe to repeat.
 */
export async function takePushed(world: World, pushed: Message, intake: Intake, isRepeat = false): Promise<void> {
  if (!isPack(pushed, intake.bridgeDialect)) return takeMessage(world, pushed, intake, isRepeat);
  const entries = await entriesOf(world, pushed, intake);
  const byDevice = [
    ...Map.groupBy(entries, ({ message }, index) => message.attributes['deviceId'] ?? `${index}`).values(),
  ];
  const packStore = createPackStore(world.store, byDevice.length);
  const packWorld = { ...world, store: packStore.store };
  const results = await Promise.allSettled(
    byDevice.map(async (own) => {
      try {
        // In the order in which the device sent them.
        for (const { message, refused } of own) {
          if (refused) await quarantine(world, message, refused, intake.bridgeDialect);
          else await takeMessage(packWorld, message, intake, isRepeat);
        }
      } finally {
        packStore.ended();
      }
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Stores a message that was delivered too often without success, or each entry of such a pack. */
export async function takeDeadPushed(world: World, pushed: Message, intake: Intake): Promise<void> {
  if (!isPack(pushed, intake.bridgeDialect)) return takeDeadLetter(world, pushed, intake);
  for (const { message, refused } of await entriesOf(world, pushed, intake)) {
    if (refused) await quarantine(world, message, refused, intake.bridgeDialect);
    else await takeDeadLetter(world, message, intake);
  }
}

/** The entries of a pack. A pack that cannot be read goes to quarantine as it is. */
async function entriesOf(world: World, pack: Message, intake: Intake): Promise<PackEntry[]> {
  const read = intake.unzip?.(pack.data, mostPacked.bytes) ?? { fault: 'unreadable' as const };
  const entries = 'fault' in read ? null : unpacked(read.bytes.toString('utf8'), pack);
  if (entries) return entries;
  const reason = 'fault' in read ? read.fault : 'too-large';
  const detail = reason === 'unreadable' ? 'is no pack that can be unzipped' : 'holds more than a pack may';
  const refused = { reason, errors: [{ pointer: '', detail }], deviceId: null, kind: null } as const;
  await quarantine(world, pack, { ...refused, errors: [...refused.errors] }, intake.bridgeDialect);
  return [];
}
