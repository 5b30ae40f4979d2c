import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, replaceFile } from '../machine/files.ts';

/** Saves the content of the Firestore emulator, which does not persist it. */
export type Snapshots = {
  /** The file to start with, if any: the last complete export. */
  seedFile(): string | undefined;
  /** Exports everything. After a crash in between, the previous export stays valid. @throws Error when the emulator fails */
  save(): Promise<void>;
  /** Exports from time to time until `stop`, with pauses of at least 30 s. */
  saveRegularly(onProblem: (error: Error) => void): { stop(): void };
};

const leastPauseMs = 30_000;
/**
 * The emulator does not answer while it exports, and an export takes longer the more data there is. Each pause is this many times as long
 * as the export.
 */
const pauseShare = 30;

type Pointer = { folder: string };

const exportName = 'snapshot';

/** `folder` must be absolute, because the emulator has another working directory. */
export function createSnapshots(folder: string, projectId: string, host: string): Snapshots {
  mkdirSync(folder, { recursive: true });
  const pointerFile = join(folder, 'current.json');
  const current = () => readJsonFile<Pointer>(pointerFile)?.folder;
  let saving: Promise<void> | null = null;

  const removeAllBut = (kept: string | undefined) => {
    for (const entry of readdirSync(folder)) {
      if (/^\d+$/.test(entry) && entry !== kept) rmSync(join(folder, entry), { recursive: true, force: true });
    }
  };
  const save = async () => {
    const fresh = `${Date.now()}`;
    try {
      mkdirSync(join(folder, fresh));
      await exportTo(join(folder, fresh), projectId, host);
      replaceFile(pointerFile, JSON.stringify({ folder: fresh } satisfies Pointer));
    } finally {
      // What remains of a failed export would keep a full disk full.
      removeAllBut(current());
    }
  };
  const saveOnce = () => {
    saving ??= save().finally(() => {
      saving = null;
    });
    return saving;
  };
  return {
    save: saveOnce,
    saveRegularly(onProblem) {
      let timer: NodeJS.Timeout | null = null;
      const after = (pauseMs: number) => {
        timer = setTimeout(async () => {
          const startedMs = performance.now();
          await saveOnce().catch(onProblem);
          if (timer) after(Math.max(leastPauseMs, (performance.now() - startedMs) * pauseShare));
        }, pauseMs);
      };
      after(leastPauseMs);
      return {
        stop() {
          if (timer) clearTimeout(timer);
          timer = null;
        },
      };
    },
    seedFile() {
      const file = join(folder, current() ?? 'none', exportName, `${exportName}.overall_export_metadata`);
      return existsSync(file) ? file : undefined;
    },
  };
}

async function exportTo(folder: string, projectId: string, host: string): Promise<void> {
  const response = await fetch(`http://${host}/emulator/v1/projects/${projectId}:export`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      database: `projects/${projectId}/databases/(default)`,
      export_directory: folder,
      export_name: exportName,
    }),
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) throw new Error(`The export of Firestore failed with ${response.status}: ${await response.text()}`);
}
