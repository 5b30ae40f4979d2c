import { Pool } from 'undici';
import type { Hosted, Question } from '../programs/function-program.ts';
import { percentile } from './measure.ts';
import { type Program, startProgram } from './program.ts';

export type Asked = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string };
/** CPU of the server for each request, in µs, and the 99th percentile of the answers' times, in ms. */
export type Load = { cpuUs: number; p99Ms: number };

export type Server = {
  program: Program<{ port: number }>;
  /** Sends requests, `width` at a time. @throws Error if an answer has another status */
  load(count: number, width: number, status: number, requestOf: (index: number) => Asked): Promise<Load>;
  /** The body of one good answer. */
  read(asked: Asked): Promise<string>;
  stop(): Promise<void>;
};

/** Starts a function, or a floor, in its own process. */
export async function startServer(hosted: Hosted, environment: Record<string, string> = {}): Promise<Server> {
  const program = await startProgram<{ port: number }>('function', hosted, environment);
  const pool = new Pool(`http://127.0.0.1:${program.ready.port}`, { connections: 16, pipelining: 1 });
  const cpu = async () => {
    const { user, system } = await program.ask<NodeJS.CpuUsage>({ kind: 'cpu' } satisfies Question);
    return user + system;
  };
  return {
    program,
    async load(count, width, status, requestOf) {
      const times: number[] = [];
      let next = 0;
      const lane = async () => {
        while (next < count) {
          next += 1;
          const startedAt = performance.now();
          const { statusCode, body } = await pool.request(requestOf(next - 1));
          const text = await body.text();
          times.push(performance.now() - startedAt);
          if (statusCode !== status) throw new Error(`${hosted} answered ${statusCode}: ${text.slice(0, 300)}`);
        }
      };
      const before = await cpu();
      await Promise.all(Array.from({ length: width }, lane));
      return { cpuUs: ((await cpu()) - before) / count, p99Ms: percentile(times, 0.99) };
    },
    async read(asked) {
      return (await pool.request(asked)).body.text();
    },
    async stop() {
      await pool.destroy();
      await program.stop();
    },
  };
}

/** The settings of a function, with an issuer at this URL. Nothing answers at the address of Cloud Tasks. */
export function environmentOf(issuer: string): Record<string, string> {
  return {
    ENVIRONMENT: 'local',
    STORE: 'memory',
    GOOGLE_CLOUD_PROJECT: 'bench',
    TASKS_ENDPOINT: '127.0.0.1:9',
    TASKS_ACCOUNT: 'tasks@bench.example',
    DEADLINE_URL: 'http://127.0.0.1:9',
    DELIVER_URL: 'http://127.0.0.1:9',
    CALLER_ISSUER: issuer,
    CALLER_KEYS_URL: `${issuer}/jwks`,
    CALLER_AUDIENCE: 'watchpost',
    CALLERS: 'push@bench.example',
    AUTH_ISSUER: issuer,
    AUTH_GROUPS: 'optional',
    // One bearer sends all requests.
    REQUESTS_PER_MINUTE: '1000000',
    PAGE_TOKEN_KEY: Buffer.alloc(32, 1).toString('base64'),
    DATA_KEYS: `k1:${Buffer.alloc(32, 2).toString('base64')}`,
    CONSOLE_URL: 'https://console.example.com',
    FRAMES_BUCKET: 'frames',
  };
}
