import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitsAt } from '../../shared/domain/limits.ts';
import { scopes } from '../../shared/schema/scopes.ts';
import { accountsOf, addressOf, audience } from '../cloud/environment.ts';
import { startGateway } from '../cloud/gateway/gateway.ts';
import { createIdentityTokens, fetchToken } from '../cloud/identity-tokens.ts';
import { startScheduler } from '../cloud/scheduler.ts';
import type { CertificateFiles } from '../cloud/secrets.ts';
import type { Service } from '../machine/http-server.ts';
import { lockDirectory } from '../machine/lock.ts';
import { boundLogs } from '../machine/logs.ts';
import type { Ports } from '../machine/ports.ts';
import { fleetPart, guardianFolderOf, logFolderOf, type PartsOptions, partsOf } from './parts.ts';
import { type Run, removeRun, writeRun } from './run-file.ts';
import { dataDirOf, type StackOptions, settleStack } from './settings.ts';
import { createSupervisor, type Part, type Supervisor } from './supervisor.ts';

/** A stack that is ready. `kill`, `restart` and `stopPart` accept the names in `run.pids`, except `main`. */
export type Stack = {
  /** The present content of run.json. */
  readonly run: Run;
  readonly dataDir: string;
  readonly ports: Ports;
  /** Kills a part, like a crash. It restarts by itself. */
  kill(name: string): Promise<void>;
  restart(name: string): Promise<void>;
  /** Stops a part properly. It stays stopped until `restart`. */
  stopPart(name: string): Promise<void>;
  stop(): Promise<void>;
};

/** Services in the main process. */
type Inner = { gateway?: Service; scheduler?: Clock; saving?: Clock; logs?: Clock };
type Clock = { stop(): void };
type Settings = PartsOptions & CertificateFiles;

const readyWithinMs = 60_000;
const tokenSeconds = 7 * 86_400;
/** Cloud Scheduler's interval of the sweep. */
const sweepMs = 60_000;
const shortestSweepMs = 1000;
const consoleFolder = join(fileURLToPath(new URL('../..', import.meta.url)), 'console', 'dist');

/**
 * Starts the whole service on this machine and waits until it is ready.
 * @throws Error that names a data directory or port in use, or the part that does not start
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const dataDir = dataDirOf(options);
  const unlock = lockDirectory(dataDir);
  const onProblem = (line: string) => options.onProblem?.(line);
  const onProgress = withSeconds((line) => options.onProgress?.(line));
  let run: Run | null = null;
  const supervisor = createSupervisor({
    dependencyRestartMs: options.dependencyRestartMs ?? 15_000,
    onProblem,
    onChange() {
      if (!run) return;
      Object.assign(run, { pids: pidsOf(supervisor) });
      try {
        writeRun(dataDir, run);
      } catch (error) {
        onProblem(`run.json was not written: ${error instanceof Error ? error.message : error}`);
      }
    },
  });
  const inner: Inner = {};
  let settings: Settings | null = null;
  const stop = async () => {
    run = null;
    removeRun(dataDir);
    if (settings) await stopAll(settings, supervisor, inner, onProblem);
    unlock();
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    settings = await settleStack(options, dataDir);
    inner.logs = boundLogs(logFolderOf(dataDir), onProblem);
    inner.gateway = await openGateway(settings.ports);
    const starting = beginParts(partsOf(settings), supervisor, onProgress);
    const [current] = await Promise.all([
      firstUse(settings, starting),
      ...Object.values(starting),
      untilReady(settings, starting),
    ]);
    const swept = startClocks(settings, inner, onProblem);
    if (settings.cameras > 0) await beginParts({ fleet: fleetPart(settings) }, supervisor, onProgress)['fleet'];
    await swept;
    Object.assign(current, { pids: pidsOf(supervisor) });
    run = current;
    writeRun(dataDir, current);
    const { kill, restart, stop: stopPart } = supervisor;
    return { run: current, dataDir, ports: settings.ports, kill, restart, stopPart, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts all parts concurrently. Each promise settles when its part is ready. */
function beginParts(
  parts: Record<string, Part>,
  supervisor: Supervisor,
  onProgress: (line: string) => void,
): Record<string, Promise<void>> {
  const starting: Record<string, Promise<void>> = {};
  for (const part of Object.values(parts)) {
    const begin = async () => {
      // `push` creates topics and subscriptions, so it waits for the emulator; the bridge connects to the broker.
      if (part.name === 'push') await starting['pubsub'];
      if (part.name === 'bridge') await starting['mqtt'];
      await supervisor.start(part).catch((error: Error) => {
        throw new Error(`${part.name} does not start: ${error.message}`);
      });
      onProgress(`${part.name} is up`);
    };
    starting[part.name] = begin();
  }
  return starting;
}

type Starting = Record<string, Promise<void>>;

