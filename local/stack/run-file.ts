import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, replaceFile } from '../machine/files.ts';

/** What a running stack tells other programs, in `run.json` of its data directory. */
export type Run = {
  baseUrl: string;
  mqttUrl: string;
  /** The same broker with TLS, by a certificate of the stack's own authority. */
  mqttsUrl: string;
  /** Makes the password of each account of the broker. */
  accountsKey: string;
  /** A bearer token with every scope. */
  token: string;
  issuer: string;
  /** host:port; null in embedded mode. */
  firestoreHost: string | null;
  pubsubHost: string | null;
  tasksHost: string;
  storageUrl: string;
  /** Where mails, chat and text messages arrive: a page, and `/messages` as JSON. */
  inboxUrl: string;
  /** Chat rooms of the inbox: `/chat/{slack|google-chat|teams}/{room}` below it. */
  chatUrl: string;
  /** HTTPS receiver of webhooks, where each path is a hook of its own; and where what came in can be read, and the receiver be told how to answer. */
  receiverUrl: string;
  receiverControlUrl: string;
  projectId: string;
  /** Certificate authority of the stack, and what the caller trusts beside it. */
  caFile: string;
  /** Certificate and key for https://localhost and https://127.0.0.1, signed by that authority. */
  certificateFile: string;
  certificateKeyFile: string;
  /** Where the guardians of simulated cameras keep their files, each in a folder by its device id. */
  guardianFolder: string;
  timeScale: number;
  /** How often a camera reports, divided by the time scale. */
  reportPeriodMs: number;
  isEmbedded: boolean;
  /** Process ids by name; the main process as `main`. */
  pids: Record<string, number>;
};

const fileName = 'run.json';

export function writeRun(dataDir: string, run: Run): void {
  // It holds a token.
  replaceFile(join(dataDir, fileName), `${JSON.stringify(run, null, 2)}\n`, 0o600);
}

export function removeRun(dataDir: string): void {
  rmSync(join(dataDir, fileName), { force: true });
}

/**
 * The stack that runs on a data directory.
 * @throws Error that says what to do where none does
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
