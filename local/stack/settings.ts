import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { missingForEmulators } from '../cloud/emulators.ts';
import { createSnapshots } from '../cloud/firestore-snapshots.ts';
import { type CertificateFiles, loadSecrets, writeCertificates } from '../cloud/secrets.ts';
import { freePorts, type PortName, type Ports, portNames, portsInUse, portsRefused } from '../machine/ports.ts';
import type { PartsOptions } from './parts.ts';

export type StackOptions = {
  /** Where everything is kept; a temporary folder, removed at the end, if absent. */
  dataDir?: string;
  /** Free ports if absent. */
  ports?: Ports;
  projectId?: string;
  /** Simulated cameras; none if absent. */
  cameras?: number;
  /** Divides every waiting time of the domain. */
  timeScale?: number;
  /** Runs without emulators, on the in-process store; so it does, too, where this machine has no emulators. */
  isEmbedded?: boolean;
  /** How long a dependency that died stays away: 15 s if absent. */
  dependencyRestartMs?: number;
  /** Where the functions find the Firestore emulator, if something stands between: a port of 127.0.0.1. */
  firestoreProxyPort?: number;
  /** Environment of the caller, whose NODE_EXTRA_CA_CERTS and WEBHOOK_ALLOW_HOSTS are honoured; this process's if absent. */
  env?: Record<string, string | undefined>;
  onProgress?(line: string): void;
  onProblem?(line: string): void;
};

/** Where the data of a stack with these options lies; made if it is not there. */
export function dataDirOf({ dataDir }: StackOptions): string {
  const path = resolve(dataDir ?? mkdtempSync(join(tmpdir(), 'watchpost-')));
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * Decides everything that the parts of a stack need to know.
 * @throws Error that names every port in use, or that nobody could call
 */
export async function settleStack(options: StackOptions, dataDir: string): Promise<PartsOptions & CertificateFiles> {
  const env = options.env ?? process.env;
  const projectId = options.projectId ?? 'watchpost-local';
  const ports = options.ports ?? (await freePorts());
  const refused = portsRefused(ports);
  if (refused.length > 0) {
    throw new Error(`Browsers refuse to call port ${refused.join(', ')}. Give another --port-base.`);
  }
  const isEmbedded = options.isEmbedded === true || isWithoutEmulators(env, options);
  const emulated: readonly PortName[] = ['firestore', 'pubsub'];
  const inUse = await portsInUse(
    ports,
    portNames.filter((name) => !isEmbedded || !emulated.includes(name)),
  );
  if (inUse.length > 0) {
    throw new Error(`In use already: port ${inUse.join(', ')}. Stop what listens there, or give --port-base.`);
  }
  // The logs of a run begin with it, so that they stay bounded.
  rmSync(join(dataDir, 'logs'), { recursive: true, force: true });
  mkdirSync(join(dataDir, 'logs'));
  const secrets = loadSecrets(dataDir, new Date());
  const files = writeCertificates(dataDir, secrets, trustedByCaller(env));
  return {
    ...files,
    dataDir,
    env,
    projectId,
    ports,
    firestorePort: options.firestoreProxyPort ?? ports.firestore,
    isEmbedded,
    secrets,
    cameras: options.cameras ?? 0,
    timeScale: options.timeScale ?? 1,
    allowedHosts: env['WEBHOOK_ALLOW_HOSTS'] ?? '',
    snapshots: createSnapshots(join(dataDir, 'firestore'), projectId, `127.0.0.1:${ports.firestore}`),
    childEnvironment: {
      ...env,
      METADATA_SERVER_DETECTION: 'none',
      NODE_EXTRA_CA_CERTS: files.caFile,
      NODE_COMPILE_CACHE: env['NODE_COMPILE_CACHE'] || join(dataDir, 'compile-cache'),
    },
  };
}

function isWithoutEmulators(env: Record<string, string | undefined>, { onProgress }: StackOptions): boolean {
  const missing = missingForEmulators(env);
  if (missing) onProgress?.(`${missing} is missing: the functions run on the in-process store, as with --embedded`);
  return missing !== null;
}

function trustedByCaller(env: Record<string, string | undefined>): string {
  const path = env['NODE_EXTRA_CA_CERTS'];
  return path && existsSync(path) ? `\n${readFileSync(path, 'utf8')}` : '';
}
