import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { describe, expect, inject, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { isSliced, sliceField } from '../../shared/adapters/slices.ts';
import { positionAt } from '../../shared/app/commit-order.ts';
import { handleDue } from '../../shared/app/due/due.ts';
import { sweep } from '../../shared/app/due/sweep.ts';
import { createChangeStream } from '../../shared/app/fleet/change-stream.ts';
import { actOnIncident } from '../../shared/app/incidents/actions.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { keepLedger } from '../../shared/app/ledger/append.ts';
import { trailOfDevice, trailOfService } from '../../shared/app/ledger/trail.ts';
import { createWindow } from '../../shared/app/maintenance/windows.ts';
import { digestFacts } from '../../shared/app/messages/digest-facts.ts';
import { countDark, darknessOf } from '../../shared/app/outages/load.ts';
import type { Store, Write } from '../../shared/app/ports.ts';
import { recordRestore, settleRestore } from '../../shared/app/restored/restore.ts';
import { seedAlert } from '../../shared/domain/alert/alert.ts';
import { newDevice } from '../../shared/domain/device/device.ts';
import { groupPlace } from '../../shared/domain/outage/scopes.ts';
import { placeIdOf } from '../../shared/domain/place/place.ts';
import { plus } from '../../shared/domain/time.ts';
import { isFleetWide, type Route } from '../../shared/schema/route.ts';
import { routes } from '../../shared/schema/routes.ts';
import { type Field, type Index, inWords, isServed, type Needed } from '../../tools/indexes/served.ts';
import { createTestObjects, origin, testKey } from '../support/ledger/objects.ts';
import { createPost } from '../support/notify/post.ts';
import { ana, giveTeam, openTestAlert, uuidOf } from '../support/records/alerts.ts';
import { failure, success } from '../support/records/deliveries.ts';
import { detection } from '../support/records/detections.ts';
import { giveIncident } from '../support/records/incidents.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { type Asked, recording } from '../support/stores/recording-store.ts';
import { emulatorProjects } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { shareCauses } from '../support/world/common-causes.ts';
import { frames } from '../support/world/frames.ts';
import { behind, hangs, livingFleet } from '../support/world/living-fleet.ts';
import { incidentsOf } from '../support/world/places.ts';
import { seal } from '../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../support/world/world.ts';

const ledger = { objects: createTestObjects(), origin, keys: [testKey] };
/** The routes of the ledger need a log and a valid time range, so `askLedger` calls them. */
const isOfLedger = ({ path }: Route) => /^\/v1\/(ledger|reports)\//.test(path);
const missing = missingForEmulators();

/** Indexes for queries of the next release, as `inWords` writes them. With that release the list must be empty again. */
const aheadOfQueries: string[] = [];
const isAhead = ({ collectionGroup, fields }: Index, ahead: string[]) =>
  ahead.includes(inWords({ collection: collectionGroup, fields }));

/** Whether an index takes part in serving a query. */
function isHelped({ collection, fields }: Needed, index: Index): boolean {
  const named = fields.filter(({ fieldPath }) => fieldPath !== '__name__');
  const prefix = index.fields.slice(0, -1).map(({ fieldPath }) => fieldPath);
  const ends = JSON.stringify(named.at(-1)) === JSON.stringify(index.fields.at(-1));
  return (
    collection === index.collectionGroup &&
    ends &&
    prefix.every((field) => named.some(({ fieldPath }) => fieldPath === field))
  );
}

/** One value that a query parameter takes, read from its schema. */
function sampleOf(
  schema: TSchema & { enum?: string[]; items?: TSchema; examples?: string[]; type?: string; format?: string },
): string {
  if (schema.items) return sampleOf(schema.items);
  if (schema.enum) return schema.enum[0] ?? '';
  if (schema.format === 'date-time') return '2026-11-20T10:00:00Z';
  if (schema.type === 'boolean') return 'true';
  return schema.examples?.[0] ?? (schema.type === 'integer' ? '1' : 'a');
}

type Override = { collectionGroup: string; fieldPath: string; indexes: unknown[] };

/** Fields that a query reads in single-field indexes which are switched off. Those with an equality and an order need a composite one. */
function switchedOff({ in: collection, where = [], orderBy = [] }: Asked, overrides: Override[]): string[] {
  const equal = where
    .concat(isSliced({ in: collection, where, orderBy }) ? [{ field: sliceField as never, is: 'in', value: [] }] : [])
    .filter(({ is }) => is === '==' || is === 'in' || is === 'array-contains')
    .map(({ field }) => field);
  const ordered = [
    ...where.filter(({ field }) => !equal.includes(field)).map(({ field }) => field),
    ...orderBy.map(([field]) => field),
  ];
  const single = equal.length > 0 && ordered.length > 0 ? [] : [...equal, ...ordered];
  const isOff = (field: string) =>
    overrides.some(
      ({ collectionGroup, fieldPath, indexes }) =>
        collectionGroup === collection && fieldPath === field && indexes.length === 0,
    );
  return single.filter(isOff).map((field) => `${collection}: ${field}`);
}

function shapeOf({ in: collection, where = [], orderBy }: Asked): string {
  return JSON.stringify([collection, where.map(({ field, is }) => [field, is]), orderBy]);
}

/** Two phones are not reached for a quarter of an hour. */
async function letPhonesFail(world: TestWorld): Promise<void> {
  let answer = failure;
  const post = createPost(world, ({ channel }) => (channel === 'sms' ? answer : success));
  await giveTeam(world, 'operations', { phones: ['+46700000001', '+46700000002'] });
  for (const seconds of [900, 60]) {
    await openTestAlert(world, { code: 'SEC_001' });
    await openTestAlert(world, { code: 'SEC_001' });
    await post.pass(seconds);
    answer = success;
  }
}

/** Files of use cases that query the store. */
function askingFiles(): string[] {
  const files = readdirSync('shared/app', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.filter((file) => /\.(find|count)\(\{/.test(readFileSync(`shared/app/${file}`, 'utf8')));
}

describe.skipIf(missing)('firestore.indexes.json', () => {
  const connect = emulatorProjects();

  /** Creates a record of each kind from which queries start. */
  async function populate(api: Awaited<ReturnType<typeof startTestApi>>): Promise<Record<string, string>> {
    const { world } = api;
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
    const url = 'https://hooks.example.com/';
    const made = await api.call('POST', '/v1/webhooks', {
      body: { url, filter: { groups: ['north'] }, sequenced: true },
    });
    const anHourOn = { ...world, now: () => plus(world.now(), 3_600_000) };
    await handleDue(anHourOn, 'sequenceCheckpoints', made.body.webhookId);
    await api.call('POST', '/v1/rules', {
      body: { name: 'a', condition: { code: '*' }, action: { notify: ['email'] } },
    });
    const bodies = {
      status: { groupId: 'north', memory: { usedPercent: 95 } },
      detection: detection('s-1'),
      guardian: guardianAlert('drift', ['qos'], startOfTests),
    };
    for (const deviceId of ['cam-1', 'cam-2']) {
      for (const [kind, body] of Object.entries(bodies))
        await takeMessage(world, message(kind, body, { deviceId }), intake);
    }
    const place = { name: 'Gbg', groups: ['north'], shared: false };
    await api.call('PUT', '/v1/places/site/gbg', { body: place });
    // No canary arrives, so the sweep looks for other evidence.
    const sender = { send: async () => {} };
    for (let minute = 0; minute < 5; minute += 1) {
      await sweep(world, { seal, senders: { ingest: sender, broker: sender } });
      world.pass(60);
    }
    await giveIncident(world, uuidOf(900), 'north', 'blind');
    const [incident] = await world.store.find({ in: 'incidents', limit: 1 });
    // A redelivered message restores its wakes.
    await takeMessage(world, message('status', bodies.status, { deviceId: 'cam-1' }), intake, true);
    await takeMessage(world, message('status', 'no report', { deviceId: 'cam-1', messageId: 'unreadable' }), intake);
    const scope = { groups: ['north'] };
    const recurrence = { weekdays: ['mon'], from: '01:00', to: '02:00' };
    const window = await api.call('POST', '/v1/maintenance-windows', { body: { name: 'a', scope, recurrence } });
    await api.call('PUT', `/v1/maintenance-windows/${window.body.windowId}`, {
      body: { name: 'b', scope, recurrence },
    });
    await handleDue(world, 'windows', window.body.windowId);
    const mailed = { name: 'a', every: 'week', timeZone: 'UTC', emails: ['owner@example.com'] };
    const schedule = await api.call('POST', '/v1/reports/schedules', { body: mailed });
    const job = await api.call('POST', '/v1/quarantine/retry', { body: {} });
    await handleDue({ ...world, frames }, 'jobs', job.body.jobId);
    const many = { action: 'acknowledge', filter: { severity: ['ERROR'] } };
    const acting = await api.call('POST', '/v1/alerts/batch/matching', { body: many });
    await handleDue(world, 'jobs', acting.body.jobId);
    const rules = await api.call('GET', '/v1/rules');
    const alerts = await api.call('GET', '/v1/alerts');
    const deliveries = await world.store.find({
      in: 'deliveries',
      where: [{ field: 'deviceId', is: '==', value: 'cam-1' }],
      limit: 1,
    });
    return {
      deviceId: 'cam-1',
      alertId: alerts.body.alerts[0].alertId,
      webhookId: made.body.webhookId,
      deliveryId: deliveries[0]?.id ?? '',
      kind: 'site',
      id: 'gbg',
      ruleId: rules.body.rules[0].ruleId,
      name: 'operations',
      incidentId: incident?.id ?? '',
      reportId: 'unreadable',
      windowId: window.body.windowId,
      jobId: job.body.jobId,
      scheduleId: schedule.body.scheduleId,
    };
  }

  /** A shared uplink goes dark, its outage is acknowledged, a part of its cameras comes back, then all of them. A whole group is counted too. */
  async function darkPlace(store: Store): Promise<void> {
    const [one, other] = [behind('x', '1', 3), behind('y', '1', 4)];
    const world = createTestWorld(store);
    const uplink = { kind: 'uplink', id: 'u-1', name: 'Uplink', groups: ['west', 'east'], shared: true };
    const data = { ...uplink, placeId: placeIdOf('uplink', 'u-1'), changedAt: startOfTests, version: 1 };
    await store.commit([{ kind: 'create', in: 'places', id: data.placeId, data }]);
    const where = (deviceId: string) => ({ ...hangs(deviceId), groupId: deviceId.startsWith('x') ? 'west' : 'east' });
    const { live, lose } = await livingFleet([...one, ...other], where, world);
    const times = { startsAt: world.now(), endsAt: plus(world.now(), 3_600_000) };
    await createWindow(world, ana, { name: 'Works', scope: { sites: ['nowhere'] }, ...times }, uuidOf(9));
    world.pass(1);
    await lose([...one, ...other]);
    await live(8, []);
    const [incident] = (await incidentsOf(world)).filter(({ kind }) => kind === 'outage');
    await actOnIncident(world, ana, incident?.incidentId ?? '', { kind: 'acknowledge' }, null);
    await live(1, []);
    await live(1, one);
    await countDark(world, groupPlace('west'), world.now());
    await darknessOf(world, groupPlace('west'), startOfTests, world.now());
    await live(2, [...one, ...other]);
  }

  /** Runs the queries of the ledger: its entries, proofs and availability reports. */
  async function askLedger(api: Awaited<ReturnType<typeof startTestApi>>, tokens: readonly string[]): Promise<void> {
    const time = 'from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z';
    for (let run = 0; run < 2; run += 1) {
      for (const token of tokens) {
        const proof = await api.call('GET', `/v1/ledger/proof?deviceId=cam-1&${time}`, { token });
        // No canary arrived, so no checkpoint covers this time.
        expect(proof.status).toBe(404);
        for (const more of ['', '&deviceId=cam-1', '&groupId=north', '&by=site'])
          expect((await api.call('GET', `/v1/reports/availability?${time}${more}`, { token })).status).toBe(200);
      }
      await keepLedger(api.world, ledger);
      await keepLedger(api.world, ledger);
      api.world.pass(7200);
    }
    const later = { ...api.world, now: () => plus(api.world.now(), 3_600_000) };
    const head = {
      deviceId: 'cam-1',
      groupId: 'north',
      key: '',
      n: 0,
      last: '',
      to: startOfTests,
      leafAt: startOfTests,
    };
    await trailOfDevice(later, head, newDevice('cam-1', startOfTests));
    await trailOfService(later, head);
    const many = createTestWorld(api.world.store);
    for (let number = 0; number < 31; number += 1)
      await takeMessage(many, message('status', {}, { deviceId: `more-${number}` }), {
        bridgeDialect: 'native',
        autoRegister: true,
        frames,
      });
    expect((await api.call('GET', `/v1/reports/availability?${time}`)).status).toBe(200);
  }

  // No retry: it would find the records of the first try.
  test('has an index for every query of the use cases', { retry: 0, timeout: 240_000 }, async () => {
    const projectId = `indexes-${randomUUID().slice(0, 8)}`;
    const { asked, files, store } = recording(createFirestoreStore(connect(projectId)));
    const world = createTestWorld(store);
    world.ledger = ledger;
    const api = await startTestApi(world);
    const tokens = [await api.issuer.token(), await api.issuer.token({ groups: ['north', 'south'] })];
    const ids = await populate(api);
    for (const [operation, route] of Object.entries(routes as Record<string, Route>)) {
      // The stream never ends.
      if (route.method !== 'get' || route.path === '/v1/stream' || isOfLedger(route)) continue;
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'cam-1');
      const properties = Object.entries((route.query as { properties?: Record<string, TSchema> })?.properties ?? {});
      const single = properties
        .map(([name, schema]) => [name, ids[name] ?? sampleOf(schema)] as const)
        .filter(([name]) => !name.startsWith('page'));
      const queries = [
        [],
        ...single.map((one) => [one]),
        ...single.map((one) => [one, ['status', 'all'] as const]),
        ...single.filter(([name]) => name !== 'orderBy').map((one) => [one, ['orderBy', 'timestamp asc'] as const]),
        single,
      ];
      const ordered = single.filter(([name]) => !['orderBy', 'since', 'until'].includes(name));
      if (operation === 'listAlerts')
        queries.push(...ordered.map((one) => [one, ['orderBy', 'urgency desc'] as const]));
      if (route.path === '/v1/devices')
        queries.push([['state', 'offline'] as const], [['state', 'never-seen'] as const]);
      const known = properties.map(([name]) => name);
      for (const query of queries) {
        if (query.some(([name]) => !known.includes(name))) continue;
        const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
        for (const token of tokens) {
          // Routes about the whole fleet refuse limited tokens.
          const isRefused = token === tokens[1] && isFleetWide(route);
          // The bytes of an unreadable message are hidden from them too.
          const isHidden = token === tokens[1] && route.path === '/v1/quarantine/{reportId}';
          const { status } = await api.call('GET', `${path}?${search}`, { token });
          // Each call must reach its query; not every list accepts the status `all`.
          if (!search.getAll('status').includes('all'))
            expect([token === tokens[1], path, `${search}`, status]).toEqual([
              token === tokens[1],
              path,
              `${search}`,
              isRefused ? 403 : isHidden ? 404 : 200,
            ]);
        }
      }
    }
    await askLedger(api, tokens);
    const since = '2026-11-20T09:00:00Z';
    const rule = (code: string, group: string[]) => ({
      name: 'x',
      condition: { code, group },
      action: { priority: 'P1' },
    });
    const posts: [path: string, body: object][] = [
      ...['*', 'RES_*', 'RES_001'].flatMap((code) =>
        [[], ['north']].map((group): [string, object] => ['/v1/rules/preview', { rule: rule(code, group), days: 30 }]),
      ),
      ...[{}, { since }].map((body): [string, object] => [`/v1/webhooks/${ids['webhookId']}/explain`, body]),
      ...[
        {},
        { dryRun: true },
        { until: '2026-11-20T11:00:00Z' },
        { status: ['failed'] },
        { eventType: 'detection' },
        { status: ['held', 'failed'], eventType: 'alert', until: '2026-11-20T11:00:00Z' },
      ].map((more): [string, object] => [`/v1/webhooks/${ids['webhookId']}/replay`, { since, ...more }]),
    ];
    const some = { since, until: '2026-11-20T11:00:00Z', dryRun: true };
    for (const body of [{ dryRun: true }, some, { ...some, reasons: ['wrong-shape'] }])
      expect((await api.call('POST', '/v1/quarantine/retry', { body })).status).toBe(202);
    const person = { subject: 'user:nobody', emails: ['nobody@example.com'] };
    expect((await api.call('POST', '/v1/erasures', { body: { person } })).status).toBe(202);
    for (const token of tokens) {
      for (const [path, body] of posts) {
        expect([path, body, (await api.call('POST', path, { token, body })).status]).toEqual([path, body, 200]);
      }
    }
    // Minutes of a fleet are fast in the memory store; each shape of query that they produce is run once on Firestore.
    const dark = recording(createMemoryStore());
    await darkPlace(dark.store);
    const common = recording(createMemoryStore());
    await shareCauses(createTestWorld(common.store));
    expect(await common.store.count({ in: 'incidents' })).toBe(2);
    const restored = recording(createMemoryStore());
    const saved = createTestWorld(restored.store);
    await recordRestore(saved, startOfTests);
    await settleRestore(saved);
    const failing = recording(createMemoryStore());
    await letPhonesFail(createTestWorld(failing.store));
    const played = [dark, common, restored, failing];
    const shapes = new Map(played.flatMap(({ asked: its }) => its).map((query) => [shapeOf(query), query]));
    for (const query of shapes.values()) {
      if (query.orderBy) await store.find({ ...query, limit: 1 });
      else await store.count(query);
    }
    const stream = createChangeStream(api.world, 10);
    (await stream.listen(ana, `${positionAt(startOfTests)}first`, () => {}))();
    await createPost(api.world).pass(3600);
    // If a window has more alerts than a digest reads, the store counts them.
    const seed = { deviceId: 'cam-1', groupId: 'north', code: 'CONN_001', message: 'x', context: {} } as const;
    const many = Array.from({ length: 400 }, (_, index): Write => {
      const alertId = uuidOf(index);
      const data = { ...seedAlert({ ...seed, alertId }, startOfTests), digestIds: ['t@1', 't@1:opened'] };
      return { kind: 'create', in: 'alerts', id: alertId, data };
    });
    await api.world.store.commit(many);
    const left = [{ about: uuidOf(0), occasion: 'opened' as const }];
    const { facts } = await digestFacts(api.world, { about: 'digest', id: 't', occasion: 'opened', window: 1, left });
    expect(facts.sections).toMatchObject([{ occasion: 'opened', count: 399, codes: [{ count: 399 }] }]);
    await sweep(api.world);
    await sweep(api.world);
    await api.stop();

    const usage = await fetch(
      `http://${inject('firestoreHost')}/emulator/v1/projects/${projectId}:indexUsage?database=projects/${projectId}/databases/(default)`,
    );
    const { reports } = (await usage.json()) as { reports: { index: { name: string; fields: Field[] } }[] };
    const needed = reports.map(({ index }) => ({
      collection: /collectionGroups\/([^/]+)/.exec(index.name)?.[1] ?? '',
      fields: index.fields,
    }));
    const { indexes, fieldOverrides } = JSON.parse(readFileSync('firestore.indexes.json', 'utf8'));
    expect(needed.length).toBeGreaterThan(10);
    // The queries in use: each release is compared with the one before it (`tools/index-release.ts`). `npm test -- FILE -u` updates the file.
    const inUse = [...new Map(needed.map((each) => [inWords(each), each])).entries()].toSorted(([one], [other]) =>
      one < other ? -1 : 1,
    );
    await expect(
      `${JSON.stringify(
        inUse.map(([, shape]) => shape),
        null,
        1,
      )}\n`,
    ).toMatchFileSnapshot(`${process.cwd()}/firestore.queries.json`);
    expect(needed.filter((each) => !isServed(each, indexes)).map(inWords)).toEqual([]);
    const idle = indexes.filter(
      (index: Index) => !needed.some((each) => isHelped(each, index)) && !isAhead(index, aheadOfQueries),
    );
    expect(idle.map(({ collectionGroup, fields }: Index) => inWords({ collection: collectionGroup, fields }))).toEqual(
      [],
    );
    expect(asked.flatMap((query) => switchedOff(query, fieldOverrides))).toEqual([]);
    expect(
      askingFiles().filter((file) => [files, ...played.map((each) => each.files)].every((those) => !those.has(file))),
    ).toEqual([]);
  });
});
