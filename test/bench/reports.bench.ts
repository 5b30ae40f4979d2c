import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Store } from '../../shared/app/ports.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';
import { unchangedReports } from '../support/records/unchanged-reports.ts';
import { intake } from '../support/world/ways.ts';
import { createTestWorld } from '../support/world/world.ts';
import { type Asked, operationRow, startByTurns } from './frame/function-process.ts';
import { startPlatform } from './frame/platform.ts';
import type { Bench } from './frame/row.ts';
import { recordSteps, type Step } from './frame/steps.ts';

const sizes = {
  tiny: { count: 20, rounds: 1, devices: 10 },
  quick: { count: 600, rounds: 3, devices: 200 },
  full: { count: 2000, rounds: 7, devices: 500 },
};

/** N1: status reports that change nothing, one after the other, as Pub/Sub pushes them to `ingest`. */
export const measure: Bench = async ({ size, against }) => {
  const { devices, ...plan } = sizes[size];
  const twin = createMemoryStore();
  const { store, taken } = recordSteps(twin);
  const world = { ...createTestWorld(store), now: () => new Date().toISOString() };
  const operations = plan.count * (plan.rounds + 1);
  const minutes = 1 + Math.ceil(operations / devices);
  const from = new Date(Date.now() - minutes * 60_000).toISOString();
  const messages = [...unchangedReports(devices, minutes, from)];
  // Not measured: the first report of each device registers it.
  for (const message of messages.splice(0, devices)) await takeMessage(world, message, intake);
  messages.splice(operations);
  const records = twin.snapshot();
  taken();
  const steps: Step[][] = [];
  for (const message of messages) {
    await takeMessage(world, message, intake);
    steps.push(taken());
  }
  const platform = await startPlatform();
  const turns = await startByTurns(platform, 'ingest', { against });
  try {
    const headers = await platform.callerHeaders();
    const bodies = messages.map(pushOf);
    const requestOf = (index: number): Asked => ({ method: 'POST', path: '/', headers, body: bodies[index] ?? '' });
    const check = (measured: Store) => requireSeen(measured, twin, devices);
    const cpu = await turns.measure({ records, requestOf, status: 204, steps, check }, plan);
    const what = 'CPU of a quiet report, forwarded alone';
    return [operationRow(cpu, { id: 'N1', what, goal: 0.55, moonshot: 0.37 })];
  } finally {
    await turns.stop();
    await platform.stop();
  }
};

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
