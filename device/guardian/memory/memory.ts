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
  /** Told after each append: there is something to publish. */
  onAppended: () => void;
  log: Log;
  clock: () => Instant;
  /** Null: the guardian has no key and speaks as the camera does. */
  seal: Seal | null;
  /** Names a new journal. */
  makeEpoch: () => string;
};

/** What the guardian knows, on the disk together with the alerts that follow from it. */
export type Memory = {
  watch: () => WatchState;
  golden: () => Golden | null;
  /** Takes over a state and tells what is to be told: on the disk before this returns, unless only counting has gone on. */
  update: (next: { watch: WatchState; golden?: Golden }, notices: readonly Notice[]) => void;
  /** Alerts that found the queue full. */
  droppedAlerts: () => number;
  /** The name of the journal and how many alerts it has signed. */
  counted: () => { epoch: string; alertSeq: number };
};

/** Messages that wait in memory while the disk takes none. */
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
    // What is an event is told by the health of a guardian that signs.
    const messages = notices.flatMap((notice) => {
      if (seal && notice.kind === 'event') return [];
      lastStampMs = nextStampMs(lastStampMs, clock().calendarMs);
      const message = toMessage(notice, device, new Date(lastStampMs).toISOString());
      if (!seal) return [message];
      alertSeq += 1;
      return [seal('alert', { epoch, seq: alertSeq }, message.payload)];
    });
    kept = { ...kept, lastStampMs, alertSeq, savedAt: clock() };
    const owed = [...unsaved, ...messages];
    try {
      const taken = journal.append(kept, owed);
      droppedAlerts += owed.length - taken;
      unsaved = [];
      if (taken > 0) onAppended();
    } catch (error) {
      unsaved = owed.slice(0, maxUnsaved);
      droppedAlerts += owed.length - unsaved.length;
      log('journal.failed', { error: (error as Error).message, waiting: unsaved.length }, 'ERROR');
    }
  };

  // A journal that names itself anew at each start would be many.
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
