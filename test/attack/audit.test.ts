import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { takeCanary } from '../../shared/app/sight/take-canary.ts';
import { newDelivery } from '../../shared/domain/delivery/delivery.ts';
import { canaryText } from '../../shared/domain/sight/canary.ts';
import type { DevicePatch } from '../../shared/schema/device/registry.ts';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, routes } from '../../shared/schema/routes.ts';
import type { UpdateWebhookRequest } from '../../shared/schema/webhook/webhook.ts';
import { createSigner } from '../support/guardian/signer.ts';
import { clientIdentity } from '../support/net/client-certificates.ts';
import { openTestAlert, uuidOf } from '../support/records/alerts.ts';
import { sentDeliveries } from '../support/records/deliveries.ts';
import { giveIncident } from '../support/records/incidents.ts';
import { message } from '../support/records/reports.ts';
import { score } from '../support/score/score.ts';
import { onStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { seal } from '../support/world/ways.ts';
import { createTestWorld } from '../support/world/world.ts';

const stores = storesOfRun();
type Api = Awaited<ReturnType<typeof startTestApi>>;
let api: Api;
beforeEach(async () => {
  api = await startTestApi(createTestWorld(stores.empty()));
});
afterEach(() => api.stop());

const entries = async () => {
  const found = await api.world.store.find({ in: 'auditStream', limit: 1000 });
  return found.map(({ data }) => data);
};
const from = '203.0.113.9';
const secrets = {
  secret: 'SECRETMARK-of-an-endpoint',
  header: 'Bearer SECRETMARK-of-a-header',
  url: 'https://hooks.example.com/in?token=SECRETMARK',
  chat: 'https://hooks.slack.com/services/T0/B0/SECRETMARKchat0000',
};

async function newWebhook(): Promise<string> {
  const body = { url: secrets.url, secret: secrets.secret, headers: { Authorization: secrets.header } };
  return (await api.call('POST', '/v1/webhooks', { body })).body.webhookId;
}
async function pendingWebhook(): Promise<string> {
  const webhookId = await newWebhook();
  const [stored] = await api.world.store.get('webhooks', [webhookId]);
  if (!stored) throw new Error('the endpoint is not there');
  const data = { ...stored.data, challenge: 'SECRETMARK-of-a-challenge' };
  await api.world.store.commit([{ kind: 'replace', in: 'webhooks', id: webhookId, data, revision: stored.revision }]);
  return webhookId;
}
async function newRule(): Promise<string> {
  return (await api.call('POST', '/v1/rules', { body: rule })).body.ruleId;
}
async function newWindow(): Promise<string> {
  return (await api.call('POST', '/v1/maintenance-windows', { body: window })).body.windowId;
}
const schedule = { name: 'a report', every: 'month', timeZone: 'UTC', emails: ['owner@example.com'] };
async function newSchedule(): Promise<string> {
  return (await api.call('POST', '/v1/reports/schedules', { body: schedule })).body.scheduleId;
}
async function newTeam(): Promise<string> {
  await api.call('PUT', '/v1/teams/night', { body: { emails: ['n@example.com'] } });
  return 'night';
}
async function newDevice(): Promise<string> {
  await takeMessage(api.world, message('status', {}, { deviceId: 'cam-1' }), intake);
  return 'cam-1';
}
async function heardBridge(): Promise<string> {
  const canary = { way: 'broker', n: 0, sentAt: api.world.now() } as const;
  const body = JSON.stringify({ ...canary, signature: seal.sign(canaryText(canary)) });
  await takeCanary(api.world, Buffer.from(body), seal);
  return '1:1';
}
async function quarantined(): Promise<string> {
  await takeMessage(api.world, message('status', { memory: 1 }, { messageId: 'bad-1' }), intake);
  return 'bad-1';
}
async function newJob(): Promise<string> {
  return (await api.call('POST', '/v1/quarantine/retry', { body: {} })).body.jobId;
}
async function failedDelivery(): Promise<string> {
  const webhookId = await newWebhook();
  const deliveryId = uuidOf(77);
  const event = { eventType: 'alert', eventId: 'e', alertId: null, deviceId: null, groupId: 'north', body: '{}' };
  const target = { kind: 'webhook' as const, webhookId };
  const seed = { ...event, deliveryId, channel: 'webhook' as const, target, targetName: webhookId, maxAttempts: 3 };
  const data = newDelivery(seed, api.world.now(), 'held for a person');
  await api.world.store.commit([{ kind: 'create', in: 'deliveries', id: deliveryId, data }]);
  return deliveryId;
}
async function enrolled(): Promise<string> {
  const deviceId = await newDevice();
  await api.call('PUT', `/v1/devices/${deviceId}/guardian-key`, { body: { publicKey } });
  return deviceId;
}
const after = (make: () => Promise<string>, path: string) => async () => {
  const id = await make();
  await api.call('POST', path.replace('{id}', id), { body: {} });
  return id;
};
const { publicKey } = createSigner();
const window = {
  name: 'a window',
  scope: { groups: ['north'] },
  recurrence: { weekdays: ['mon'], from: '01:00', to: '02:00' },
};
const rule = { name: 'a rule', condition: { code: '*' }, action: { priority: 'P1' } };
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const since = '2026-11-19T00:00:00Z';
const alert = () => openTestAlert(api.world);
const incident = () => giveIncident(api.world, uuidOf(88), 'north', 'A story');

/** For each writing route: creates the record that its path names and returns the id, and makes a body that changes the record. */
const cases: Partial<Record<Operation, [make: () => Promise<string>, body?: () => object | Promise<object>]>> = {
  acknowledgeAlert: [alert],
  resolveAlert: [alert],
  snoozeAlert: [alert, () => ({ minutes: 5 })],
  addAlertNote: [after(alert, '/v1/alerts/{id}/acknowledge'), () => ({ text: 'a note' })],
  reopenAlert: [after(alert, '/v1/alerts/{id}/resolve')],
  unacknowledgeAlert: [after(alert, '/v1/alerts/{id}/acknowledge')],
  unsnoozeAlert: [
    async () => {
      const id = await alert();
      await api.call('POST', `/v1/alerts/${id}/snooze`, { body: { minutes: 5 } });
      return id;
    },
  ],
  actOnAlerts: [
    async () => '',
    async () => ({ action: 'acknowledge', alertIds: [await alert(), await alert(), await alert()] }),
  ],
  acknowledgeIncident: [incident],
  resolveIncident: [incident],
  snoozeIncident: [incident, () => ({ minutes: 5 })],
  addIncidentNote: [after(incident, '/v1/incidents/{id}/acknowledge'), () => ({ text: 'a note' })],
  reopenIncident: [after(incident, '/v1/incidents/{id}/resolve')],
  unacknowledgeIncident: [after(incident, '/v1/incidents/{id}/acknowledge')],
  unsnoozeIncident: [
    async () => {
      const id = await incident();
      await api.call('POST', `/v1/incidents/${id}/snooze`, { body: { minutes: 5 } });
      return id;
    },
  ],
  importDevices: [async () => '', () => ({ devices: [{ deviceId: 'imported-1' }, { deviceId: 'imported-2' }] })],
  changeDevice: [newDevice, () => ({ name: 'renamed' })],
  removeDevice: [newDevice],
  enrolGuardian: [newDevice, () => ({ publicKey })],
  createUploadUrl: [newDevice, () => ({ contentType: 'image/jpeg' })],
  endGuardianEnrolment: [enrolled],
  putPlace: [async () => 'site:hq', () => ({ name: 'Headquarters', groups: ['north'], shared: false })],
  deletePlace: [
    async () => {
      await api.call('PUT', '/v1/places/site/hq', { body: { name: 'Headquarters', groups: ['north'], shared: false } });
      return 'site:hq';
    },
  ],
  removeBridge: [heardBridge],
  createRule: [async () => '', () => rule],
  putRule: [newRule, () => ({ ...rule, name: 'another' })],
  deleteRule: [newRule],
  createMaintenanceWindow: [async () => '', () => window],
  putMaintenanceWindow: [newWindow, () => ({ ...window, name: 'another' })],
  deleteMaintenanceWindow: [newWindow],
  createReportSchedule: [async () => '', () => schedule],
  putReportSchedule: [newSchedule, () => ({ ...schedule, every: 'week' })],
  deleteReportSchedule: [newSchedule],
  putTeam: [
    newTeam,
    () => ({
      emails: ['m@example.com'],
      chats: [{ kind: 'slack', url: secrets.chat }],
      handoffs: [{ kind: 'opsgenie', name: 'x', credential: secrets.secret }],
    }),
  ],
  deleteTeam: [newTeam],
  testTeam: [newTeam],
  putSettings: [
    async () => '',
    async () => ({ ...(await api.call('GET', '/v1/settings')).body, timeZone: 'Europe/Stockholm' }),
  ],
  createWebhook: [
    async () => '',
    () => ({ url: secrets.url, secret: secrets.secret, headers: { Authorization: secrets.header } }),
  ],
  updateWebhook: [newWebhook, () => ({ secret: `${secrets.secret}-2`, description: 'changed' })],
  deleteWebhook: [newWebhook],
  challengeWebhook: [pendingWebhook],
  proveWebhook: [pendingWebhook],
  testWebhook: [newWebhook],
  rotateWebhookSecret: [newWebhook, () => ({ secret: `${secrets.secret}-3` })],
  promoteWebhookSecret: [after(newWebhook, '/v1/webhooks/{id}/rotate-secret')],
  replayWebhook: [
    async () => {
      const deliveryId = await failedDelivery();
      const [stored] = await api.world.store.get('deliveries', [deliveryId]);
      return stored?.data.webhookId ?? '';
    },
    () => ({ since }),
  ],
  redeliver: [failedDelivery],
  dismissDelivery: [failedDelivery],
  restoreDelivery: [after(failedDelivery, '/v1/deliveries/{id}/dismiss')],
  actOnMatchingAlerts: [
    async () => (await alert()) && '',
    () => ({ action: 'acknowledge', filter: { groupId: ['north'] } }),
  ],
  retryManyQuarantined: [async () => (await quarantined()) && '', () => ({ reasons: ['wrong-shape'] })],
  cancelJob: [newJob],
  startErasure: [async () => (await newDevice()) && '', () => ({ deviceId: 'cam-1' })],
  retryQuarantined: [quarantined],
  dismissQuarantined: [quarantined],
  restoreQuarantined: [after(quarantined, '/v1/quarantine/{id}/dismiss')],
};
/** They take a body and change nothing. */
const reading: Operation[] = ['previewRule', 'previewMaintenanceWindow', 'explainWebhook'];

test('every writing route leaves exactly one entry of who did what, with no secret in it', {
  timeout: 300_000,
}, async () => {
  const writing = Object.entries(routes as Record<Operation, Route>).filter(([, { method }]) => method !== 'get');
  const names = writing.map(([name]) => name as Operation).filter((name) => !reading.includes(name));
  expect(names.toSorted()).toEqual(Object.keys(cases).toSorted());
  const odd: string[] = [];
  for (const operation of names) {
    await api.stop();
    api = await startTestApi(createTestWorld(stores.empty()));
    const { method, path, body, scope }: Route = routes[operation];
    const [make, bodyOf] = cases[operation] ?? [alert];
    const id = await make();
    const given = body ? { body: (await bodyOf?.()) ?? {} } : {};
    const before = new Set((await entries()).map(({ entryId }) => entryId));
    const headers = { 'X-Forwarded-For': `198.51.100.1, ${from}` };
    const answer = await api.call(
      method.toUpperCase(),
      path.replace(/\{(kind|of)\}\/\{(id|partition)\}/, id.replace(':', '/')).replace(/\{\w+\}/, id),
      {
        ...given,
        headers,
      },
    );
    const all = await entries();
    const made = all.filter(({ entryId }) => !before.has(entryId));
    const [entry] = made;
    const facts = [answer.status < 300, made.length, entry?.action, entry?.subject, entry?.address, entry?.outcome];
    if (JSON.stringify(facts) !== JSON.stringify([true, 1, operation, 'user:ana', from, 'done']))
      odd.push(`${operation}: ${answer.status} ${JSON.stringify(made)}`);
    const text = JSON.stringify(all);
    if (/SECRETMARK|sealed|v1\.k/.test(text.replaceAll('sealedHeaders', ''))) odd.push(`${operation} tells: ${text}`);
    if (id !== '' && entry?.resourceId !== id) odd.push(`${operation} names ${entry?.resourceId}, not ${id}`);
    expect(scope).not.toBe(null);
  }
  score('S16', `writing routes, one entry each${onStore}`, names.length, odd.length);
  expect(odd).toEqual([]);
});

test('a read, a preview and a repeated action leave no audit entry', async () => {
  const alertId = await alert();
  await api.call('POST', `/v1/alerts/${alertId}/acknowledge`);
  const count = (await entries()).length;
  await api.call('POST', `/v1/alerts/${alertId}/acknowledge`);
  await api.call('GET', `/v1/alerts/${alertId}`);
  await api.call('POST', '/v1/rules/preview', { body: { rule } });
  expect(await entries()).toHaveLength(count);
});

test('an audit entry has the values before and after the change', async () => {
  const alertId = await alert();
  await api.call('POST', `/v1/alerts/${alertId}/acknowledge`, { body: {} });
  const ruleId = await newRule();
  await api.call('PUT', `/v1/rules/${ruleId}`, { body: { ...rule, name: 'another' } });
  await api.call('DELETE', `/v1/rules/${ruleId}`);
  const { body } = await api.call('GET', '/v1/audit');
  const of = (action: string) => body.entries.find((entry: { action: string }) => entry.action === action);
  expect(of('acknowledgeAlert')).toMatchObject({
    subject: 'user:ana',
    issuer: api.issuer.url,
    resource: { kind: 'alerts', id: alertId },
    outcome: 'done',
    before: { status: 'active', acknowledgedBy: null },
    after: { status: 'acknowledged', acknowledgedBy: 'user:ana' },
  });
  expect(of('createRule')).toMatchObject({ resource: { kind: 'rules', id: ruleId }, after: { name: 'a rule' } });
  expect(of('putRule')).toMatchObject({ before: { name: 'a rule' }, after: { name: 'another' } });
  expect(of('deleteRule')).toMatchObject({ before: { name: 'another' } });
  expect(of('deleteRule')).not.toHaveProperty('after');
});

test('every 403 and every 404 of a known bearer leaves one entry, whatever the id', async () => {
  const foreign = await openTestAlert(api.world, { groupId: 'south' });
  const token = await api.issuer.token({ sub: 'eve', groups: ['north'], scope: 'alerts:read alerts:write audit:read' });
  const asks: [string, string, object | undefined, string, string | null][] = [
    ['GET', `/v1/alerts/${foreign}`, undefined, 'not-found', foreign],
    ['POST', `/v1/alerts/${foreign}/acknowledge`, {}, 'not-found', foreign],
    ['GET', '/v1/alerts/%00%0aodd', undefined, 'not-found', null],
    ['GET', '/v1/devices', undefined, 'forbidden', null],
    ['GET', '/v1/audit', undefined, 'limited-to-groups', null],
    ['POST', '/v1/alerts/batch', { action: 'resolve', alertIds: [foreign, uuidOf(5)] }, 'not-found', null],
  ];
  for (const [method, path, body, reason, id] of asks) {
    const before = (await entries()).length;
    await api.call(method, path, { token, ...(body ? { body } : {}) });
    const all = await entries();
    expect([path, all.length]).toEqual([path, before + 1]);
    const facts = { subject: 'user:eve', outcome: 'refused', reason, resourceId: id };
    expect(all).toContainEqual(expect.objectContaining(facts));
  }
  expect(
    (await entries()).at(-1)?.count ?? (await entries()).find(({ action }) => action === 'actOnAlerts')?.count,
  ).toBe(2);
  score('S16', `refusals of a known bearer${onStore}`, asks.length, 0);
});

test('refusals cause few writes: 1,000 anonymous requests a second cost at most 1,000 records a minute over all instances', async () => {
  const { refusals, world } = api;
  for (let index = 0; index < 1000; index += 1) {
    const headers = { 'X-Forwarded-For': `10.${index % 7}.${index >> 8}.${index & 255}` };
    expect((await api.call('GET', '/v1/alerts', { token: null, headers })).status).toBe(401);
  }
  for (let second = 0; second < 59; second += 1) {
    world.pass(1);
    for (let index = 0; index < 1000; index += 1) {
      await refusals.gather({ address: `10.${second}.${index >> 8}.${index & 255}` }, 'unauthenticated');
    }
  }
  expect(await entries()).toEqual([]);
  world.pass(1);
  await refusals.gather({ address: '10.0.0.1' }, 'unauthenticated');
  const kept = await entries();
  // All ten instances together may write 1,000 records a minute, so this one may write 100.
  expect(kept).toHaveLength(100);
  expect(kept.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(60_000);
  expect(world.lines.filter(({ event }) => event === 'requests.refused')).toHaveLength(1);
  await refusals.flush();
  expect(await entries()).toHaveLength(101);
  score('S16', `records of 60,000 anonymous requests in a minute, of 100${onStore}`, 60_000, 0);
});

/** Another value of each member that a person can change. A new member does not compile before it is here. */
const otherWebhook: Required<Omit<UpdateWebhookRequest, 'credentialVersions'>> = {
  ...{ url: 'https://other.example.com/', method: 'PUT', events: ['alert'], filter: { groups: ['north'] } },
  ...{
    maxAttempts: 2,
    timeoutSeconds: 7,
    description: 'other',
    secret: 'another-secret-of-the-endpoint',
    headers: { 'X-Other': '1' },
  },
  ...{ enabled: false, membersOfIncidents: false, format: 'cloudevents', drill: true, sequenced: true },
  ...{ template: '{"seen":"{{timestamp}}"}', retryDelays: [5, 7], retentionDays: 3, contact: 'ops@example.com' },
  clientCertificate: clientIdentity(),
  oauth2: { tokenUrl: 'https://tokens.example.com/', clientId: 'watchpost', clientSecret: 'a secret of the client' },
};
const otherDevice: Required<DevicePatch> = {
  ...{
    name: 'Other',
    groupId: 'south',
    site: 'other',
    parents: [{ kind: 'switch', id: 'sw-1' }],
    tags: { floor: '2' },
  },
  ...{ coverage: ['entrance'], model: 'other', firmware: '9.9', reporting: { periodSeconds: 120 } },
};

test.each(Object.entries(otherWebhook))(
  'a change of %s of an endpoint is shown by its entry',
  async (member, value) => {
    await showsChange(`/v1/webhooks/${await newWebhook()}`, { [member]: value });
  },
);

test('a change of the version of a credential, which comes with the credential, is shown by its entry', async () => {
  const body = { secret: 'another-secret-of-the-endpoint', credentialVersions: { secret: 2 } };
  await showsChange(`/v1/webhooks/${await newWebhook()}`, body);
});

test.each(Object.entries(otherDevice))('a change of %s of a device is shown by its entry', async (member, value) => {
  await showsChange(`/v1/devices/${await newDevice()}`, { [member]: value });
});

async function showsChange(path: string, body: object): Promise<void> {
  expect((await api.call('PATCH', path, { body })).status).toBe(200);
  const [entry] = (await entries()).filter(({ action }) => /^(update|patch|change)/.test(action));
  const after = JSON.parse(entry?.after ?? '{}');
  expect(Object.keys(after).filter((name) => name !== 'setByHand')).not.toEqual([]);
  expect(JSON.stringify(entry)).not.toContain('another-secret');
}

test('requests over the rate limit become one audit entry for each subject, with their number', async () => {
  for (let index = 0; index < 5; index += 1) await api.refusals.gather({ subject: 'user:eve' }, 'too-many-requests');
  await api.refusals.flush();
  expect(await entries()).toEqual([
    expect.objectContaining({ subject: 'user:eve', address: null, reason: 'too-many-requests', count: 5 }),
  ]);
});

test('audit entries are sent only to endpoints of unlimited tokens', async () => {
  const body = { url: 'https://hooks.example.com/siem', events: ['audit'] };
  const { body: wide } = await api.call('POST', '/v1/webhooks', { body });
  const limited = await api.issuer.token({ sub: 'eve', groups: ['north'] });
  const filtered = { ...body, filter: { groups: ['north'] } };
  const answer = await api.call('POST', '/v1/webhooks', { token: limited, body: filtered });
  expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/events']);
  const { body: own } = await api.call('POST', '/v1/webhooks', {
    token: limited,
    body: { ...filtered, events: ['alert'] },
  });
  const patch = await api.call('PATCH', `/v1/webhooks/${own.webhookId}`, {
    token: limited,
    body: { events: ['audit'] },
  });
  expect(patch.status).toBe(400);
  const alertId = await openTestAlert(api.world);
  await api.call('POST', `/v1/alerts/${alertId}/acknowledge`, { body: {} });
  await api.call('GET', `/v1/alerts/${uuidOf(9)}`, { token: limited });
  const audit = (await sentDeliveries(api.world.store)).filter(({ eventType }) => eventType === 'audit');
  expect(new Set(audit.map(({ webhookId }) => webhookId))).toEqual(new Set([wide.webhookId]));
  const bodies = audit.map((delivery) => JSON.parse(delivery.body));
  expect(bodies).toContainEqual({
    eventType: 'audit',
    version: '1.0',
    timestamp: expect.any(String),
    entry: expect.objectContaining({ action: 'acknowledgeAlert', subject: 'user:ana' }),
  });
  expect(bodies).toContainEqual(
    expect.objectContaining({ entry: expect.objectContaining({ outcome: 'refused', subject: 'user:eve' }) }),
  );
});