/** Requests readiness as soon as its dependencies run, because the first answer loads the checks and takes longer. */
async function untilReady({ ports }: Settings, starting: Starting): Promise<void> {
  await Promise.all(['probes', 'functions', 'firestore', 'mqtt', 'storage', 'issuer'].map((name) => starting[name]));
  await waitUntilOk(`${addressOf(ports, 'gateway')}/ready`, {});
}

/** Information about the stack, after a test of the token. */
async function firstUse(settings: Settings, starting: Starting): Promise<Run> {
  await Promise.all(['api', 'functions', 'firestore', 'issuer'].map((name) => starting[name]));
  const run = await describeRun(settings);
  await waitUntilOk(`${run.baseUrl}/v1/alerts?pageSize=1`, { Authorization: `Bearer ${run.token}` });
  return run;
}

function openGateway(ports: Ports): Promise<Service> {
  const consoleConfig = { issuer: addressOf(ports, 'issuer'), clientId: 'console', audience };
  return startGateway({
    port: ports.gateway,
    apiPort: ports.api,
    probesPort: ports.probes,
    consoleFolder,
    consoleConfig,
  });
}

async function waitUntilOk(url: string, headers: Record<string, string>): Promise<void> {
  let last = '';
  for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; ) {
    const response = await fetch(url, { headers });
    if (response.ok) return void (await response.arrayBuffer());
    last = await response.text();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not answer well within ${readyWithinMs / 1000} s: ${last}`);
}

/** Starts the sweep and, with Firestore, the saving of its data. Resolves after the first sweep. */
function startClocks(settings: Settings, inner: Inner, onProblem: (line: string) => void): Promise<void> {
  const { ports, projectId, timeScale, isEmbedded, snapshots } = settings;
  const deadline = addressOf(ports, 'deadline');
  const everyMs = Math.max(shortestSweepMs, sweepMs / timeScale);
  const tokens = createIdentityTokens(addressOf(ports, 'issuer'));
  const call = { url: `${deadline}/sweep`, audience: deadline, email: accountsOf(projectId).scheduler, everyMs };
  const scheduler = startScheduler(call, tokens, onProblem);
  inner.scheduler = scheduler;
  if (!isEmbedded) inner.saving = snapshots.saveRegularly(notSaved(onProblem));
  return scheduler.first;
}

function notSaved(onProblem: (line: string) => void) {
  return ({ message }: Error) => onProblem(`Firestore's data was not saved: ${message}`);
}

/** Stops the parts that create work first, then those that do it, then those that hold its data. */
async function stopAll(
  { isEmbedded, snapshots }: Settings,
  supervisor: Supervisor,
  { gateway, scheduler, saving, logs }: Inner,
  onProblem: (line: string) => void,
): Promise<void> {
  saving?.stop();
  scheduler?.stop();
  logs?.stop();
  await Promise.all([supervisor.stop('fleet'), gateway?.stop()]);
  await supervisor.stop('bridge');
  await supervisor.stop('mqtt', 'push');
  await supervisor.stop('functions', 'api', 'probes', 'ingest', 'deliver', 'deadline');
  if (!isEmbedded && 'firestore' in supervisor.pids()) await snapshots.save().catch(notSaved(onProblem));
  await supervisor.stop('firestore', 'pubsub', 'tasks', 'storage', 'inbox', 'receiver', 'issuer');
}

async function describeRun(settings: Settings): Promise<Run> {
  const { ports, dataDir, isEmbedded, projectId, timeScale, secrets, ...files } = settings;
  const { caFile, certificateFile, certificateKeyFile } = files;
  const issuer = addressOf(ports, 'issuer');
  const scope = scopes.join(' ');
  return {
    baseUrl: addressOf(ports, 'gateway'),
    mqttUrl: `mqtt://127.0.0.1:${ports.mqtt}`,
    mqttsUrl: `mqtts://127.0.0.1:${ports.mqttTls}`,
    accountsKey: secrets.accountsKey,
    token: await fetchToken(issuer, { audience, subject: 'operator', scope, expiresSeconds: tokenSeconds }),
    issuer,
    firestoreHost: isEmbedded ? null : `127.0.0.1:${ports.firestore}`,
    pubsubHost: isEmbedded ? null : `127.0.0.1:${ports.pubsub}`,
    tasksHost: `127.0.0.1:${ports.tasks}`,
    storageUrl: addressOf(ports, 'storage'),
    inboxUrl: addressOf(ports, 'inbox'),
    chatUrl: `https://localhost:${ports.inboxTls}`,
    receiverUrl: `https://localhost:${ports.receiver}`,
    receiverControlUrl: addressOf(ports, 'receiverControl'),
    projectId,
    caFile,
    certificateFile,
    certificateKeyFile,
    guardianFolder: guardianFolderOf(dataDir),
    timeScale,
    reportPeriodMs: waitsAt(timeScale).reportPeriod,
    isEmbedded,
    pids: {},
  };
}

function pidsOf(supervisor: Supervisor): Record<string, number> {
  return { main: process.pid, ...supervisor.pids() };
}

function withSeconds(report: (line: string) => void): (line: string) => void {
  const startedAt = performance.now();
  return (line) => report(`${line} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}
