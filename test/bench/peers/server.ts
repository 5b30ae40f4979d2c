import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Agent } from 'undici';
import { spawnGuarded } from '../../../local/machine/guarded-process.ts';
import type { Target } from '../ways/way.ts';

export type PeerServer = { port: number; cpuMs(): number; stop(): Promise<void> };

const readyMs = 20_000;
/** One tick of CPU time in `/proc`: USER_HZ is 100 on the architectures that we use. */
const tickMs = 10;

/** Starts a peer's program and waits until it listens on 127.0.0.1. The program ends when this process ends, even if that is killed. */
export async function startServer(program: string, args: string[], port: number, logFile: string): Promise<PeerServer> {
  const { pid, stop, exited } = await spawnGuarded(program, args, logFile);
  let words: string | null = null;
  void exited.then(({ lastWords }) => {
    words = lastWords;
  });
  for (const end = performance.now() + readyMs; !(await listens(port)); ) {
    if (words !== null) throw new Error(`${program} ended: ${words}`);
    if (performance.now() > end) {
      await stop();
      throw new Error(`${program} does not listen after ${readyMs} ms (${logFile})`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, cpuMs: () => cpuMs(pid), stop };
}

/** CPU time of a process and its children, in milliseconds. */
function cpuMs(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []));
  return all
    .filter((each) => each.pid === pid || each.parent === pid)
    .reduce((sum, each) => sum + each.ticks * tickMs, 0);
}

function statOf(pid: string): { pid: number; parent: number; ticks: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Makes the request of a job: that of our deliveries, without their headers. `post` throws an Error unless the answer is 2xx in time. */
export function createPoster({ port, certificate, timeoutSeconds }: Target) {
  const agent = new Agent({ pipelining: 1, allowH2: false, connect: { ca: certificate } });
  return {
    async post(endpoint: string, body: string): Promise<void> {
      const response = await agent.request({
        origin: `https://localhost:${port}`,
        path: `/${endpoint}`,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      });
      await response.body.text();
      if (response.statusCode >= 300) throw new Error(`answered ${response.statusCode}`);
    },
    close: () => agent.destroy(),
  };
}
