import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../device/guardian/process/log.ts';
import { startGuardian } from '../../device/guardian/run.ts';
import { readSettings } from '../../device/guardian/settings/settings.ts';
import { replaceFile } from '../machine/files.ts';
import { lockDirectory } from '../machine/lock.ts';
import { type Camera, type CameraOptions, createCamera } from './camera.ts';
import { goldenOf, goldenParameters, leadsTo } from './camera-settings.ts';
import { serialOf, simulatedModel } from './camera-state.ts';
import { startVapixServer } from './device/vapix-server.ts';

export type GuardianOptions = {
  /** Where each guardian has a folder of its own, with its configuration and its queue. */
  folder: string;
  /** False: only its configuration file is written, for a guardian that runs elsewhere. */
  isRunning: boolean;
  log: Log;
};

/** A simulated camera with its management interface, and the configuration file of the guardian beside it. */
export type GuardedCamera = Camera & { readonly guardianFile: string };

/** Account of every simulated camera's management interface, which listens on the loopback address only. */
export const managementAccount = { username: 'root', password: 'simulated' };

/** The contract's interval of comparison, in seconds. */
const naturalIntervalSeconds = 30;

/**
 * Starts the management interface of a camera and a guardian that looks after it. The camera's link follows what is configured: while
 * the configuration names another broker, the camera is gone.
 * @throws Error where another process runs a camera of this id on the same data directory
 */
export async function createGuardedCamera(options: CameraOptions, guardian: GuardianOptions): Promise<GuardedCamera> {
  const { deviceId, broker } = options;
  const folder = join(guardian.folder, deviceId);
  mkdirSync(folder, { recursive: true });
  const unlock = lockDirectory(folder);
  let camera: Camera | null = null;
  const management = await startVapixServer({
    serial: serialOf(deviceId),
    configuration: goldenParameters(deviceId, broker.url),
    authentication: { scheme: 'basic', ...managementAccount },
    connects: () => camera?.isConnected() ?? false,
    onChange: (settings, isActive) => camera?.aim(isActive && leadsTo(broker.url, settings, deviceId)),
  });
  const created = createCamera({ ...options, management });
  camera = created;
  const guardianFile = join(folder, 'guardian.json');
  replaceFile(guardianFile, `${JSON.stringify(guardianFileOf(options, management.url), null, 2)}\n`);
  const running = guardian.isRunning ? startGuardian(readSettings(guardianFile, environment), guardian.log) : null;
  return {
    ...created,
    guardianFile,
    async stop() {
      await running?.stop();
      await Promise.all([management.close(), created.stop()]);
      unlock();
    },
  };
}

/** What the guardian finds in its environment. */
const environment = { GUARDIAN_USERNAME: managementAccount.username, GUARDIAN_PASSWORD: managementAccount.password };

/** The scale shortens the interval, to a second at least; a guardian's other times are its own. */
function guardianFileOf({ deviceId, broker, timeScale }: CameraOptions, managementUrl: string) {
  return {
    device: { id: deviceId, serial: serialOf(deviceId), model: simulatedModel, ip: '127.0.0.1' },
    interface: { type: 'vapix', url: managementUrl },
    broker,
    intervalSeconds: Math.max(1, Math.round(naturalIntervalSeconds / timeScale)),
    policy: 'HEAL',
    queueDirectory: 'queue',
    golden: goldenOf(deviceId, broker.url),
  };
}
