import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { unzipSync } from 'fflate';
import { compileCacheFolder } from '../../../tools/build/compile-cache.ts';
import type { ColdStart } from './cold-process.ts';

const names = ['api', 'probes'] as const;
/** Preloaded code: the framework's command listens on every interface, and has no option to listen on loopback only. */
const onLoopback = `
const { Server } = require('node:net');
const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest.filter((argument) => typeof argument === 'function'));
};
`;
const bare = `
require('node:http').createServer((_, response) => response.end('{}')).listen(Number(process.argv[2]), '127.0.0.1');
`;
const empty = `
require('@google-cloud/functions-framework').http('empty', (_, response) => response.send('{}'));
`;

/** Programs to be started cold, in a folder of their own. */
export type ColdFunctions = {
  /** Node's HTTP server in one file of CommonJS. */
  bare: ColdStart;
  /** A function of the framework that does nothing. */
  empty: ColdStart;
  /** A built function as the cloud runs it. Not `isCompiled`: without the compile cache that the platform's build makes. */
  of(
    name: (typeof names)[number],
    asked: Pick<ColdStart, 'path' | 'status' | 'headers'>,
    isCompiled: boolean,
  ): ColdStart;
  /** Whether each function has its own packages, installed by its lockfile as on the platform. Otherwise it uses those of the repository. */
  areInstalled: boolean;
  remove(): void;
};

/**
 * Builds the functions and unpacks their zips. Then it does what the platform's build does: it installs the packages (if `shallInstall`, and
 * a registry is reachable) and runs the script `gcp-build`.
 */
export function buildColdFunctions(issuer: string, firestoreHost: string, shallInstall: boolean): ColdFunctions {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-cold-'));
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('loopback.cjs', onLoopback);
  write('bare.cjs', bare);
  write('empty/index.cjs', empty);
  write('empty/package.json', '{ "main": "index.cjs" }');
  execFileSync(process.execPath, ['tools/build.ts', '--no-console', '--out', join(folder, 'dist')], { stdio: 'pipe' });
  let areInstalled = shallInstall;
  for (const name of names) {
    const files = unzipSync(new Uint8Array(readFileSync(join(folder, `dist/${name}.zip`))));
    for (const [path, bytes] of Object.entries(files)) write(`${name}/${path}`, bytes);
    areInstalled &&= npm(join(folder, name), 'ci', '--quiet', '--no-fund', '--no-audit');
  }
  for (const name of [...names, 'empty']) {
    if (areInstalled && name !== 'empty') continue;
    rmSync(join(folder, name, 'node_modules'), { recursive: true, force: true });
    symlinkSync(resolve('node_modules'), join(folder, name, 'node_modules'));
  }
  for (const name of names) {
    const isCompiled =
      npm(join(folder, name), 'run', 'gcp-build') && existsSync(join(folder, name, compileCacheFolder));
    if (!isCompiled) throw new Error(`the script gcp-build of ${name} left nothing compiled`);
  }
  const args = (name: string) => (port: number) => [
    ...['--require', join(folder, 'loopback.cjs'), join(folder, name, 'node_modules/.bin/functions-framework')],
    ...[`--target=${name}`, `--source=${join(folder, name)}`, `--port=${port}`],
  ];
  const plain = { PATH: process.env['PATH'] };
  return {
    bare: { args: (port) => [join(folder, 'bare.cjs'), String(port)], env: () => plain, path: '/', status: 200 },
    empty: { args: args('empty'), env: () => plain, path: '/', status: 200 },
    of: (name, asked, isCompiled) => ({
      args: args(name),
      env: (port) => ({
        ...plain,
        ...settings(port, issuer, firestoreHost),
        ...(isCompiled ? { NODE_COMPILE_CACHE: join(folder, name, compileCacheFolder) } : {}),
      }),
      ...asked,
    }),
    areInstalled,
    remove: () => {
      // The compile cache is read-only, also its folders.
      spawnSync('chmod', ['-R', 'u+w', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function npm(cwd: string, ...args: string[]): boolean {
  return spawnSync('npm', args, { cwd, stdio: 'ignore' }).status === 0;
}

function settings(port: number, issuer: string, firestoreHost: string): Record<string, string> {
  const own = `http://127.0.0.1:${port}`;
  const key = Buffer.alloc(32).toString('base64');
  return {
    ENVIRONMENT: 'local',
    FIRESTORE_EMULATOR_HOST: firestoreHost,
    TASKS_ENDPOINT: '127.0.0.1:9',
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: 'bench',
    DEADLINE_URL: own,
    DELIVER_URL: own,
    TASKS_ACCOUNT: 'tasks@bench.example',
    AUTH_ISSUER: issuer,
    PAGE_TOKEN_KEY: key,
    DATA_KEYS: `first:${key}`,
    CONSOLE_URL: own,
    MQTT_URL: 'mqtt://127.0.0.1:9',
    FRAMES_BUCKET: 'frames',
    EGRESS_RANGES: '[]',
  };
}
