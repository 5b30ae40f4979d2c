import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type GuardedProcess, spawnGuarded } from '../machine/guarded-process.ts';

export type EmulatorName = 'firestore' | 'pubsub';

/** A running emulator. `host` is host:port. */
export type Emulator = { host: string } & GuardedProcess;

export type EmulatorOptions = {
  port: number;
  /** Firestore only: the `.overall_export_metadata` file of an export to begin with. */
  seedFile?: string;
  /**
   * The most memory of its heap, in GiB. Absent: 2. The Firestore emulator holds all data in memory, and old versions
   * for a while: with 0.5 GiB it does nothing but collect garbage after twenty busy minutes.
   */
  heapGib?: number;
  /** The file for its output. Absent: no output is kept. */
  logFile?: string;
};

type Environment = Record<string, string | undefined>;

const kinds: Record<EmulatorName, { title: string; variable: string; jar: RegExp; sdkFolder: string }> = {
  firestore: {
    title: 'Firestore emulator',
    variable: 'FIRESTORE_EMULATOR_JAR',
    jar: /^cloud-firestore-emulator.*\.jar$/,
    sdkFolder: 'cloud-firestore-emulator',
  },
  pubsub: {
    title: 'Pub/Sub emulator',
    variable: 'PUBSUB_EMULATOR_JAR',
    jar: /^cloud-pubsub-emulator-.*-all\.jar$/,
    sdkFolder: 'pubsub-emulator/lib',
  },
};

/**
 * Flags for a quick start, with only the quick compiler and the simplest garbage collector, and for one line of log for each event: the
 * emulators log a stack trace, up to 9 kB, whenever a commit meets a newer version or a stream is closed.
 */
const jvmFlags = [
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-Duser.language=en',
  '-Djava.util.logging.SimpleFormatter.format=%1$tFT%1$tT %4$s %5$s%n',
];

/** What this machine lacks to run Google's emulators, as text. Null: nothing. */
export function missingForEmulators(env: Environment = process.env): string | null {
  if (process.platform === 'win32') return 'a Unix shell';
  if (!findJava(env)) return 'Java';
  const missing = Object.values(kinds).find((kind) => !findJar(kind, env));
  return missing ? `the ${missing.title}` : null;
}

/**
 * Starts an emulator on 127.0.0.1 and waits until it answers. It ends with this process, however this process ends.
 * @throws Error when it is not installed or does not start
 */
export async function startEmulator(
  name: EmulatorName,
  options: EmulatorOptions,
  env: Environment = process.env,
): Promise<Emulator> {
  const java = findJava(env);
  const jar = findJar(kinds[name], env);
  if (!java || !jar) throw new Error(`The ${kinds[name].title} cannot start: ${missingForEmulators(env)} is missing.`);
  const archive = classArchive(name, java, jar);
  const command = [
    ...jvmFlags,
    `-Xmx${options.heapGib ?? 2}g`,
    ...archive.flags,
    ...emulatorArguments(name, jar, options),
  ];
  const guarded = await spawnGuarded(java, command, options.logFile ?? null, env);
  void guarded.exited.then(archive.keep);
  const host = `127.0.0.1:${options.port}`;
  await waitUntilReady(kinds[name].title, host, guarded);
  return { host, ...guarded };
}

function emulatorArguments(name: EmulatorName, jar: string, { port, seedFile }: EmulatorOptions): string[] {
  if (name === 'pubsub') return ['-jar', jar, '--host=127.0.0.1', `--port=${port}`];
  const main = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
  const seed = seedFile === undefined ? [] : ['--seed_from_export', seedFile];
  return ['-cp', jar, main, 'start', '--host', '127.0.0.1', '--port', String(port), ...seed];
}

function findJava(env: Environment): string | null {
  const folders = [
    ...(env['JAVA_HOME'] ? [join(env['JAVA_HOME'], 'bin')] : []),
    ...(env['PATH'] ?? '').split(delimiter),
  ];
  return folders.map((folder) => join(folder, 'java')).find(isExecutable) ?? null;
}

function findJar({ variable, jar, sdkFolder }: (typeof kinds)[EmulatorName], env: Environment): string | null {
  const named = env[variable];
  if (named) return existsSync(named) ? named : null;
  const sdk = findSdk(env);
  const folders = [...(sdk ? [join(sdk, 'platform', sdkFolder)] : []), join(homedir(), '.cache/firebase/emulators')];
  for (const folder of folders.filter((path) => existsSync(path))) {
    // The newest version by name: firebase-tools caches several.
    const found = readdirSync(folder)
      .filter((file) => jar.test(file))
      .sort()
      .at(-1);
    if (found) return join(folder, found);
  }
  return null;
}

/** The Cloud SDK is two folders above the real path of `gcloud`. */
function findSdk(env: Environment): string | null {
  const gcloud = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'gcloud'))
    .find(isExecutable);
  return gcloud ? dirname(dirname(realpathSync(gcloud))) : null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Flags that read the archive of loaded classes, or write it at the end of the first run: it reduces a start from 1.7 s
 * to 0.6 s. The archive belongs to this Java and this jar; a missing one is harmless.
 */
function classArchive(name: string, java: string, jar: string): { flags: string[]; keep(): void } {
  const folder = join(homedir(), '.cache/watchpost');
  const identity = [java, jar].map((path) => `${realpathSync(path)} ${statSync(path).mtimeMs} ${statSync(path).size}`);
  const file = join(folder, `${name}-${createHash('sha256').update(identity.join()).digest('hex').slice(0, 12)}.jsa`);
  if (existsSync(file)) return { flags: [`-XX:SharedArchiveFile=${file}`], keep: () => {} };
  mkdirSync(folder, { recursive: true });
  const fresh = `${file}.${process.pid}`;
  return {
    flags: [`-XX:ArchiveClassesAtExit=${fresh}`],
    keep: () => {
      if (existsSync(fresh)) renameSync(fresh, file);
    },
  };
}

async function waitUntilReady(title: string, host: string, { exited, stop }: GuardedProcess): Promise<void> {
  let ended: string | null = null;
  void exited.then(({ lastWords }) => {
    ended = lastWords;
  });
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    if (ended !== null) throw new Error(`The ${title} ended while it started: ${ended}`);
    const isReady = await fetch(`http://${host}/`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop();
  throw new Error(`The ${title} did not answer on ${host} within 60 s.`);
}
