import type { LogObjects } from '../../../shared/app/ledger/objects.ts';
import { type NoteKey, noteKeyOf } from '../../../shared/domain/ledger/note.ts';

/** An object store with generations like Cloud Storage. It records every state of every object. */
export type TestObjects = LogObjects & { written: { name: string; bytes: Buffer }[]; names(): string[] };

export function createTestObjects(): TestObjects {
  const objects = new Map<string, { bytes: Buffer; generation: string }>();
  const written: TestObjects['written'] = [];
  return {
    written,
    names: () => [...objects.keys()],
    read: async (name) => objects.get(name) ?? null,
    async write(name, bytes, generation) {
      if ((objects.get(name)?.generation ?? null) !== generation) return false;
      written.push({ name, bytes: Buffer.from(bytes) });
      objects.set(name, { bytes: Buffer.from(bytes), generation: String(written.length) });
      return true;
    },
  };
}

export const origin = 'watchpost.test/ledger';
export const testKey: NoteKey = noteKeyOf(origin, Buffer.alloc(32, 7));
