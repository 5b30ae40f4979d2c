// Hosts `api` under the functions framework. Its store reports lost cameras without holding them in memory. Sends its port to the parent process, and
// its memory usage on request. Argument: COUNT.
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { memoryStore } from '../../../shared/adapters/memory/store.ts';
import { type Position, positionAt, timeOf } from '../../../shared/app/commit-order.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Kind, Store, Stored } from '../../../shared/app/ports.ts';
import { uuidOf } from '../records/alerts.ts';
import { message } from '../records/reports.ts';
import { intake } from '../world/ways.ts';
import { createTestWorld } from '../world/world.ts';

/** Losses per second, as many as 64 shards handle. */
const perSecond = 3456;
const count = Number(process.argv[2]);
const world = createTestWorld();
await takeMessage(world, message('status', { memory: { usedPercent: 95 } }, { deviceId: 'model' }), intake);
const [alert] = await world.store.find({ in: 'alerts', limit: 1 });
const [entry] = await world.store.find({ in: 'audit', limit: 1 });
if (!alert || !entry) throw new Error('no model');

let startedAt: number | null = null;
let notified = 0;
const startMs = Date.now();
/** The position of a lost camera: losses are committed one microsecond after another. */
const positionOf = (index: number): Position =>
  `${timeOf(positionAt(new Date(startMs + 1000 + Math.floor(index / 1000)).toISOString())).slice(0, -4)}${String(index % 1000).padStart(3, '0')}Z~${idOf(index)}`;
const idOf = (index: number) => `${uuidOf(index + 1)}-000001`;
const ownOf = (index: number) => ({
  alertId: uuidOf(index + 1),
  deviceId: `cam-${index}`,
  groupId: `g-${index % 400}`,
  timestamp: new Date().toISOString(),
});
const indexOf = (alertId: string) => Number.parseInt(alertId.slice(-12), 16) - 1;

/** Creates records when they are read, because in the cloud they are not in the memory of `api`. */
const far = {
  async tail({ in: kind, after, limit }: Parameters<Store['tail']>[0]) {
    const end = after ?? positionAt(new Date(startMs).toISOString());
    if (kind !== 'audit' || after === null || startedAt === null) return { found: [], ahead: [], end };
    const due = Math.min(count, Math.floor(((Date.now() - startedAt) / 1000) * perSecond));
    const from = notified;
    notified = Math.min(due, from + limit);
    const found = Array.from({ length: notified - from }, (_, place) => {
      const [index, { alertId, deviceId, groupId, timestamp: at }] = [from + place, ownOf(from + place)];
      const data = {
        ...structuredClone(entry.data),
        alertId,
        deviceId,
        groupId,
        at,
        recordedAt: at,
        entryId: idOf(index),
      };
      return { id: idOf(index), revision: index, data, position: positionOf(index) };
    });
    return { found, ahead: [], end: found.at(-1)?.position ?? end };
  },
  async get(kind: Kind, ids: readonly string[]) {
    if (kind !== 'alerts') return inner.get(kind, ids);
    return ids.map((id) => ({ id, revision: 1, data: { ...structuredClone(alert.data), ...ownOf(indexOf(id)) } }));
  },
} as unknown as Pick<Store, 'tail'> & { get(kind: Kind, ids: readonly string[]): Promise<(Stored<Kind> | null)[]> };
const inner = { ...memoryStore };
Object.assign(memoryStore, far);

await import('../../../functions/api/index.ts');
const server = getTestServer('api');
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
process.on('message', (question: 'lose' | 'look') => {
  if (question === 'lose') startedAt = Date.now();
  const mib = (bytes: number) => Math.round(bytes / 1024 ** 2);
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({
    notified,
    nowMiB: mib(rss),
    heapMiB: mib(heapUsed),
    mostMiB: mib(process.resourceUsage().maxRSS * 1024),
  });
});
