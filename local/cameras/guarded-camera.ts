import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeyFile } from '../../device/guardian/identity/identity.ts';
import type { Log } from '../../device/guardian/process/log.ts';
import { startGuardian } from '../../device/guardian/run.ts';
import { readSettings, type Settings } from '../../device/guardian/settings/settings.ts';
import { passwordOf } from '../cloud/secrets.ts';
import { replaceFile } from '../machine/files.ts';
import { lockDirectory } from '../machine/lock.ts';
import { type Camera, type CameraOptions, createCamera } from './camera.ts';
import { goldenOf, goldenParameters, leadsTo } from './camera-settings.ts';
import { serialOf, simulatedModel } from './camera-state.ts';
import { startVapixServer } from './device/vapix-server.ts';
import { enrolGuardian, type ServiceAddress } from './enrolment.ts';

export type GuardianOptions = {
  /** The folder in which each guardian has its own folder with its configuration and queue. */
  folder: string;
  /** False: only writes its configuration file and registers its key, for a guardian that runs elsewhere. */
  isRunning: boolean;
  log: Log;
  /** The service at which the guardian is enrolled before it starts. Null: it has no key and publishes as its camera. */
  service?: ServiceAddress | null;
};

/** A simulated camera with its management interface, and the configuration file and environment for its guardian. */
export type GuardedCamera = Camera & {
  readonly guardianFile: string;
  readonly guardianEnvironment: Readonly<Record<string, string>>;
};

/** Account of every simulated camera's management interface, which listens on the loopback address only. */
const managementAccount = { username: 'root', password: 'simulated' };

/** The contract's interval of comparison, in seconds. */
const naturalIntervalSeconds = 30;
const naturalHealthSeconds = 300;

/**
 * Starts the management interface of a camera and the guardian for it. The camera's link follows the configuration: while that names
 * another broker, the camera is disconnected.
 * @throws Error where another process runs a camera with this id on the same data directory
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
  const { service = null } = guardian;
  if (service) makeKeyFile(join(folder, keyFile));
  const file = {
    ...guardianFileOf(options, management.url, guardianFile),
    ...(service ? { identity: { keyFile } } : {}),
  };
  replaceFile(guardianFile, `${JSON.stringify(file, null, 2)}\n`);
  const guardianEnvironment = environmentOf(options, service !== null);
  const running = beginGuardian(readSettings(guardianFile, guardianEnvironment), guardian);
  return {
    ...created,
    guardianFile,
    guardianEnvironment,
    async stop() {
      await running.stop();
      await Promise.all([management.close(), created.stop()]);
      unlock();
    },
  };
}

/** Enrols first, because the service rejects messages that are signed with an unknown key. */
function beginGuardian(
  settings: Settings,
  { log, isRunning, service = null }: GuardianOptions,
): { stop(): Promise<void> } {
  let isWanted = true;
  const enrolled = service ? enrolGuardian(settings, service, () => isWanted) : null;
  const start = () => (isRunning ? startGuardian(settings, log) : null);
  let running = enrolled ? null : start();
  const started = enrolled?.then(() => {
    if (isWanted) running = start();
  });
  return {
    async stop() {
      isWanted = false;
      await started;
      await running?.stop();
    },
  };
}

const keyFile = 'guardian-key.pem';

/** The guardian's environment. Without a key it publishes as its camera, so it has the camera's account. */
function environmentOf({ deviceId, broker }: CameraOptions, hasKey: boolean): Record<string, string> {
  const user = hasKey ? `guardian-${deviceId}` : deviceId;
  return {
    GUARDIAN_USERNAME: managementAccount.username,
    GUARDIAN_PASSWORD: managementAccount.password,
    GUARDIAN_BROKER_USERNAME: user,
    GUARDIAN_BROKER_PASSWORD: passwordOf(broker.accountsKey, user),
  };
}

/**
 * The content of the guardian's configuration file. The time scale shortens only two intervals: checks to no less than
 * 1 s, health messages to no less than 10 s.
 */
function guardianFileOf({ deviceId, broker, timeScale }: CameraOptions, managementUrl: string, guardianFile: string) {
  const golden = goldenOf(deviceId, broker.url);
  return {
    device: { id: deviceId, serial: serialOf(deviceId), model: simulatedModel, ip: '127.0.0.1' },
    interface: { type: 'vapix', url: managementUrl },
    broker: { url: broker.url, caFile: broker.caFile },
    intervalSeconds: Math.max(1, Math.round(naturalIntervalSeconds / timeScale)),
    healthIntervalSeconds: Math.max(10, Math.round(naturalHealthSeconds / timeScale)),
    policy: 'HEAL',
    queueDirectory: 'queue',
    golden: { ...golden, generation: generationOf(guardianFile, golden) },
  };
}

/**
 * The generation of the previous run, or the next one if the configuration has changed (e.g. the broker's port),
 * because the same generation with other content is refused.
 */
function generationOf(guardianFile: string, { generation, configuration }: ReturnType<typeof goldenOf>): number {
  if (!existsSync(guardianFile)) return generation;
  const { golden } = JSON.parse(readFileSync(guardianFile, 'utf8')) as { golden: ReturnType<typeof goldenOf> };
  return JSON.stringify(golden.configuration) === JSON.stringify(configuration)
    ? golden.generation
    : golden.generation + 1;
}
