import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { handleDue } from '../../shared/app/due/due.ts';
import { sweep } from '../../shared/app/due/sweep.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { msBetween, plus } from '../../shared/domain/time.ts';
import { createPost, mostWithin } from '../support/notify/post.ts';
import { giveTeam, openTestAlert } from '../support/records/alerts.ts';
import { message } from '../support/records/reports.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, type TestWorld } from '../support/world/world.ts';
import { percentile } from './frame/measure.ts';
import { type Bench, type Figure, type Row, rowOf, type Size } from './frame/row.ts';
import { startAlertmanager } from './peers/alertmanager.ts';
import { installPeer } from './peers/install.ts';
import { startSink, targetOf } from './ways/runs.ts';

const sizes: Record<Size, { cameras: number; groups: number; alerts: number }> = {
  tiny: { cameras: 20, groups: 2, alerts: 20 },
  quick: { cameras: 1000, groups: 20, alerts: 200 },
  full: { cameras: 10_000, groups: 200, alerts: 200 },
};
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const contacts = {
  emails: ['ops@example.com'],
  chats: [{ kind: 'slack' as const, url: 'https://hooks.slack.com/services/T/B/x' }],
  phones: ['+46701234567'],
};
/** CONN_001 comes five minutes after the loss. */
/** Nobody sends canaries here: what the broker told is declared without them after 15 minutes. */
const lostSeconds = 900;
const sweepSeconds = 60;

/** P15: what a fleet's loss tells each target, and how late an escalation is whose wake was lost. */
export const measure: Bench = async ({ size, hasPeers }) => {
  const { cameras, groups, alerts } = sizes[size];
  const peer = hasPeers ? await alertmanagerMessages(cameras, groups) : { beside: [], note: '' };
  return [await stormRow(cameras, groups, peer), await latenessRow(alerts)];
};

async function stormRow(cameras: number, groups: number, peer: { beside: Figure[]; note: string }): Promise<Row> {
  const world = createTestWorld(createMemoryStore());
  const post = createPost(world);
  await giveTeam(world, 'operations', contacts);
  const names = Array.from({ length: cameras }, (_, index) => ({
    deviceId: `cam-${index}`,
    group: `g-${index % groups}`,
  }));
  for (const { deviceId, group } of names) await take(world, deviceId, 'status', { groupId: group });
  const connectedAt = world.now();
  for (const status of ['online', 'offline']) {
    for (const { deviceId } of names) await take(world, deviceId, 'connection', { status, connectedAt });
  }
  world.pass(lostSeconds);
  for (const { deviceId } of names) await handleDue(world, 'devices', deviceId);
  await post.pass(70);
  const open = await world.store.count({ in: 'alerts', where: [{ field: 'code', is: '==', value: 'CONN_001' }] });
  if (open !== cameras) throw new Error(`${cameras} cameras were lost and ${open} alerts opened`);
  const each = [...Map.groupBy(post.sent, ({ to }) => to).values()];
  const told = each.map((messages) =>
    messages.reduce((sum, { text }) => sum + Number(/(\d+) alerts? opened/.exec(text)?.[1] ?? 1), 0),
  );
  if (told.some((count) => count !== cameras)) throw new Error(`targets were told of ${told} cameras`);
  const most = mostWithin(post.sent, 61);
  const what = 'messages for each target in the minute of the loss';
  const note = `${cameras} cameras of ${groups} groups go dark: ${post.sent.length} messages to ${each.length} targets tell of every camera${peer.note}`;
  return rowOf({ id: 'P15', what, unit: '', ours: most, beside: peer.beside, goal: 4, note });
}

/** Alerts whose response time ends at any second of the minute, with no alarm that rings: the sweep of each minute finds them. */
async function latenessRow(count: number): Promise<Row> {
  const world = createTestWorld(createMemoryStore());
  const due = new Map<string, string>();
  const seconds = 300;
  const start = world.now();
  const lateness: number[] = [];
  for (let second = 0; lateness.length < count; second += 1) {
    for (; due.size < count && due.size * seconds < second * count; ) {
      due.set(await openTestAlert(world), plus(world.now(), 300_000));
    }
    world.pass(1);
    if (msBetween(start, world.now()) % (sweepSeconds * 1000) !== 0) continue;
    await sweep(world);
    const known = await world.store.find({
      in: 'alerts',
      where: [{ field: 'status', is: '==', value: 'escalated' }],
      limit: 10_000,
    });
    for (const { id } of known) {
      const at = due.get(id);
      if (at) lateness.push(msBetween(at, world.now()) / 1000);
      due.set(id, '');
    }
  }
  const what = 'lateness of an escalation whose wake was lost, p99';
  const note = `${count} alerts, a sweep each minute, by a clock of the test; median ${percentile(lateness, 0.5).toFixed(0)} s`;
  return rowOf({ id: 'P15', what, unit: 's', ours: percentile(lateness, 0.99), goal: 61, note });
}

function take(world: TestWorld, deviceId: string, kind: string, body: object): Promise<void> {
  return takeMessage(world, message(kind, body, { deviceId, publishTime: world.now() }), intake);
}

async function alertmanagerMessages(cameras: number, groups: number): Promise<{ beside: Figure[]; note: string }> {
  const found = installPeer('Alertmanager');
  if ('missing' in found) return { beside: [], note: `; ${found.missing}` };
  const sink = await startSink();
  const target = targetOf(sink, 1);
  const way = await startAlertmanager(found.program, target, 'group');
  try {
    const batch = 500;
    for (let first = 0; first < cameras; first += batch) {
      const alerts = Array.from({ length: Math.min(batch, cameras - first) }, (_, index) => ({
        group: `g-${(first + index) % groups}`,
        camera: `cam-${first + index}`,
        endpoint: target.endpoints[0] ?? '',
      }));
      await way.acceptAll(alerts);
    }
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const { delivered } = await way.ledger();
    const note = `; Alertmanager sent ${delivered} webhooks to its one target, ${way.about}; the later cameras of a group wait for its next interval`;
    return { beside: [{ name: 'Alertmanager', value: delivered }], note };
  } finally {
    await way.stop();
    await sink.stop();
  }
}
