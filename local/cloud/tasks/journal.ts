import {
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { nameKeptMs } from './ended-names.ts';
import type { Task } from './task.ts';

/** What a journal holds when the service starts. */
export type Kept = { tasks: Task[]; ended: Array<[name: string, endedAt: number]> };

/** Records created and ended tasks in a file, so that a killed service continues where it stopped. */
export type Journal = {
  kept: Kept;
  /** @throws Error of the file system, e.g. of a full disk: the task is not kept */
  created(task: Task): void;
  /** A task whose end cannot be recorded is dispatched again after a restart. */
  ended(name: string, endedAt: number): void;
};

type Line = { created: Task } | { ended: string; at: number };

/**
 * Opens the journal in `path` and rewrites it without ended tasks. Null keeps nothing. A line is in the file before the call returns, so it
 * survives a kill of the process (not of the machine). `now` is epoch milliseconds.
 */
export function openJournal(path: string | null, now: number): Journal {
  if (path === null) return { kept: { tasks: [], ended: [] }, created: () => {}, ended: () => {} };
  const kept = existsSync(path) ? read(readFileSync(path, 'utf8'), now) : { tasks: [], ended: [] };
  const lines: Line[] = [
    ...kept.ended.map(([name, at]) => ({ ended: name, at })),
    ...kept.tasks.map((task) => ({ created: task })),
  ];
  writeFileSync(`${path}.new`, lines.map(write).join(''));
  renameSync(`${path}.new`, path);
  const file = openSync(path, 'a');
  return {
    kept,
    created: (task) => append(file, write({ created: task })),
    ended(name, at) {
      try {
        append(file, write({ ended: name, at }));
      } catch (error) {
        console.error(`journal.failed ${error instanceof Error ? error.message : error}`);
      }
    },
  };
}

/** Appends a line or nothing: the beginning of a line, which a full disk may still take, would spoil the next one. */
function append(file: number, line: string): void {
  const { size } = fstatSync(file);
  const bytes = Buffer.from(line);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

function write(line: Line): string {
  if ('ended' in line) return `${JSON.stringify(line)}\n`;
  const { request } = line.created;
  return `${JSON.stringify({ created: { ...line.created, request: { ...request, body: request.body.toString('base64') } } })}\n`;
}

function read(text: string, now: number): Kept {
  const tasks = new Map<string, Task>();
  const ended = new Map<string, number>();
  for (const line of text.split('\n')) {
    const entry = parse(line);
    if (entry === null) continue;
    if ('created' in entry) {
      const { request } = entry.created;
      const body = Buffer.from(request.body as unknown as string, 'base64');
      tasks.set(entry.created.name, { ...entry.created, request: { ...request, body } });
    } else {
      tasks.delete(entry.ended);
      if (entry.at + nameKeptMs > now) ended.set(entry.ended, entry.at);
    }
  }
  return { tasks: [...tasks.values()], ended: [...ended] };
}

/** A line that a kill truncated is not JSON. Its task was not confirmed to any client. */
function parse(line: string): Line | null {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}
