import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweep } from '../../shared/app/due/sweep.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { newDelivery } from '../../shared/domain/delivery/delivery.ts';
import { newJob } from '../../shared/domain/job/job.ts';
import { isFleetWide, type Route } from '../../shared/schema/route.ts';
import { type Operation, routes } from '../../shared/schema/routes.ts';
import { openTestAlert, uuidOf } from '../support/records/alerts.ts';
import { detection } from '../support/records/detections.ts';
import { giveIncident } from '../support/records/incidents.ts';
import { allRecords } from '../support/records/records.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score } from '../support/score/score.ts';
import { onStore, sizeOnStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';

/** A text in every record of the group `south`. No answer to a token of another group may contain it. */
const mark = 'SOUTHMARK';
type Ids = Record<string, string>;
type Api = Awaited<ReturnType<typeof startTestApi>>;

const stores = storesOfRun();
let api: Api;
let own: Ids;
let foreign: Ids;
beforeAll(async () => {
  api = await startTestApi(createTestWorld(stores.empty()));
  own = await populate('north', 'harmless', 1);
  foreign = await populate('south', mark, 2);
  await giveDelivery(uuidOf(501), own['webhookId'] ?? '', 'south', mark);
  // What is wrong now is written by a sweep.
  await sweep(api.world);
});
afterAll(() => api.stop());

async function populate(groupId: string, text: string, number: number): Promise<Ids> {
  const { world } = api;
  const deviceId = `cam-${groupId}`;
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  const send = (kind: string, body: object) => takeMessage(world, message(kind, body, { deviceId }), intake);
  await send('status', { name: text, groupId });
  await send('detection', { ...detection(`${text}-${number}`), profile: { id: 'p', name: text } });
  await send('guardian', {
    ...guardianAlert('drift', [text], startOfTests),
    device: { serial: text, model: 'M', ip: '192.0.2.1' },
  });
  const alertId = await openTestAlert(world, { deviceId, groupId, message: text, alertId: uuidOf(700 + number) });
  await api.call('POST', `/v1/alerts/${alertId}/notes`, { body: { text } });
  const options = { url: `https://hooks.example.com/${text}`, description: text, filter: { groups: [groupId] } };
  // The owner creates the endpoint. If a token of all groups created it, the owner could only read it.
  const owner = await api.issuer.token({ groups: [groupId], sub: `owner-of-${groupId}` });
  const { webhookId } = (await api.call('POST', '/v1/webhooks', { token: owner, body: options })).body;
  const deliveryId = uuidOf(500 + 10 * number);
  await giveDelivery(deliveryId, webhookId, groupId, text);
  // A quarantined report belongs to no group, so a token limited to groups must not see it.
  await takeMessage(
    world,
    message(
      'status',
      { memory: 1 },
      { deviceId, messageId: `bad-${number}`, attributes: { deviceId, kind: 'status', mark } },
    ),
    intake,
  );
  const incidentId = await giveIncident(api.world, uuidOf(800 + number), groupId, text);
  const id = `place-${groupId}`;
  await api.call('PUT', `/v1/places/site/${id}`, { body: { name: text, groups: [groupId], shared: false } });
  const recurrence = { weekdays: ['mon'], from: '01:00', to: '02:00' };
  const window = { name: text, scope: { groups: [groupId] }, recurrence };
  const { windowId } = (await api.call('POST', '/v1/maintenance-windows', { body: window })).body;
  const mailed = { ...schedule, name: text, groups: [groupId], emails: [`${text}@example.com`] };
  const { scheduleId } = (await api.call('POST', '/v1/reports/schedules', { body: mailed })).body;
  const jobId = uuidOf(900 + number);
  const work = { kind: 'retry-quarantined', reasons: ['dead-letter'], since: null, until: startOfTests } as const;
  // A job belongs to its creator. `eve`, who tries to reach these jobs below, created neither of them.
  const job = newJob(jobId, work, 1, groupId === 'north' ? 'user:ana' : `user:${text}`, startOfTests);
  await world.store.commit([{ kind: 'create', in: 'jobs', id: jobId, data: job }]);
  return {
    jobId,
    scheduleId,
    windowId,
    id,
    deviceId,
    alertId,
    incidentId,
    webhookId,
    deliveryId,
    reportId: `bad-${number}`,
  };
}

async function giveDelivery(deliveryId: string, webhookId: string, groupId: string, text: string): Promise<void> {
  const seed = {
    deliveryId,
    channel: 'webhook' as const,
    target: { kind: 'webhook' as const, webhookId },
    targetName: webhookId,
    eventType: 'alert',
    eventId: text,
    alertId: null,
    deviceId: null,
    groupId,
    body: JSON.stringify({ text }),
    maxAttempts: 3,
  };
  const data = newDelivery(seed, api.world.now(), 'held for a person');
  await api.world.store.commit([{ kind: 'create', in: 'deliveries', id: deliveryId, data }]);
}

const since = '2026-11-19T00:00:00Z';
const rule = { name: 'a rule', condition: { code: '*' }, action: { priority: 'P1' } };
const window = {
  name: 'a window',
  scope: { codes: ['*'] },
  recurrence: { weekdays: ['mon'], from: '01:00', to: '02:00' },
};
const schedule = { name: 'a report', every: 'week', timeZone: 'UTC', emails: ['owner@example.com'] };
/** For each operation, a body that is accepted if the record belongs to the bearer. */
const bodies: Partial<Record<Operation, object>> = {
  addAlertNote: { text: 'hello' },
  addIncidentNote: { text: 'hello' },
  snoozeIncident: { minutes: 5 },
  snoozeAlert: { minutes: 5 },
  changeDevice: { name: 'renamed' },
  createUploadUrl: { contentType: 'image/jpeg' },
  enrolGuardian: { publicKey: `MCowBQYDK2VwAyEA${'A'.repeat(43)}=` },
  createRule: rule,
  putRule: rule,
  previewRule: { rule },
  createMaintenanceWindow: window,
  putMaintenanceWindow: window,
  previewMaintenanceWindow: { window },
  createReportSchedule: schedule,
  putReportSchedule: schedule,
  replayWebhook: { since },
  explainWebhook: { since },
  updateWebhook: { description: 'changed', enabled: false },
};

/** The id, and spellings of it that a careless parser could take for the same id. */
function formsOf(id: string): string[] {
  const encoded = [...id].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
  const around = ['%20', '%00', '%2e', '%2f', '.', '~', '%0a', ';a=b', '%ff', '*'];
  return [id, encoded, id.toUpperCase(), ...around.flatMap((more) => [`${id}${more}`, `${more}${id}`]), `..%2f${id}`];
}

/** Parameters that name records without a group. A bearer who may read one of them may read all. */
const theFleets = ['ruleId', 'name', 'tile', 'of'];

test('every path parameter of a route is tested with a record of another group, or belongs to the whole fleet', () => {
  const named = Object.values(routes as Record<string, Route>).flatMap(({ path }) => parameterOf(path) ?? []);
  // `populate` must create each kind of record. Otherwise the routes are tried with an empty id, and their 404 proves nothing.
  const known = [...Object.keys(foreign), ...theFleets];
  expect([...new Set(named)].filter((parameter) => !known.includes(parameter))).toEqual([]);
  expect(Object.keys(foreign).filter((name) => !named.includes(name))).toEqual([]);
});

/** The path parameter that names a record. For a place, the id that follows its kind. */
function parameterOf(path: string): string | undefined {
  return /\{(\w+)\}/.exec(path.replace('{kind}', 'site'))?.[1];
}

test('no route reads or writes a record of another group, for any form of its id', {
  timeout: 300_000,
}, async () => {
  const limited = await api.issuer.token({ groups: ['north'], sub: 'eve' });
  const none = await api.issuer.token({ groups: [], sub: 'eve' });
  const revoked = await api.issuer.token({ exp: Math.floor(Date.now() / 1000) - 3600 });
  const before = await foreignRecords();
  expect(before.length).toBeGreaterThan(10);
  const through: string[] = [];
  let tried = 0;
  const attempt = async (title: string, operation: Operation, path: string, token: string, expected: number[]) => {
    tried += 1;
    // What is no UTF-8 is refused before anybody is asked who he is.
    const allowed = path.includes('%ff') ? [400] : expected;
    const route: Route = routes[operation];
    const { status, text } = await ask(route, path, token, bodies[operation] ?? (route.body ? {} : undefined));
    if (text.includes(mark) || !allowed.includes(status))
      through.push(`${title} ${operation} ${path}: ${status} ${text.slice(0, 200)}`);
  };
  for (const [name, route] of Object.entries(routes as Record<Operation, Route>)) {
    const operation = name as Operation;
    const ofKind = route.path.replace('{kind}', 'site');
    const parameter = parameterOf(route.path);
    const path = (id: string) => ofKind.replace(/\{\w+\}/, id);
    if (route.scope) await attempt('revoked', operation, path(own[parameter ?? ''] ?? 'x'), revoked, [401]);
    if (isFleetWide(route)) {
      for (const token of [limited, none]) await attempt('fleet', operation, path(uuidOf(1)), token, [403]);
      continue;
    }
    // Who has no group may call nothing that needs a scope.
    const refused = route.scope && route.scope !== 'any-token' ? [403] : anyButFault;
    if (!parameter || theFleets.includes(parameter)) {
      await attempt('list', operation, path(uuidOf(1)), limited, anyButFault);
      await attempt('list', operation, path(uuidOf(1)), none, refused);
      for (const query of queriesOf(route))
        await attempt('filter', operation, `${path(uuidOf(1))}${query}`, limited, anyButFault);
      continue;
    }
    const listsNothing = route.method === 'get' && ['listDeviceAlerts', 'listDeviceActivity'].includes(operation);
    // The form of an id is checked before the store is read, so on the emulator two forms are enough.
    for (const id of formsOf(foreign[parameter] ?? '').slice(0, sizeOnStore(100, 2))) {
      await attempt('foreign', operation, path(id), limited, listsNothing ? [200, 404] : [404]);
      await attempt('foreign', operation, path(id), none, refused);
    }
    await attempt('none', operation, path(own[parameter] ?? ''), none, refused);
  }
  score('S8', `routes × bearers × ids of other groups${onStore}`, tried, through.length);
  expect(through).toEqual([]);
  expect(await foreignRecords()).toEqual(before);
});

/** Query strings that filter a list by a record of the other group. */
function queriesOf({ query }: Route): string[] {
  const names = Object.keys((query as { properties?: object } | undefined)?.properties ?? {});
  const ids = { ...foreign, groupId: 'south', q: mark, subject: 'user:owner-of-south' } as Ids;
  return names.flatMap((name) => (ids[name] ? [`?${name}=${encodeURIComponent(ids[name])}`] : []));
}

const anyButFault = [200, 201, 202, 204, 400, 404, 409];

test('a body that names another group is refused', async () => {
  const token = await api.issuer.token({ groups: ['north'], sub: 'eve' });
  const before = await foreignRecords();
  const ownWebhook = `/v1/webhooks/${own['webhookId']}`;
  const cases: [string, string, object, number][] = [
    ['PATCH', `/v1/devices/${own['deviceId']}`, { groupId: 'south' }, 404],
    ['POST', '/v1/webhooks', { url: 'https://hooks.example.com/', filter: { groups: ['south'] } }, 400],
    ['POST', '/v1/webhooks', { url: 'https://hooks.example.com/', filter: { groups: ['north', 'south'] } }, 400],
    ['POST', '/v1/webhooks', { url: 'https://hooks.example.com/', filter: { groups: [] } }, 400],
    ['POST', '/v1/webhooks', { url: 'https://hooks.example.com/', filter: { devices: ['cam-south'] } }, 400],
    ['POST', '/v1/webhooks', { url: 'https://hooks.example.com/' }, 400],
    ['PATCH', ownWebhook, { filter: null }, 400],
    ['PATCH', ownWebhook, { filter: {} }, 400],
    ['PATCH', ownWebhook, { filter: { groups: ['south'] } }, 400],
  ];
  for (const [method, path, body, wanted] of cases) {
    expect([path, body, (await api.call(method, path, { token, body })).status]).toEqual([path, body, wanted]);
  }
  const alertIds = [own['alertId'], foreign['alertId']];
  const { body } = await api.call('POST', '/v1/alerts/batch', { token, body: { action: 'resolve', alertIds } });
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([200, 404]);
  // The endpoint also has a delivery of `south`, as from a time before its groups were limited. The replay must not include it.
  expect((await api.call('POST', `${ownWebhook}/replay`, { token, body: { since } })).body.matched).toBe(1);
  score('S8', `bodies that name other groups${onStore}`, cases.length + 2, 0);
  expect(await foreignRecords()).toEqual(before);
});

test('a bearer of a group can read the records of this group', async () => {
  const token = await api.issuer.token({ groups: ['north'], sub: 'ana' });
  for (const path of [
    `/v1/alerts/${own['alertId']}`,
    `/v1/devices/${own['deviceId']}`,
    `/v1/places/site/${own['id']}`,
    `/v1/webhooks/${own['webhookId']}`,
    `/v1/deliveries/${own['deliveryId']}`,
  ]) {
    expect([path, (await api.call('GET', path, { token })).status]).toEqual([path, 200]);
  }
  const isOf = (incidentId = '') =>
    expect.arrayContaining([expect.objectContaining({ incident: expect.objectContaining({ incidentId }) })]);
  const now = await api.call('GET', '/v1/now', { token });
  expect(now.body.causes).toEqual(isOf(own['incidentId']));
  expect(now.body.causes.map(({ alert }: { alert: { alertId: string } | null }) => alert?.alertId)).toContain(
    own['alertId'],
  );
  expect(JSON.stringify((await api.call('GET', '/v1/now')).body)).toContain(mark);
  const all = await api.call('GET', `/v1/alerts/${foreign['alertId']}`);
  expect(JSON.stringify(all.body)).toContain(mark);
});

/** Sends a request and reads the answer as text. A stream is read until nothing arrives for 50 ms. */
async function ask(route: Route, path: string, token: string, body: object | undefined) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Last-Event-ID': '2026-11-19T00:00:00.000Z~first',
    ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(text.length) }),
  };
  const request = new Request(`http://watchpost.test${path}`, {
    method: route.method.toUpperCase(),
    headers,
    ...(text === undefined ? {} : { body: text }),
  });
  const response = await api.fetch(request);
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    return { status: response.status, text: await beginning(response) };
  return { status: response.status, text: await response.text() };
}

async function beginning(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async (): Promise<string> => {
    const first = await Promise.race([reader.read(), new Promise<null>((resolve) => setTimeout(resolve, 50, null))]);
    return first?.value ? new TextDecoder().decode(first.value) + (await read()) : '';
  };
  const text = await read();
  await reader.cancel();
  return text;
}

async function foreignRecords(): Promise<string[]> {
  const records = await allRecords(api.world.store);
  return records.filter((record) => record.includes(mark) || record.includes('"groupId":"south"')).toSorted();
}
