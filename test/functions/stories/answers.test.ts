import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { takeDeadLetter } from '../../../shared/app/intake/take-message.ts';
import { createWindow } from '../../../shared/app/maintenance/windows.ts';
import { ana, giveRule, giveTeam } from '../../support/records/alerts.ts';
import { endpoint, failure, giveWebhook, success } from '../../support/records/deliveries.ts';
import { detection } from '../../support/records/detections.ts';
import { message } from '../../support/records/reports.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { startTestApi } from '../../support/world/api.ts';
import { createChronicle } from '../../support/world/chronicle.ts';
import { behind, hangs } from '../../support/world/living-fleet.ts';
import { hang } from '../../support/world/places.ts';
import { intake } from '../../support/world/ways.ts';
import { afterPause } from '../../support/world/world.ts';

const chronicle = createChronicle({
  leftOut: ['auditStream', 'events', 'html'],
  answer: ({ channel }) => (channel === 'webhook' ? failure : success),
});
const { world, says, lives, hears, passes } = chronicle;
const cameras = [...behind('a', '1', 3), ...behind('b', '1', 3)];
const webhookId = endpoint().webhookId;
let api: Awaited<ReturnType<typeof startTestApi>>;

/** A fleet of two sites in which much has happened within a few hours. */
beforeAll(async () => {
  api = await startTestApi(world);
  await giveTeam(world, 'operations', {
    emails: ['ops@example.com'],
    phones: ['+46701111111'],
    people: [
      { personId: 'ada', name: 'Ada', email: 'ada@example.com' },
      { personId: 'ben', name: 'Ben', phone: '+46703333333' },
    ],
    rotations: [{ people: ['ada', 'ben'], handover: { weekday: 'sat', time: '08:00' }, timeZone: 'Europe/Stockholm' }],
  });
  await giveWebhook(world, { webhookId, maxAttempts: 2, sequenced: true, events: ['alert', 'detection', 'guardian'] });
  const status = (deviceId: string) => ({
    groupId: deviceId.startsWith('a') ? 'north' : 'south',
    model: deviceId.startsWith('a') ? 'P1465' : 'Q3538',
    firmware: '11.9',
    name: `Door ${deviceId}`,
  });
  await lives(1, cameras, status);
  for (const camera of cameras) {
    await hang(world, camera, { ...hangs(camera), groupId: camera.startsWith('a') ? 'north' : 'south' });
  }
  await lives(3, cameras, status);
  const [first = '', second = '', third = ''] = cameras;
  await says(first, 'status', { memory: { usedPercent: 93 } });
  await says(second, 'status', { storage: { freeMegabytes: 10 } });
  await says(second, 'status', { certificate: { valid: false, reason: 'expired' } });
  await says(third, 'detection', detection('s-1', { timestamp: world.now() }));
  await says(third, 'guardian', guardianAlert('drift', ['port'], world.now()));
  await takeDeadLetter(
    world,
    message('status', Buffer.from('{"half'), { deviceId: first, messageId: 'bad', publishTime: world.now() }),
    intake,
  );
  for (const camera of behind('b', '1', 3)) await hears(camera, 'connection', { status: 'offline' });
  await lives(14, cameras.slice(0, 3), status);
  await passes(1800);
  await lives(2, cameras.slice(0, 3), status);
  const works = {
    name: 'Works',
    scope: { groups: ['south'] },
    startsAt: world.now(),
    endsAt: '2026-11-21T10:00:00.000Z',
  };
  await createWindow(world, ana, works, '00000000-0000-4000-8000-00000000aaaa');
  await sweep({ ...world, after: afterPause(async () => {}) });
});
afterAll(() => api.stop());

const asOf = async (groups: string | string[]) => ({ token: await api.issuer.token({ groups }) });

async function ask(path: string, given: Parameters<typeof api.call>[2] = {}, method = 'GET') {
  const { status, body } = await api.call(method, path, given);
  const { requestId: _, ...answer } = (body ?? {}) as { requestId?: string };
  chronicle.shows(`${method} ${path} ${status}`, typeof body === 'string' ? body : answer);
  return body;
}

