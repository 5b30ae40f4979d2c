import { expect, test, vi } from 'vitest';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import type { PlaceCount } from '../../../shared/domain/incident/scope.ts';
import { ana } from '../../support/records/alerts.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { type Hung, hiddenTopology, type Sizes, type TrueFault } from '../../support/simulation/topology.ts';
import { answerWakes, livingFleet } from '../../support/world/living-fleet.ts';
import { incidentsOf } from '../../support/world/places.ts';
import { createRandom } from '../../support/world/random.ts';
import { openAlerts } from '../../support/world/ways.ts';
import type { TestWorld } from '../../support/world/world.ts';

const planted = vi.hoisted(() => ({ isIn: false }));
// A bug that can be switched on: the widest place that has a dark camera is blamed.
vi.mock(import('../../../shared/domain/incident/scope.ts'), async (load) => {
  const real = await load();
  const inferScope = <P extends PlaceCount>(places: readonly P[]): P | null =>
    planted.isIn ? (places.toSorted((a, b) => b.total - a.total)[0] ?? null) : real.inferScope(places);
  return { ...real, inferScope };
});

const small: Sizes = { providers: 2, sites: 6, switches: 3, cameras: 6, faults: 8 };
const full: Sizes = { providers: 5, sites: 60, switches: 7, cameras: 25, faults: 500 };
const sizes = process.env['FAULT_SIZE'] === 'full' ? full : small;

/** What the operator was told of one fault. */
type Outcome = {
  fault: TrueFault;
  scopes: string[];
  opened: number;
  ended: number;
  hidden: string[];
  securityTold: boolean;
};

/** Cameras that report on change only, so that a quiet minute of theirs costs nothing. */
async function quietFleet(fleet: readonly Hung[]) {
  const byId = new Map(fleet.map((hung) => [hung.deviceId, hung]));
  const where = (deviceId: string) => byId.get(deviceId) as Hung;
  const living = await livingFleet([...byId.keys()], where);
  const devices = await living.world.store.find({ in: 'devices', limit: 100_000 });
  for (const { id, data, revision } of devices) {
    const reporting = { periodSeconds: 0 };
    const patience = { silenceSeconds: null, lossSeconds: 300, periodSeconds: 0 };
    const quiet = { ...data, reporting, patience, silentAt: null, darkAt: null };
    await living.world.store.commit([{ kind: 'replace', in: 'devices', id, data: quiet, revision }]);
  }
  await living.world.store.commit([
    { kind: 'accrue', in: 'settings', id: 'settings', set: { reporting: { periodSeconds: 0 } }, add: {} },
    { kind: 'accrue', in: 'revisions', id: 'configuration', set: {}, add: { count: 1 } },
  ]);
  return living;
}

async function told(world: TestWorld): Promise<Map<string, string>> {
  const found = await world.store.find({ in: 'deliveries', limit: 100_000 });
  return new Map(
    found.flatMap(({ id, data }) => (data.channel === 'email' ? [[id, JSON.parse(data.body).subject ?? '']] : [])),
  );
}

