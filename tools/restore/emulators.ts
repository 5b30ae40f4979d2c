import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { freePorts } from '../../local/machine/ports.ts';
import { type Ground, restoreDrill, type Step } from './drill.ts';

// Or the client looks for a metadata server of the cloud.
process.env['METADATA_SERVER_DETECTION'] ??= 'none';

/**
 * The drill on two emulators of its own: one imports an export only as it starts, so each stands for a database.
 * @throws Error that names the step which failed, or what is not installed
 */
export async function restoreDrillOnEmulators(
  { cameras, copyOfKeys = (dataKeys) => dataKeys }: { cameras: number } & Partial<Pick<Ground, 'copyOfKeys'>>,
  told: (step: Step) => void,
): Promise<void> {
  const missing = missingForEmulators();
  if (missing) throw new Error(`The drill runs on Google's Firestore emulator: ${missing} is missing.`);
  // One after the other: the second is sure to find another port.
  const emulators: Emulator[] = [];
  const folders: string[] = [];
  const start = async (seedFile?: string) => {
    const { firestore: port } = await freePorts();
    const emulator = await startEmulator('firestore', { port, ...(seedFile ? { seedFile } : {}) });
    emulators.push(emulator);
    return emulator.host;
  };
  try {
    const restore = (exportFile: string) => {
      folders.push(dirname(dirname(exportFile)));
      return start(exportFile);
    };
    await restoreDrill({ projectId: 'watchpost-drill', host: await start(), restore, copyOfKeys, cameras }, told);
  } finally {
    await Promise.all(emulators.map(({ stop }) => stop()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
