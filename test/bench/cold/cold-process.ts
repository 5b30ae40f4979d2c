import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { freePort } from '../../support/net/free-port.ts';

/** A program that serves HTTP on a port, with the request that is sent to it and the status of a good answer. */
export type ColdStart = {
  /** Arguments of node, given the port. */
  args: (port: number) => string[];
  env: Record<string, string | undefined>;
  request: { method: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: string };
  status: number;
};

/** Time until the first answer, in milliseconds: on the clock, and CPU of all threads (NaN if the system does not report it). */
export type FirstAnswer = { ms: number; cpuMs: number };

const askEveryMs = 2;
/** Time limits of a start and of one request. */
const startMs = 20_000;
const requestMs = 10_000;

/**
 * Starts a process and waits for its first good answer. Always kills the process: with a normal exit it would write its compile cache.
 * @throws Error if the answer has another status, the process ends, or no answer arrives in time
 */
export async function firstAnswer(start: ColdStart): Promise<FirstAnswer> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, start.args(port), { env: start.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  try {
    for (;;) {
      const status = await ask(port, start);
      if (status === start.status) return { ms: performance.now() - startedAt, cpuMs: cpuMs(child.pid) };
      if (status !== null) throw new Error(`${start.request.path} answered ${status}, not ${start.status}: ${output}`);
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`);
      if (performance.now() - startedAt > startMs) throw new Error(`no answer within ${startMs} ms: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    }
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** The status of one answer, after its body was read. Null: nothing listens yet. */
function ask(port: number, { request: { body, ...asked } }: ColdStart): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ...asked, agent: false, timeout: requestMs }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error(`${asked.path} was not answered within ${requestMs} ms`)));
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET') resolve(null);
      else reject(error);
    });
    sent.end(body);
  });
}

function cpuMs(pid: number | undefined): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const ran = (task: string) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    return tasks.reduce((sum, task) => sum + ran(task) / 1e6, 0);
  } catch {
    return Number.NaN;
  }
}
