import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { missingForEmulators } from '../cloud/emulators.ts';
import { accountsOf } from '../cloud/environment.ts';
import { createSnapshots } from '../cloud/firestore-snapshots.ts';
import { type CertificateFiles, loadSecrets, writeAccount, writeCertificates } from '../cloud/secrets.ts';
import { beginLogs } from '../machine/logs.ts';
import { freePorts, type Ports, portNames, portsInUse, portsRefused } from '../machine/ports.ts';
import { logFolderOf, type PartsOptions } from './parts.ts';

export type StackOptions = {
  /** The data directory. Default: a temporary folder, removed at the end. */
  dataDir?: string;
  /** Default: free ports. */
  ports?: Ports;
  projectId?: string;
  /** Number of simulated cameras. Default: none. */
  cameras?: number;
  /** Divides every waiting time of the domain. */
  timeScale?: number;
  /** Runs without emulators, on the in-process store. This is also the case if the machine has no emulators. */
  isEmbedded?: boolean;
  /** The most memory that the Firestore emulator takes, in GiB. Default: that of `startEmulator`. */
  firestoreGib?: number;
  /** How long a dependency that ended stays away. Default: 15 s. */
  dependencyRestartMs?: number;
  /** Ports of 127.0.0.1 of proxies between functions and dependencies. */
  between?: Partial<Ports>;
  /** Further environment of one part, by its name. */
  environmentOf?(part: string): Record<string, string>;
  /** A folder with the built functions, unpacked, to run in place of their source. */
  builtFolder?: string;
  /** Environment of the caller, with NODE_EXTRA_CA_CERTS and WEBHOOK_ALLOW_HOSTS. Default: that of this process. */
  env?: Record<string, string | undefined>;
  onProgress?(line: string): void;
  onProblem?(line: string): void;
};

/** The data directory for these options. It is created if it is missing. */
export function dataDirOf({ dataDir }: StackOptions): string {
  const path = resolve(dataDir ?? mkdtempSync(join(tmpdir(), 'watchpost-')));
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * Decides all options of the parts of a stack, and writes the files that they need: secrets, certificates, credentials.
 * @throws Error that names every port that is in use, or that clients refuse
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
  const inUse = await portsInUse(
    ports,
    portNames.filter((name) => !isEmbedded || name !== 'firestore'),
  );
  if (inUse.length > 0) {
    throw new Error(`In use already: port ${inUse.join(', ')}. Stop what listens there, or give --port-base.`);
  }
  beginLogs(logFolderOf(dataDir));
  const secrets = loadSecrets(dataDir, new Date());
  const files = writeCertificates(dataDir, secrets, trustedByCaller(env));
  return {
    ...files,
    accountFile: writeAccount(dataDir, accountsOf(projectId).functions, secrets),
    dataDir,
    env,
    projectId,
    ports,
    between: options.between ?? {},
    builtFolder: options.builtFolder ?? null,
    environmentOf: options.environmentOf ?? (() => ({})),
    isEmbedded,
    ...(options.firestoreGib === undefined ? {} : { firestoreGib: options.firestoreGib }),
    secrets,
    cameras: options.cameras ?? 0,
    timeScale: options.timeScale ?? 1,
    allowedHosts: env['WEBHOOK_ALLOW_HOSTS'] ?? '',
    snapshots: createSnapshots(join(dataDir, 'firestore'), projectId, `127.0.0.1:${ports.firestore}`),
    childEnvironment: {
      ...env,
      NODE_ENV: 'production',
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
