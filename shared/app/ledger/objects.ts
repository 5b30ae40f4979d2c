import type { WitnessKey } from '../../domain/ledger/cosignature.ts';
import type { NoteKey } from '../../domain/ledger/note.ts';

/** An object of the log, with its generation when it was read. */
export type LogObject = { bytes: Uint8Array; generation: string };

/** The storage of the log: objects in a bucket. */
export type LogObjects = {
  /** Null: the object does not exist. */
  read(name: string): Promise<LogObject | null>;
  /**
   * Writes an object if it still has this generation; null: if it does not exist.
   * @returns false if it has another generation; it is then unchanged
   */
  write(name: string, bytes: Uint8Array, generation: string | null): Promise<boolean>;
};

/** A third party that checks that each checkpoint continues the earlier ones, and cosigns it. */
export type LogWitness = {
  key: WitnessKey;
  /** Submits a checkpoint. Throws if there is no answer. */
  add(text: string): Promise<{ status: number; text: string }>;
};

/** The log of this service. The newest key comes first; all keys sign. */
export type Ledger = {
  objects: LogObjects;
  origin: string;
  keys: readonly NoteKey[];
  witnesses?: readonly LogWitness[];
};

export const checkpointName = 'checkpoint';
