import { packed } from '../../bridge/forward/pack.ts';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { unzip } from '../../shared/adapters/unzip.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { takePushed } from '../../shared/app/intake/take-pack.ts';
import type { Store } from '../../shared/app/ports.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';
import { unchangedReports } from '../support/records/unchanged-reports.ts';
import { intake } from '../support/world/ways.ts';
import { createTestWorld } from '../support/world/world.ts';
import { type Asked, type Cpu, operationRow, startByTurns, width } from './frame/function-process.ts';
import { median } from './frame/measure.ts';
import { type Platform, startPlatform } from './frame/platform.ts';
import { type Bench, rowOf } from './frame/row.ts';
import { recordSteps, type Step } from './frame/steps.ts';

const sizes = {
  tiny: { count: 20, rounds: 1, devices: 10, entries: 10 },
  quick: { count: 600, rounds: 3, devices: 200, entries: 200 },
  full: { count: 2000, rounds: 7, devices: 400, entries: 200 },
};

/** N1: status reports that change nothing, as Pub/Sub pushes them to `ingest`: one after the other, and in packs of our bridge. */
export const measure: Bench = async ({ size, against }) => {
  const platform = await startPlatform();
  try {
    const { devices, entries, ...plan } = sizes[size];
    const alone = await measured(platform, { ...plan, devices, entries: 1, against });
    // As many devices as there are packs on their way at once: no two of them take the same device.
    const packs = { count: Math.ceil(plan.count / entries), rounds: plan.rounds, devices: width * entries, entries };
    const inPack = await measured(platform, { ...packs, against });
    const row = { id: 'N1', goal: 0.55, moonshot: 0.37 };
    const ratio = median(inPack.ours) / entries / median(alone.ours);
    return [
      operationRow(alone, { ...row, what: 'CPU of a quiet report, forwarded alone' }),
      operationRow(inPack, { ...row, what: `CPU of a pack of ${entries} quiet reports` }),
      rowOf({
        ...row,
        what: 'CPU of a quiet report in a pack, of one alone',
        unit: 'ratio',
        ours: ratio,
        goal: 0.6,
        moonshot: 0.3,
      }),
    ];
  } finally {
    await platform.stop();
  }
};

async function measured(
  platform: Platform,
  {
    devices,
    entries,
    against,
    ...plan
  }: { count: number; rounds: number; devices: number; entries: number; against: string | null },
): Promise<Cpu> {
  const twin = createMemoryStore();
  const { store, taken } = recordSteps(twin);
  const world = { ...createTestWorld(store), now: () => new Date().toISOString() };
  const operations = plan.count * (plan.rounds + 1);
  const minutes = 1 + Math.ceil((operations * entries) / devices);
  // Each device has its own instant within the minute, or after it in a large fleet: none may lie in the future.
  const from = new Date(Date.now() - minutes * 60_000 - devices * 100).toISOString();
  const messages = [...unchangedReports(devices, minutes, from)];
  // Not measured: the first report of each device registers it.
  for (const message of messages.splice(0, devices)) await takeMessage(world, message, intake);
  messages.splice(operations * entries);
  const records = twin.snapshot();
  taken();
  const pushed = entries === 1 ? messages : await packsOf(messages, entries);
  const steps: Step[][] = [];
  for (const message of pushed) {
    await takePushed(world, message, { ...intake, unzip });
    steps.push(taken());
  }
  const turns = await startByTurns(platform, 'ingest', { against });
  try {
    const headers = await platform.callerHeaders();
    const bodies = pushed.map(pushOf);
    const requestOf = (index: number): Asked => ({ method: 'POST', path: '/', headers, body: bodies[index] ?? '' });
    const check = (ours: Store) => requireSeen(ours, twin, devices);
    return await turns.measure({ records, requestOf, status: 204, steps, check }, plan);
  } finally {
    await turns.stop();
  }
}

/** The messages as our bridge packs them. */
async function packsOf(messages: readonly Message[], entries: number): Promise<Message[]> {
  const packs: Message[] = [];
  for (let from = 0; from < messages.length; from += entries) {
    const own = messages.slice(from, from + entries);
    const publishTime = own.at(-1)?.publishTime ?? '';
    const now = Date.parse(publishTime);
    const gathered = own.map((message) => ({
      message: { ...message, orderingKey: '' },
      cameAt: Date.parse(message.publishTime),
    }));
    const { data, attributes } = await packed(gathered, { partition: { partition: 1, of: 1 }, lane: 0, now });
    packs.push({ messageId: `pack-${from}`, publishTime, data, attributes });
  }
  return packs;
}

/** @throws Error unless each device was seen as on the twin, which took the same reports */
async function requireSeen(measured: Store, twin: Store, devices: number): Promise<void> {
  const ids = Array.from({ length: devices }, (_, index) => `cam-${index}`);
  const [ours, wanted] = [await measured.get('devices', ids), await twin.get('devices', ids)];
  for (const [index, device] of wanted.entries()) {
    const [seen, due] = [ours[index]?.data.lastSeenAt, device?.data.lastSeenAt];
    if (seen !== due) throw new Error(`cam-${index} was last seen at ${seen}, not ${due}`);
  }
}

function pushOf({ data, ...message }: Message): string {
  return JSON.stringify({ message: { ...message, data: data.toString('base64') } });
}
