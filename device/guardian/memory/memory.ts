import type { Instant } from '../decide/maintenance.ts';
import { type Device, type Message, type Notice, toMessage } from '../decide/notice.ts';
import { isWorthKeeping, type WatchState } from '../decide/watch-state.ts';
import type { Golden } from '../golden/golden.ts';
import type { Seal } from '../identity/identity.ts';
import type { Log } from '../process/log.ts';
import type { Journal } from './journal.ts';
import { type Kept, nextStampMs, resume } from './kept.ts';

export type MemoryParts = {
  device: Device;
  journal: Pick<Journal<Kept>, 'state' | 'append'>;
  /** Called after each append, when there is something to publish. */
  onAppended: () => void;
  log: Log;
  clock: () => Instant;
  /** Null: the guardian has no key and publishes as the camera does. */
  seal: Seal | null;
  /** Creates the id of a new journal. */
  makeEpoch: () => string;
};

/** The guardian's state, stored on disk together with the alerts that follow from it. */
export type Memory = {
  watch: () => WatchState;
  golden: () => Golden | null;
  /**
   * Stores a state and its messages, on disk before it returns. Two exceptions: while the disk fails, the messages wait
   * in memory; and a change without effect on alerts (`isWorthKeeping`) is not written. Never throws.
   */
  update: (next: { watch: WatchState; golden?: Golden }, notices: readonly Notice[]) => void;
  /** Number of messages that were dropped because the queue, or the memory in place of a failing disk, was full. */
  droppedAlerts: () => number;
  /** The id of the journal, and how many alerts were signed in it. */
  counted: () => { epoch: string; alertSeq: number };
};

/** Maximum number of messages that wait in memory while the disk cannot be written. */
const maxUnsaved = 1_000;

export function createMemory({ device, journal, onAppended, log, clock, seal, makeEpoch }: MemoryParts): Memory {
  const resumed = resume(journal.state(), clock());
  const { epoch = makeEpoch() } = resumed;
  let kept: Kept = { ...resumed, epoch };
  let alertSeq = resumed.alertSeq ?? 0;
  let unsaved: readonly Message[] = [];
  let droppedAlerts = 0;

  const write = (notices: readonly Notice[]) => {
    let { lastStampMs } = kept;
    // A guardian with a key reports these events in its health messages instead.
    const messages = notices.flatMap((notice) => {
      if (seal && notice.kind === 'event') return [];
      lastStampMs = nextStampMs(lastStampMs, clock().calendarMs);
      const message = toMessage(notice, device, new Date(lastStampMs).toISOString());
      if (!seal) return [message];
      alertSeq += 1;
      return [seal('alert', { epoch, seq: alertSeq }, message.payload)];
    });
    kept = { ...kept, lastStampMs, alertSeq, savedAt: clock() };
    const unpublished = [...unsaved, ...messages];
    try {
      const taken = journal.append(kept, unpublished);
      droppedAlerts += unpublished.length - taken;
      unsaved = [];
      if (taken > 0) onAppended();
    } catch (error) {
      unsaved = unpublished.slice(0, maxUnsaved);
      droppedAlerts += unpublished.length - unsaved.length;
      log('journal.failed', { error: (error as Error).message, waiting: unsaved.length }, 'ERROR');
    }
  };

  // Without this write, the journal would get a new id at each start.
  if (seal && resumed.epoch === undefined) write([]);

  return {
    watch: () => kept.watch,
    golden: () => kept.golden,
    update({ watch, golden }, notices) {
      const isDue =
        notices.length > 0 || unsaved.length > 0 || golden !== undefined || isWorthKeeping(kept.watch, watch);
      kept = { ...kept, watch, golden: golden ?? kept.golden };
      if (isDue) write(notices);
      for (const notice of notices) logNotice(log, notice);
    },
    droppedAlerts: () => droppedAlerts,
    counted: () => ({ epoch, alertSeq }),
  };
}

function logNotice(log: Log, notice: Notice): void {
  if (notice.kind === 'event') {
    log('event.raised', { type: notice.type, reason: notice.reason }, 'WARNING');
  } else if (notice.kind === 'healed') {
    log('healed.raised', { fields: notice.fields });
  } else {
    log(`${notice.kind}.raised`, { fields: notice.differences.map(({ name }) => name) }, 'WARNING');
  }
}
