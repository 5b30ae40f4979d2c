import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, globSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export type EmulatorName = 'firestore' | 'pubsub';

/** An emulator that answers: its address, the process id of its Java, and how it ends. */
export type Emulator = { host: string; pid: number; child: ChildProcess; stop(): Promise<void> };

type Options = {
  port: number;
  /** File that takes what it prints; nowhere by default. */
  logFile?: string;
  /** Metadata file of an export that it starts from (Firestore). */
  seedFrom?: string;
};

const jars: Record<
  EmulatorName,
  { variable: string; sdk: string; cached: string; arguments: (port: number) => string[] }
> = {
  firestore: {
    variable: 'FIRESTORE_EMULATOR_JAR',
    sdk: 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar',
    cached: 'cloud-firestore-emulator-*.jar',
    arguments: (port) => [
      'com.google.cloud.datastore.emulator.firestore.CloudFirestore',
      'start',
      '--host',
      '127.0.0.1',
      '--port',
      `${port}`,
    ],
  },
  pubsub: {
    variable: 'PUBSUB_EMULATOR_JAR',
    sdk: 'platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar',
    cached: 'pubsub-emulator-*/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar',
    arguments: (port) => ['com.google.cloud.pubsub.testing.v1.Main', '--host=127.0.0.1', `--port=${port}`],
  },
};

/** What is missing for the emulators to run here, in a few words; null when nothing is. */
export function missingForEmulators(): string | null {
  if (!runs('java', ['-version'])) return 'Java';
  const missing = (['firestore', 'pubsub'] as const).filter((name) => findJar(name) === null);
  return missing.length === 0 ? null : `the ${missing.join(' and ')} emulator of the Google Cloud SDK`;
}

/** The jar of an emulator: where the environment says, in the Google Cloud SDK that `gcloud` belongs to, or in firebase-tools' cache. */
export function findJar(name: EmulatorName): string | null {
  const { variable, sdk, cached } = jars[name];
  const given = process.env[variable];
  if (given) return existsSync(given) ? given : null;
  const patterns = [...sdkRoots().map((root) => join(root, sdk)), join(homedir(), '.cache/firebase/emulators', cached)];
  for (const pattern of patterns) {
    const found = globSync(pattern).toSorted().at(-1);
    if (found) return found;
  }
  return null;
}

/** Ends Java with its parent: the shell waits on a pipe that closes when the parent is gone, even by kill -9. */
const guard = `exec 3<&0
"$@" </dev/null & java=$!
echo $java
(read -r _ <&3; kill $java) 2>/dev/null & watch=$!
trap 'kill $java' TERM INT
wait $java; code=$?
wait $java 2>/dev/null
kill $watch 2>/dev/null
exit $code`;

/**
 * Starts an emulator by its jar and waits until it answers. The gcloud wrapper would take seconds longer and leave Java behind.
 * @throws Error when there is no jar, or it does not answer within a minute
 */
export async function startEmulator(name: EmulatorName, { port, logFile, seedFrom }: Options): Promise<Emulator> {
  const jar = findJar(name);
  if (!jar)
    throw new Error(`There is no ${name} emulator here: set ${jars[name].variable} or install the Google Cloud SDK's.`);
  const args = [...javaOptions(name), '-cp', jar, ...jars[name].arguments(port)];
  if (seedFrom) args.push('--seed_from_export', seedFrom);
  const child = spawn('sh', ['-c', guard, 'sh', 'java', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.stdout?.once('data', (line) => resolve(Number.parseInt(line, 10)));
  });
  const log = logFile ? createWriteStream(logFile) : null;
  for (const stream of [child.stdout, child.stderr]) {
    if (log) stream?.pipe(log, { end: false });
    else stream?.resume();
  }
  const host = `127.0.0.1:${port}`;
  await untilAnswering(name, host, child);
  return { host, pid, child, stop: () => stop(child) };
}

/** Class data archived by an earlier start makes the next twice as quick; a missing archive is harmless. */
function javaOptions(name: EmulatorName): string[] {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'watchpost');
  mkdirSync(cache, { recursive: true });
  const archive = join(cache, `${name}.jsa`);
  const sharing = existsSync(archive) ? `-XX:SharedArchiveFile=${archive}` : `-XX:ArchiveClassesAtExit=${archive}`;
  return ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m', sharing, '-Xshare:auto', '-Duser.language=en'];
}

async function untilAnswering(name: string, host: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The ${name} emulator ended with code ${child.exitCode}.`);
    const isUp = await fetch(`http://${host}/`, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGTERM');
  throw new Error(`The ${name} emulator did not answer on ${host} within a minute.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function sdkRoots(): string[] {
  try {
    const gcloud = realpathSync(execFileSync('sh', ['-c', 'command -v gcloud'], { encoding: 'utf8' }).trim());
    return [dirname(dirname(gcloud))];
  } catch {
    return [];
  }
}

function runs(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
