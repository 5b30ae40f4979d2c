import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { sweep } from '../../shared/app/due/sweep.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { msBetween, plus } from '../../shared/domain/time.ts';
import { createPost, mostWithin, postOf } from '../support/notify/post.ts';
import { giveTeam, openTestAlert } from '../support/records/alerts.ts';
import { message } from '../support/records/reports.ts';
import { quietFleet } from '../support/simulation/outages.ts';
import { countingStore } from '../support/stores/counting-store.ts';
import { frames } from '../support/world/frames.ts';
import { incidentsOf } from '../support/world/places.ts';
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
  emails: ['ops@example.com', 'night@example.com'],
  chats: [{ kind: 'slack' as const, url: 'https://hooks.slack.com/services/T/B/x' }],
  phones: ['+46701234567'],
};
const sweepSeconds = 60;
const mostInMinute = 4;

/** P15: messages to each target when a fleet is lost, and the lateness of an escalation whose wake was lost. P17: cost of notifying an alert. */
export const measure: Bench = async ({ size, hasPeers }) => {
  const { cameras, groups, alerts } = sizes[size];
  const peer = hasPeers ? await alertmanagerMessages(cameras, groups) : { beside: [], note: '' };
  return [
    await stormRow(cameras, groups, peer),
    await outageRow(cameras, groups),
    await latenessRow(alerts),
    await costRow(cameras, groups),
  ];
};

/** Every camera has its own alert, because no expired certificate belongs to an outage. Nobody acknowledges. */
async function stormRow(cameras: number, groups: number, peer: { beside: Figure[]; note: string }): Promise<Row> {
  const world = createTestWorld(createMemoryStore());
  await giveTeam(world, 'operations', contacts);
  await giveTeam(world, 'night', { emails: ['boss@example.com'], phones: ['+46707654321'] });
  const post = await expiredFleet(world, cameras, groups, async () => {});
  const notified = [...Map.groupBy(post.sent, ({ to }) => to).values()].map((messages) =>
    messages.reduce((sum, { text }) => sum + Number(/(\d+) alerts? opened/.exec(text)?.[1] ?? 1), 0),
  );
  if (notified.length !== 4 || notified.some((count) => count !== cameras))
    throw new Error(`targets were notified of ${notified} cameras`);
  const inMinute = post.sent.length;
  await post.pass(45 * 60);
  const targets = new Set(post.sent.map(({ to }) => to)).size;
  const what = 'messages for each target and minute, every camera an alert by itself';
  const note = `${cameras} cameras of ${groups} groups: ${inMinute} messages to 4 targets tell of every camera, ${post.sent.length} to ${targets} in 46 minutes that nobody answers${peer.note}`;
  const ours = mostWithin(post.sent, 60);
  return rowOf({ id: 'P15', what, unit: '', ours, beside: peer.beside, goal: mostInMinute, note });
}

/** The same loss with sweeps, from the loss to the end of its outages: the service finds one outage in each group. */
async function outageRow(cameras: number, groups: number): Promise<Row> {
  const fleet = Array.from({ length: cameras }, (_, index) => {
    const place = `g-${index % groups}`;
    return { deviceId: `cam-${index}`, groupId: place, site: place, parents: [] };
  });
  const { world, ways } = await quietFleet(fleet);
  await giveTeam(world, 'operations', contacts);
  await giveTeam(world, 'night', { emails: ['boss@example.com'], phones: ['+46707654321'] });
  const post = postOf(world);
  post.sent.length = 0;
  const live = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      await post.pass(60);
      await ways.sweep();
    }
  };
  for (const { deviceId } of fleet) await ways.lose(deviceId);
  await live(45);
  const open = (await incidentsOf(world)).filter(({ isOpen }) => isOpen).length;
  for (const { deviceId } of fleet) await ways.connect(deviceId);
  await live(20);
  const incidents = await incidentsOf(world);
  const left = incidents.filter(({ isOpen }) => isOpen).length;
  if (open !== groups || left > 0) throw new Error(`${groups} groups were lost: ${open} outages, ${left} at the end`);
  const targets = new Set(post.sent.map(({ to }) => to)).size;
  const what = 'messages for each target and minute of an outage, from the loss to its end';
  const note = `${cameras} cameras of ${groups} groups, ${incidents.length} outages: ${post.sent.length} messages to ${targets} targets in 65 minutes that nobody answers`;
  return rowOf({ id: 'P15', what, unit: '', ours: mostWithin(post.sent, 60), goal: mostInMinute, note });
}

/** Reads and writes that notifications add to an alert, at three sizes of the storm: counted with contacts, minus those without. */
async function costRow(cameras: number, groups: number): Promise<Row> {
  const costOf = async (count: number): Promise<Figure> => {
    const [notified, silent] = [
      await spentOf(count, Math.min(groups, count), true),
      await spentOf(count, Math.min(groups, count), false),
    ];
    return { name: `${count.toLocaleString('en')} alerts`, value: (notified - silent) / count };
  };
  const beside = [await costOf(Math.ceil(cameras / 10)), await costOf(Math.ceil(cameras / 100))];
  const { value: ours } = await costOf(cameras);
  const what = 'store operations of telling for each alert of a storm';
  const note = `${cameras} alerts, 4 targets; reads and writes, with contacts less without`;
  return rowOf({ id: 'P17', what, unit: '', ours, beside, goal: 1, goalOf: 'ratio', note });
}

async function spentOf(cameras: number, groups: number, hasContacts: boolean): Promise<number> {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  if (hasContacts) await giveTeam(world, 'operations', contacts);
  await expiredFleet(world, cameras, groups, async () => reset());
  return spent.reads + spent.writes;
}

/** The certificates of all cameras expire together, and people are notified. @param begin called before the first alert opens */
async function expiredFleet(world: TestWorld, cameras: number, groups: number, begin: () => Promise<void>) {
  const post = createPost(world);
  const names = Array.from({ length: cameras }, (_, index) => ({
    deviceId: `cam-${index}`,
    group: `g-${index % groups}`,
  }));
  for (const { deviceId, group } of names) await take(world, deviceId, 'status', { groupId: group });
  world.pass(60);
  await begin();
  const certificate = { valid: true, notAfter: plus(world.now(), -60_000) };
  for (const { deviceId } of names) await take(world, deviceId, 'status', { certificate });
  await post.pass(70);
  const open = await world.store.count({ in: 'alerts', where: [{ field: 'severity', is: '==', value: 'CRITICAL' }] });
  if (open !== cameras) throw new Error(`certificates of ${cameras} cameras expired and ${open} alerts opened`);
  return post;
}

/** Alerts whose response time ends at any second of the minute. Their wakes are lost, so the sweep of each minute finds them. */
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