test('what the routes that read answer about it, to somebody of the whole fleet and of one group', async () => {
  const began = chronicle.text().length;
  const ids = async (kind: 'alerts' | 'incidents' | 'deliveries') =>
    (await world.store.find({ in: kind, limit: 1000 })).map(({ id }) => id).toSorted();
  const lists = [
    '/v1/alerts?status=all&orderBy=timestamp%20asc',
    '/v1/alerts?status=all&category=resource',
    '/v1/alerts?q=door',
    '/v1/alerts?q=RES_&status=all',
    '/v1/alerts?site=b&severity=CRITICAL&pageSize=2',
    '/v1/devices',
    '/v1/devices?state=offline',
    '/v1/devices?model=P1465&online=true',
    '/v1/devices?q=door&pageSize=2',
    '/v1/sites',
    '/v1/now',
    '/v1/guardian-alerts',
    '/v1/incidents?status=all',
    '/v1/fleet',
    '/v1/fleet/trends?days=1',
    '/v1/fleet/trends?days=3&bucket=day',
    '/v1/quarantine?status=all',
    '/v1/teams',
    '/v1/teams/operations',
    '/v1/teams/operations/on-call',
    '/v1/teams/operations/on-call?at=2026-11-21T07:00:00Z',
    '/v1/settings',
    '/v1/maintenance-windows',
    '/v1/webhooks',
    '/v1/webhook-health',
    `/v1/webhooks/${webhookId}`,
    '/v1/deliveries?status=failed',
    '/v1/deliveries?channel=sms',
    '/v1/egress-ranges',
  ];
  for (const path of lists) await ask(path);
  for (const path of lists) if (!/settings|egress/.test(path)) await ask(path, await asOf(['north']));
  for (const id of await ids('alerts'))
    for (const part of ['/explain', '/history']) await ask(`/v1/alerts/${id}${part}`);
  for (const id of await ids('incidents'))
    for (const part of ['', '/explain', '/history', '/alerts']) await ask(`/v1/incidents/${id}${part}`);
  for (const id of (await ids('deliveries')).slice(0, 4)) await ask(`/v1/deliveries/${id}`);
  for (const camera of cameras.slice(1, 4))
    for (const part of ['', '/alerts', '/activity']) await ask(`/v1/devices/${camera}${part}`);
  for (const place of ['site/a', 'switch/a-1', 'uplink/u-1', 'group/north']) await ask(`/v1/places/${place}`);
  await expect(chronicle.text().slice(began)).toMatchFileSnapshot('answers.txt');
});

test('what changes what, and is previewed before', async () => {
  const began = chronicle.text().length;
  await giveRule(world, { name: 'Quiet store', condition: { code: 'RES_*' }, action: { suppress: true } });
  const rule = {
    name: 'Doors',
    condition: { code: '*', group: ['north'] },
    action: { team: 'operations', notify: ['sms'] },
  };
  await ask('/v1/rules/preview', { body: { rule, days: 7 } }, 'POST');
  const works = { scope: { groups: ['south'] }, startsAt: '2026-11-20T10:00:00Z', endsAt: '2026-11-20T12:00:00Z' };
  await ask('/v1/maintenance-windows/preview', { body: { window: { name: 'Works', ...works } } }, 'POST');
  await ask(`/v1/webhooks/${webhookId}/explain`, { body: { limit: 5 } }, 'POST');
  const [camera = ''] = cameras;
  const step = (method: string, path: string, body?: object) =>
    chronicle.step(`${method} ${path}`, () => ask(path, body ? { body } : {}, method));
  await step('PATCH', `/v1/devices/${camera}`, {
    name: 'Gate',
    groupId: 'south',
    tags: { floor: '2' },
    reporting: { periodSeconds: 30 },
  });
  await step('PUT', '/v1/places/site/a', { name: 'Harbour', groups: ['north'], shared: false });
  await step('PUT', '/v1/devices?dryRun=true', {
    devices: [
      { deviceId: 'new-1', groupId: 'north' },
      { deviceId: camera, name: 'Other' },
    ],
  });
  await step('PUT', '/v1/devices', {
    devices: [
      { deviceId: 'new-1', groupId: 'north' },
      { deviceId: camera, name: 'Other' },
    ],
  });
  const [failed] = await world.store.find({
    in: 'deliveries',
    where: [{ field: 'status', is: '==', value: 'failed' }],
    limit: 1,
  });
  await step('POST', `/v1/deliveries/${failed?.id}/dismiss`, {});
  await step('POST', `/v1/deliveries/${failed?.id}/restore`, {});
  await step('POST', `/v1/deliveries/${failed?.id}/redeliver`, {});
  await step('PATCH', `/v1/webhooks/${webhookId}`, { enabled: false });
  await step('PATCH', `/v1/webhooks/${webhookId}`, {
    enabled: true,
    events: ['alert'],
    filter: { groups: ['north'] },
  });
  await step('POST', `/v1/alerts/batch/matching`, { action: 'acknowledge', filter: { status: ['active'] } });
  await passes(120);
  await step('DELETE', `/v1/devices/${cameras[1]}`);
  await step('DELETE', `/v1/devices/${cameras[2]}?erase=true`);
  await passes(600);
  await expect(chronicle.text().slice(began)).toMatchFileSnapshot('changes.txt');
});