/** Plays one fault from its beginning to minutes after its end. `shuffle`: messages come twice and in any order. */
async function play(
  living: Awaited<ReturnType<typeof quietFleet>>,
  fault: TrueFault,
  shuffle: number | null,
): Promise<Outcome> {
  const { world, ways, live } = living;
  const [before, known] = [await told(world), new Set((await incidentsOf(world)).map(({ incidentId }) => incidentId))];
  const random = createRandom(shuffle ?? 0);
  const inOrder = (devices: readonly string[]) =>
    shuffle === null ? [...devices] : random.shuffledWithin([...devices, ...devices], 2 * devices.length);
  world.pass(1);
  for (const deviceId of inOrder([...fault.cameras, ...fault.alone])) await ways.lose(deviceId);
  await live(9, []);
  const stays = fault.cameras.length > 4 ? (fault.cameras[0] ?? '') : '';
  const attacked = fault.cameras[1] ?? fault.cameras[0] ?? '';
  await ways.say(attacked, {
    kind: 'event',
    body: { type: 'unauthorized_broker_attempt', timestamp: world.now(), attemptedHost: 'evil.example' },
  });
  await answerWakes(world);
  for (const deviceId of inOrder(
    [...fault.cameras, ...fault.alone].filter((each) => each !== stays && each !== attacked),
  )) {
    await ways.report(deviceId);
  }
  await ways.report(attacked);
  await live(8, []);
  const hidden = (await openAlerts(world)).flatMap(({ isFolded, deviceId }) => (isFolded ? [deviceId] : []));
  if (stays) await ways.report(stays);
  await live(3, []);
  const lines = [...(await told(world))].flatMap(([id, subject]) => (before.has(id) ? [] : [subject]));
  const fresh = (await incidentsOf(world)).filter(({ incidentId }) => !known.has(incidentId));
  for (const { alertId } of await openAlerts(world)) await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  return {
    fault,
    scopes: fresh.map(({ scope }) => `${scope.kind} ${scope.id}`).toSorted(),
    opened: lines.filter((line) => /^\[CRITICAL\] Outage/.test(line)).length,
    ended: lines.filter((line) => /Over: Outage/.test(line)).length,
    hidden,
    securityTold: lines.some((line) => line.includes('Unauthorized broker connection attempt')),
  };
}

async function run(seed: number, of: Sizes, shuffle: number | null = null): Promise<Outcome[]> {
  const { fleet, failing } = hiddenTopology(seed, of);
  const living = await quietFleet(fleet);
  const outcomes: Outcome[] = [];
  for (const [index, fault] of failing.entries()) {
    outcomes.push(await play(living, fault, shuffle === null ? null : shuffle + index));
    await living.live(1, []);
    living.world.pass(3600);
    await living.live(2, []);
  }
  return outcomes;
}

/** How many of the scopes that were named are true, and how many of the true ones were named. */
function judge(outcomes: readonly Outcome[]) {
  const large = ({ fault }: Outcome) => fault.cameras.length >= 5;
  const right = outcomes.filter(
    (each) => large(each) && each.scopes.some((scope) => each.fault.names.includes(scope)),
  ).length;
  const named = outcomes.reduce(
    (sum, each) => sum + (large(each) || each.fault.kind === 'camera' ? each.scopes.length : 0),
    0,
  );
  return { precision: named === 0 ? 0 : right / named, recall: right / outcomes.filter(large).length };
}

test('outages of a hidden topology are named, told once each, and hide nothing', async () => {
  const outcomes = await run(7, sizes);
  const { precision, recall } = judge(outcomes);
  const large = outcomes.filter(({ fault }) => fault.cameras.length >= 5);
  const wrong = large.filter(({ opened, ended }) => opened !== 1 || ended !== 1);
  const hidden = outcomes.filter((each) => each.hidden.length > 0);
  const folded = outcomes.filter(({ securityTold }) => !securityTold);
  ledger('R13', `outages named, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`, {
    tried: outcomes.length,
    lost: hidden.length + folded.length,
    wrong: precision < 0.98 || recall < 0.95 ? 1 : 0,
    doubled: wrong.length,
  });
  expect(precision).toBeGreaterThanOrEqual(0.98);
  expect(recall).toBeGreaterThanOrEqual(0.95);
  expect(wrong).toEqual([]);
  expect(hidden).toEqual([]);
  expect(folded).toEqual([]);
}, 7_200_000);

test('for any order and number of copies the same is named', async () => {
  const of = { ...small, faults: sizeOf(3, 40) };
  const [plain, shuffled] = [await run(11, of), await run(11, of, 100)];
  const shown = (outcomes: Outcome[]) => outcomes.map(({ scopes, opened, ended }) => ({ scopes, opened, ended }));
  expect(shown(shuffled)).toEqual(shown(plain));
}, 600_000);

test('a bug that is planted in the inference is found', async () => {
  planted.isIn = true;
  try {
    const { precision, recall } = judge(await run(7, { ...small, faults: 4 }));
    expect(Math.min(precision, recall)).toBeLessThan(0.95);
  } finally {
    planted.isIn = false;
  }
});
