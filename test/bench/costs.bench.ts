import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { eventRecord } from '../../shared/domain/event/event.ts';
import type { Operations } from '../../tools/cost/operations.ts';
import { dollarsPerMillion } from '../../tools/cost/per-million.ts';
import { pricedOn } from '../../tools/cost/prices.ts';
import { alertOf, giveTeam } from '../support/records/alerts.ts';
import { endpoint, giveWebhook, storeDelivery, success } from '../support/records/deliveries.ts';
import { message } from '../support/records/reports.ts';
import { unchangedReports } from '../support/records/unchanged-reports.ts';
import { countingStore, type Spent } from '../support/stores/counting-store.ts';
import { startTestApi } from '../support/world/api.ts';
import { intake } from '../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';
import { countTrips } from './frame/trips.ts';

const devices = 500;
const minutes = 20;
const deliveries = 1000;

/** Operations of a naive implementation, for each report and each delivery. */
const naiveReport = { reads: 1, writes: 3, deletes: 1, tasks: 0 };
const naiveDelivery = { reads: 2, writes: 3, deletes: 1, tasks: 1 };

/** P1, P2 and N6: operations, prices and round trips. They are counted, not timed, so each size gives the same. */
export const measure: Bench = async () => {
  const report = await countReports();
  const delivery = await countDeliveries();
  const total = ({ reads, writes, deletes }: Operations) => reads + writes + deletes;
  const asReport = { requests: 1, messageKib: 1 };
  const asDelivery = { requests: 1, messageKib: 0 };
  const priced = `list prices of ${pricedOn}; CPU, storage and traffic left out of both`;
  const counted: Row = rowOf({
    id: 'P1',
    what: 'Firestore operations for each unchanged report',
    unit: '',
    ours: total(report),
    beside: [{ name: 'naive', value: total(naiveReport) }],
    goal: 1.5,
    moonshot: 0.1,
    note: `${devices * minutes} reports of ${devices} devices: ${textOf(report)} each`,
  });
  if (report.reads > 1 || report.writes > 0.5 || report.deletes > 0) counted.isMet = false;
  return [
    counted,
    rowOf({
      id: 'P2',
      what: 'dollars for a million unchanged reports',
      unit: '$',
      ours: dollarsPerMillion(report, asReport),
      beside: [{ name: 'naive', value: dollarsPerMillion(naiveReport, asReport) }],
      goal: 1,
      moonshot: 0.6,
      note: priced,
    }),
    rowOf({
      id: 'P2',
      what: 'dollars for a million deliveries',
      unit: '$',
      ours: dollarsPerMillion(delivery, asDelivery),
      beside: [{ name: 'naive', value: dollarsPerMillion(naiveDelivery, asDelivery) }],
      goal: 2.8,
      moonshot: 2.2,
      note: `${textOf(delivery)} each, its record and that of its event made and ended included; ${priced}`,
    }),
    ...(await tripRows()),
  ];
};

/** N6: round trips to the store in a row, from the request or message to the answer. */
async function tripRows(): Promise<Row[]> {
  const { store, trips } = countTrips(createMemoryStore());
  const world = createTestWorld(store);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await giveWebhook(world);
  const say = async (deviceId: string, usedPercent: number) => {
    const body = { groupId: 'north', memory: { usedPercent } };
    await takeMessage(world, message('status', body, { deviceId, publishTime: world.now() }), intake);
  };
  const tripsOf = async (act: () => Promise<unknown>) => {
    const before = trips.count;
    await act();
    return trips.count - before;
  };
  for (const deviceId of ['cam-1', 'cam-2']) await say(deviceId, 20);
  // The process has a copy of the settings, older than a minute.
  world.pass(120);
  const stale = await tripsOf(() => say('cam-1', 95));
  const fresh = await tripsOf(() => say('cam-2', 95));
  const [alert] = await store.find({ in: 'alerts', limit: 1 });
  if (!alert || (await store.count({ in: 'alerts' })) !== 2) throw new Error('the reports opened no alerts');
  const api = await startTestApi(world);
  const acknowledge = await tripsOf(() => api.call('POST', `/v1/alerts/${alert.id}/acknowledge`));
  await api.stop();
  if ((await alertOf(world, alert.id)).status !== 'acknowledged') throw new Error('the alert was not acknowledged');
  const row = (what: string, ours: number, goal: number, note: string | null = null) =>
    rowOf({ id: 'N6', what: `${what}: trips to the store in a row`, unit: '', ours, goal, note });
  return [
    row('acknowledge', acknowledge, 2),
    row('opening report', stale, 3, `${fresh} where the copy of the settings is of the last minute`),
  ];
}

async function countReports(): Promise<Operations> {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  // Not counted: the first report of each device registers it, and reads whether it was removed before.
  const reports = [...unchangedReports(devices, minutes + 1)];
  for (const report of reports.splice(0, devices)) await takeMessage(world, report, intake);
  reset();
  for (const report of reports) await takeMessage(world, report, intake);
  return eachOf(spent, devices * minutes);
}

/** Deliveries to 20 endpoints that accept them. */
async function countDeliveries(): Promise<Operations> {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  const dispatcher = createDispatcher(world, { webhook: { send: async () => success } }, () => 0);
  const endpoints = Array.from({ length: 20 }, (_, index) => {
    return endpoint({ webhookId: `11111111-1111-4111-8111-${String(index).padStart(12, '0')}` });
  });
  for (const each of endpoints) {
    await dispatcher.attempt((await storeDelivery(store, 'first', each)).deliveryId, each.webhookId);
  }
  reset();
  for (let index = 0; index < deliveries; index += 1) {
    const to = endpoints[index % endpoints.length];
    const eventId = `event-${index}`;
    const notified = { type: 'detection', eventId, at: startOfTests, deviceId: 'cam-1', body: '{}' };
    const data = eventRecord({ ...notified, groups: ['north'], isWhole: true });
    await store.commit([{ kind: 'create', in: 'events', id: data.recordId, data }]);
    const { deliveryId, webhookId } = await storeDelivery(store, eventId, to, startOfTests, data.recordId);
    // Not counted: `storeDelivery`, which is part of the test, reads the endpoint.
    spent.reads -= 1;
    if ((await dispatcher.attempt(deliveryId, webhookId)) !== 'delivered')
      throw new Error(`${deliveryId} was not delivered`);
  }
  return { ...eachOf(spent, deliveries), tasks: 1 };
}

function eachOf({ reads, writes, deletes, tasks }: Spent, units: number): Operations {
  return { reads: reads / units, writes: writes / units, deletes: deletes / units, tasks: tasks / units };
}

function textOf({ reads, writes, deletes }: Operations): string {
  return `${reads} read, ${writes} write, ${deletes} delete`;
}
