import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { unzipSync } from 'fflate';
import { freePort } from '../net/free-port.ts';
import { issuerSetting } from '../world/issuer.ts';

/** A function under the framework's own command, as in the cloud. */
export type Started = {
  call: (path: string, init?: RequestInit) => Promise<Response>;
  /** Its output so far: logs and errors. */
  output: () => string;
  stop: () => void;
};

/** Runs the build, without the console, into a folder. */
export function buildInto(out: string, env: NodeJS.ProcessEnv = {}): void {
  const args = ['tools/build.ts', '--no-console', '--out', out];
  execFileSync(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
}

export function contentOf(zip: string): Record<string, Uint8Array> {
  return unzipSync(new Uint8Array(readFileSync(zip)));
}

/** Extracts a zip into a folder, and links the repository's packages there. */
export function unpack(zip: string, source: string): void {
  for (const [path, bytes] of Object.entries(contentOf(zip))) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), bytes);
  }
  rmSync(join(source, 'node_modules'), { force: true });
  symlinkSync(resolve('node_modules'), join(source, 'node_modules'));
}

/**
 * Starts the extracted function.
 * @throws Error when it ends instead
 */
export async function startUnpacked(name: string, source: string, given: NodeJS.ProcessEnv = {}): Promise<Started> {
  const port = await freePort();
  const command = join(source, 'node_modules/.bin/functions-framework');
  const args = ['--import', onLoopback, command, `--target=${name}`, `--source=${source}`, `--port=${port}`];
  const child = spawn(process.execPath, args, {
    env: { ...functionSettings(port), ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((ready, fail) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      if (/Serving function|URL: http/.test(output)) ready();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', (code) => fail(new Error(`${name} ended with ${code}: ${output}`)));
  });
  return {
    call: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    output: () => output,
    stop: () => child.kill('SIGKILL'),
  };
}

/** A preloaded module: the framework's command listens on every interface and has no option to change that. */
const onLoopback = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (port, ...rest) {
    return listen.call(this, port, '127.0.0.1', ...rest.filter((argument) => typeof argument === 'function'));
  };
`)}`;

/** The settings of a function on its own, without anything that it could call. */
export function functionSettings(port: number) {
  const own = `http://127.0.0.1:${port}`;
  const key = Buffer.alloc(32).toString('base64');
  return {
    PATH: process.env['PATH'],
    ENVIRONMENT: 'local',
    STORE: 'memory',
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: 'watchpost-build',
    DEADLINE_URL: own,
    DELIVER_URL: own,
    TASKS_ACCOUNT: 'tasks@watchpost-build.iam.gserviceaccount.com',
    CALLER_ISSUER: own,
    CALLER_KEYS_URL: `${own}/keys`,
    CALLER_AUDIENCE: own,
    AUTH_ISSUERS: issuerSetting({ issuer: own }),
    PAGE_TOKEN_KEYS: `first:${key}`,
    DATA_KEYS: `first:${key}`,
    CONSOLE_URL: own,
    MQTT_URL: 'mqtt://127.0.0.1:1',
    FRAMES_BUCKET: 'frames',
    EGRESS_RANGES: '[]',
  };
}
