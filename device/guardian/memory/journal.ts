import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Message } from '../decide/notice.ts';

/** One decision of the guardian: its new state, and the messages that it must publish. Written completely or not at all. */
export type Entry<State extends object> = { sequence: number; state: State; messages: readonly Message[] };

export type Journal<State extends object> = {
  /** State of the newest entry. Null: there is no entry that can be read. */
  state: () => State | null;
  /**
   * Writes state and messages to one file and returns when it is on the disk.
   * @returns the number of accepted messages; 0 if the journal is full (the state is kept nevertheless)
   * @throws Error of the file system, e.g. ENOSPC; nothing is written then
   */
  append: (state: State, messages: readonly Message[]) => number;
  /**
   * The oldest entry with messages that the broker has not acknowledged. Null: it has acknowledged all.
   * @throws Error of the file system
   */
  next: () => Entry<State> | null;
  /** Records that the broker has every message of the entry. */
  acknowledge: (sequence: number) => void;
  /** Messages not yet acknowledged. */
  queueLength: () => number;
};

const namePattern = /^(\d{12})\.(outbox|done)\.json$/;

/** Maximum number of waiting messages. With 2 alerts every 30 s this is more than a day without a broker. */
const maxQueueLength = 10_000;

/**
 * A queue and a state in one directory. `<sequence>.outbox.json` is an entry with unpublished messages,
 * `<sequence>.done.json` one without. The entry with the highest sequence has the present state. A file appears by
 * rename after fsync, so that a kill or a power cut leaves the old or the new file, never a partial one.
 * @param onUnreadable called for an unreadable file, which is set aside while the others are processed
 */
export function openJournal<State extends object>(
  directory: string,
  onUnreadable: (file: string) => void,
): Journal<State> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { newest, unpublished, done, lastSequence } = recover<State>(directory, onUnreadable);
  let state = newest;
  let sequence = lastSequence;
  let queueLength = unpublished.reduce((sum, entry) => sum + entry.messages, 0);

  return {
    state: () => state,
    append(next, messages) {
      const taken = queueLength + messages.length > maxQueueLength ? [] : messages;
      const entry: Entry<State> = { sequence: sequence + 1, state: next, messages: taken };
      const kind = taken.length > 0 ? 'outbox' : 'done';
      writeDurably(directory, fileName(entry.sequence, kind), JSON.stringify(entry));
      sequence = entry.sequence;
      state = next;
      queueLength += taken.length;
      if (kind === 'outbox') unpublished.push({ sequence, messages: taken.length });
      else done.push(sequence);
      removeOutdated(directory, done, sequence);
      return taken.length;
    },
    next() {
      for (let [first] = unpublished; first !== undefined; [first] = unpublished) {
        const name = fileName(first.sequence, 'outbox');
        try {
          return readEntry<State>(join(directory, name));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
          setAside(directory, name, onUnreadable);
          unpublished.shift();
          queueLength -= first.messages;
        }
      }
      return null;
    },
    acknowledge(acknowledged) {
      const [first] = unpublished;
      if (first?.sequence !== acknowledged) return;
      renameSync(join(directory, fileName(acknowledged, 'outbox')), join(directory, fileName(acknowledged, 'done')));
      unpublished.shift();
      done.push(acknowledged);
      queueLength -= first.messages;
      removeOutdated(directory, done, sequence);
    },
    queueLength: () => queueLength,
  };
}

/**
 * Finished entries other than the newest are not needed. If a crash prevents their removal, they are removed after the
 * next start.
 */
function removeOutdated(directory: string, done: number[], newest: number): void {
  for (const sequence of done.splice(0)) {
    if (sequence === newest) done.push(sequence);
    else rmSync(join(directory, fileName(sequence, 'done')), { force: true });
  }
}

function setAside(directory: string, name: string, onUnreadable: (file: string) => void): void {
  renameSync(join(directory, name), join(directory, `${name}.unreadable`));
  onUnreadable(name);
}

function recover<State extends object>(directory: string, onUnreadable: (file: string) => void) {
  let newest: State | null = null;
  let lastSequence = 0;
  const unpublished: { sequence: number; messages: number }[] = [];
  const done: number[] = [];
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name);
    if (name.endsWith('.tmp')) rmSync(path);
    const [, digits, kind] = namePattern.exec(name) ?? [];
    if (digits === undefined) continue;
    lastSequence = Number(digits);
    try {
      const entry = readEntry<State>(path);
      newest = entry.state;
      if (kind === 'outbox') unpublished.push({ sequence: lastSequence, messages: entry.messages.length });
      else done.push(lastSequence);
    } catch {
      setAside(directory, name, onUnreadable);
    }
  }
  return { newest, unpublished, done, lastSequence };
}

function readEntry<State extends object>(path: string): Entry<State> {
  const entry: Entry<State> = JSON.parse(readFileSync(path, 'utf8'));
  const isEntry = Array.isArray(entry?.messages) && typeof entry.state === 'object' && entry.state !== null;
  if (!isEntry) throw new Error('This is not an entry of a journal.');
  return entry;
}

function fileName(sequence: number, kind: 'outbox' | 'done'): string {
  return `${String(sequence).padStart(12, '0')}.${kind}.json`;
}

function writeDurably(directory: string, name: string, text: string): void {
  const path = join(directory, name);
  const file = openSync(`${path}.tmp`, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.tmp`, path);
  const folder = openSync(directory, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
