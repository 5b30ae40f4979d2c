import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../support/net/free-port.ts';
import { concurrency, type Ledger, type Target, type Way } from '../ways/way.ts';
import { requirePeer } from './install.ts';
import { createPoster, startServer } from './server.ts';

/** The parts of the packages that are used. */
type Graphile = {
  run(options: object): Promise<{
    addJob(task: string, payload: Job, options: object): Promise<unknown>;
    stop(): Promise<void>;
  }>;
  Logger: new (factory: () => () => void) => unknown;
};
type Pg = {
  Pool: new (
    options: object,
  ) => {
    query(text: string): Promise<{ rows: Record<string, string>[] }>;
    end(): Promise<void>;
    on(event: 'error', listener: () => void): void;
  };
};
type Job = { event: string; endpoint: string };
type Helpers = { query(text: string, values: unknown[]): Promise<unknown> };

/** graphile-worker on a PostgreSQL with default settings: every job and every attempt is on disk before it counts. */
export async function startGraphileWorker(initdb: string, target: Target): Promise<Way> {
  const { server, data, connectionString } = await startPostgres(initdb);
  const { run, Logger } = requirePeer<Graphile>('graphile-worker');
  const pool = new (requirePeer<Pg>('pg').Pool)({ connectionString, max: 1 });
  pool.on('error', () => {});
  const poster = createPoster(target);
  const counts = { accepted: 0, delivered: 0, failed: 0 };
  await pool.query('create table attempts (id bigserial primary key, attempt jsonb not null)');
  const post = async ({ event, endpoint }: Job, { query }: Helpers) => {
    try {
      const attempt = await poster.post(event, endpoint);
      await query('insert into attempts (attempt) values ($1)', [JSON.stringify(attempt)]);
      counts.delivered += 1;
    } catch (error) {
      counts.failed += 1;
      throw error;
    }
  };
  const options = {
    connectionString,
    maxPoolSize: 12,
    concurrency,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
  };
  const runner = await run({ ...options, taskList: { post } });
  return {
    name: 'graphile-worker',
    about: `${concurrency} at a time, on disk before it is kept; our guard and signatures; no filter, feed or fairness`,
    async accept(event, endpoint) {
      counts.accepted += 1;
      await runner.addJob('post', { event, endpoint }, { maxAttempts: 1 });
    },
    onTheWay: async () => counts.accepted - counts.delivered - counts.failed,
    async ledger(): Promise<Ledger> {
      // Finished jobs are deleted, so only the worker can count them.
      const { rows } = await pool.query(
        'select count(*) filter (where attempts >= max_attempts and locked_at is null) as failed, count(*) filter (where attempts < max_attempts or locked_at is not null) as waiting from graphile_worker.jobs',
      );
      return {
        delivered: counts.delivered,
        failed: Number(rows[0]?.['failed']),
        held: 0,
        waiting: Number(rows[0]?.['waiting']),
      };
    },
    othersCpuMs: server.cpuMs,
    async stop() {
      await Promise.race([runner.stop(), new Promise((resolve) => setTimeout(resolve, 5000))]);
      await pool.end().catch(() => {});
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. If we are root, it runs under the account of its package. */
async function startPostgres(initdb: string) {
  const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
  const data = mkdtempSync(join(tmpdir(), 'watchpost-postgres-'));
  chmodSync(data, 0o700);
  if (account) chownSync(data, account.uid, account.gid);
  const port = await freePort();
  execFileSync(initdb, ['-D', join(data, 'db'), '-U', 'bench', '--auth=trust', '-E', 'UTF8', '--no-sync'], {
    ...account,
    stdio: 'ignore',
  });
  const args = ['-D', join(data, 'db'), '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', data];
  const postgres = join(dirname(initdb), 'postgres');
  const asAccount = account
    ? ['setpriv', [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', postgres, ...args]]
    : [postgres, args];
  const server = await startServer(
    ...(asAccount as [string, string[]]),
    port,
    join(tmpdir(), `watchpost-postgres-${port}.log`),
  );
  const connectionString = `postgres://bench@127.0.0.1:${port}/postgres`;
  return { server, data, connectionString };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
}
