import type { NoteKey } from '../../domain/ledger/note.ts';

/** An object of the log, and the state in which it was read. */
export type LogObject = { bytes: Uint8Array; generation: string };

/** Where the log is kept: objects in a bucket. */
export type LogObjects = {
  /** Null: there is no such object. */
  read(name: string): Promise<LogObject | null>;
  /**
   * Writes an object if it is in the state of `generation`; null: if it does not exist.
   * @returns false where it is in another state, and stays as it is
   */
  write(name: string, bytes: Uint8Array, generation: string | null): Promise<boolean>;
};

/** The log that this service keeps: the first of its keys is the newest, and all sign. */
export type Ledger = { objects: LogObjects; origin: string; keys: readonly NoteKey[] };

export const checkpointName = 'checkpoint';
