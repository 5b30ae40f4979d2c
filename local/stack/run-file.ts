import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, replaceFile } from '../machine/files.ts';

/** Information about a running stack for other programs, in `run.json` of its data directory. */
export type Run = {
  baseUrl: string;
  mqttUrl: string;
  /** The same broker over TLS, with a certificate of the stack's own authority. */
  mqttsUrl: string;
  /** The key from which account passwords of the broker are derived. */
  accountsKey: string;
  /** A bearer token with every scope. */
  token: string;
  issuer: string;
  /** host:port; null in embedded mode. */
  firestoreHost: string | null;
  pubsubHost: string | null;
  tasksHost: string;
  storageUrl: string;
  /** The inbox for mails, chat and text messages: a page, and `/messages` as JSON. */
  inboxUrl: string;
  /** Chat rooms of the inbox: `/chat/{slack|google-chat|teams}/{room}` below it. */
  chatUrl: string;
  /** HTTPS receiver of webhooks, where each path is a separate hook, and the address for reading requests and configuring answers. */
  receiverUrl: string;
  receiverControlUrl: string;
  projectId: string;
  /** Certificates of the stack's authority and of those that the caller trusts. */
  caFile: string;
  /** Certificate and key for https://localhost and https://127.0.0.1, signed by that authority. */
  certificateFile: string;
  certificateKeyFile: string;
  /** The folder of the simulated cameras' guardians, with one folder per device id. */
  guardianFolder: string;
  timeScale: number;
  /** Time between two status reports of a camera, with the time scale applied. */
  reportPeriodMs: number;
  isEmbedded: boolean;
  /** Process ids by name; the main process as `main`. */
  pids: Record<string, number>;
};

const fileName = 'run.json';

export function writeRun(dataDir: string, run: Run): void {
  // The file contains a token.
  replaceFile(join(dataDir, fileName), `${JSON.stringify(run, null, 2)}\n`, 0o600);
}

export function removeRun(dataDir: string): void {
  rmSync(join(dataDir, fileName), { force: true });
}

/**
 * The stack that runs on a data directory.
 * @throws Error with advice if none does
 */
export function readRun(dataDir: string): Run {
  const run = readJsonFile<Run>(join(dataDir, fileName));
  if (!run || !isAlive(run.pids['main'] ?? 0)) {
    throw new Error(`No stack runs on ${dataDir}. Start one with "npm start", or name its folder with --data-dir.`);
  }
  return run;
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
