import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { freePorts } from '../../local/machine/ports.ts';
import { type Ground, restoreDrill, type Step } from './drill.ts';

// Otherwise the client searches for a metadata server of the cloud.
process.env['METADATA_SERVER_DETECTION'] ??= 'none';

/**
 * Runs the drill on two emulators, which it starts and stops. An emulator imports an export only at its start, so each
 * represents one database.
 * @throws Error that names the failed step, or what is not installed
 */
export async function restoreDrillOnEmulators(
  { cameras, copyOfKeys = (dataKeys) => dataKeys }: { cameras: number } & Partial<Pick<Ground, 'copyOfKeys'>>,
  onStep: (step: Step) => void,
): Promise<void> {
  const missing = missingForEmulators();
  if (missing) throw new Error(`The drill runs on Google's Firestore emulator: ${missing} is missing.`);
  // The emulators start one after the other, so that the second finds another free port.
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
    await restoreDrill({ projectId: 'watchpost-drill', host: await start(), restore, copyOfKeys, cameras }, onStep);
  } finally {
    await Promise.all(emulators.map(({ stop }) => stop()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
