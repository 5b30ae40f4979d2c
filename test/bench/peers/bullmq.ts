import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/net/free-port.ts';
import { concurrency, type Target, type Way } from '../ways/way.ts';
import { peerFolder, requirePeer } from './install.ts';
import { createPoster, startServer } from './server.ts';

/** The part of the package that is used. */
type BullMq = {
  Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: object): Promise<unknown>;
    getJobCounts(): Promise<Record<string, number>>;
    close(): Promise<void>;
  };
  Worker: new (
    name: string,
    work: (job: { data: Job }) => Promise<object>,
    options: object,
  ) => { close(force: boolean): Promise<void>; on(event: 'error', listener: () => void): void };
};
type Job = { event: string; endpoint: string };

/**
 * BullMQ on a Redis that writes every command to disk before it answers. The record of an attempt is what a job returns, or why it failed: BullMQ
 * keeps it with the job.
 */
export async function startBullMq(redis: string, target: Target): Promise<Way> {
  const data = mkdtempSync(join(peerFolder('redis'), 'data-'));
  const port = await freePort();
  const log = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', data, ...log];
  const server = await startServer(redis, args, port, join(data, 'log'));
  const { Queue, Worker } = requirePeer<BullMq>('bullmq');
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const poster = createPoster(target);
  const queue = new Queue('deliveries', { connection });
  const post = ({ data: { event, endpoint } }: { data: Job }) => poster.post(event, endpoint);
  const worker = new Worker('deliveries', post, { connection, concurrency });
  worker.on('error', () => {});
  return {
    name: 'BullMQ',
    about: `one queue, ${concurrency} at a time, on disk before it is kept; our guard and signatures; no filter, feed or fairness`,
    accept: async (event, endpoint) => void (await queue.add('post', { event, endpoint })),
    async onTheWay() {
      const counts = await queue.getJobCounts();
      return (
        (counts['waiting'] ?? 0) + (counts['active'] ?? 0) + (counts['delayed'] ?? 0) + (counts['prioritized'] ?? 0)
      );
    },
    async ledger() {
      const { completed = 0, failed = 0, paused = 0, ...rest } = await queue.getJobCounts();
      return { delivered: completed, failed, held: paused, waiting: Object.values(rest).reduce((a, b) => a + b, 0) };
    },
    othersCpuMs: server.cpuMs,
    async stop() {
      await worker.close(true);
      await queue.close();
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
