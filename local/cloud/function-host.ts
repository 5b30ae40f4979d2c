import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { memoryStore } from '../../shared/adapters/memory/store.ts';
import { replaceFile } from '../machine/files.ts';
import type { Service } from '../machine/http-server.ts';
import type { FunctionName } from './environment.ts';

export type FunctionsConfig = {
  functions: Array<{ name: FunctionName; port: number; environment: Record<string, string> }>;
  /** The file in which the in-process store is kept between runs. Null where the functions use Firestore. */
  snapshotFile: string | null;
  /** A folder with the built functions, unpacked, each in a folder of its name. Null: they run from their source. */
  builtFolder: string | null;
};

const saveEveryMs = 5000;
/** How long requests may continue after the stop. */
const patienceMs = 3000;

/** Runs functions under the functions framework, on 127.0.0.1 (its own command listens on every interface). */
export async function startFunctions(config: FunctionsConfig): Promise<{ stop(): Promise<void> }> {
  const snapshot = config.snapshotFile === null ? null : keepSnapshot(config.snapshotFile);
  const running: Service[] = [];
  for (const { name, port, environment } of config.functions) {
    // A function reads its settings when it is loaded. Functions in one process each get their own.
    Object.assign(process.env, environment);
    await import(
      config.builtFolder ? `${config.builtFolder}/${name}/lib/index.cjs` : `../../functions/${name}/index.ts`
    );
    running.push(await listen(name, port));
  }
  return {
    stop: async () => {
      await Promise.all(running.map(({ stop }) => stop()));
      snapshot?.stop();
    },
  };
}

async function listen(name: string, port: number): Promise<Service> {
  const server = getTestServer(name);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), patienceMs).unref();
      }),
  };
}

/** Loads the in-process store, and saves it every 5 s and at the end where it has changed. */
function keepSnapshot(path: string): { stop(): void } {
  if (existsSync(path)) memoryStore.restore(readFileSync(path, 'utf8'));
  let saved = memoryStore.snapshot();
  const save = () => {
    const text = memoryStore.snapshot();
    if (text === saved) return;
    replaceFile(path, text);
    saved = text;
  };
  const timer = setInterval(save, saveEveryMs).unref();
  return {
    stop() {
      clearInterval(timer);
      save();
    },
  };
}
