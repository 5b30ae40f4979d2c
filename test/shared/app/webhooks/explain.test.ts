import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { message } from '../../../support/records/reports.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { frames } from '../../../support/world/frames.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
  const devices = [
    { deviceId: 'cam-1', groupId: 'north', site: 'gate', tags: { floor: '2' } },
    { deviceId: 'cam-2', groupId: 'south', site: 'yard' },
  ];
  expect((await api.call('PUT', '/v1/devices', { body: { devices } })).status).toBe(200);
});
afterEach(() => api.stop());

const fill = (deviceId: string, usedPercent: number) =>
  takeMessage(api.world, message('status', { memory: { usedPercent } }, { deviceId }), {
    bridgeDialect: 'native',
    autoRegister: true,
    frames,
  });
const create = async (filter: object | null, token?: string) => {
  const body = { url: 'https://hooks.example.com/watchpost', events: ['alert'], ...(filter ? { filter } : {}) };
  return (await api.call('POST', '/v1/webhooks', { body, ...(token ? { token } : {}) })).body.webhookId;
};
const explain = async (webhookId: string, body: object, token?: string) =>
  (await api.call('POST', `/v1/webhooks/${webhookId}/explain`, { body, ...(token ? { token } : {}) })).body;
type Explained = { deviceId: string; code: string; refusedBy: { member: string }[]; deliveryStatus: string | null };
const shown = ({ events }: { events: Explained[] }) =>
  events.map(({ deviceId, code, refusedBy, deliveryStatus }) => [
    deviceId,
    code,
    refusedBy.map(({ member }) => member),
    deliveryStatus,
  ]);

describe('explain', () => {
  test('says of each recent alert whether it was sent, or which members refused it', async () => {
    const webhookId = await create({ codes: ['RES_001'], tags: { floor: ['2'] }, sites: ['gate'] });
    await fill('cam-1', 95);
    await fill('cam-2', 85);
    expect(shown(await explain(webhookId, { eventType: 'alert' }))).toEqual([
      ['cam-2', 'RES_002', ['codes', 'tags', 'sites'], null],
      ['cam-1', 'RES_001', [], 'pending'],
    ]);
  });

  test('counts what another filter would have chosen of the last 30 days, without storing it', async () => {
    const webhookId = await create({ severities: ['CRITICAL'] });
    await fill('cam-1', 95);
    api.world.pass(29 * 24 * 3600);
    await fill('cam-2', 85);
    const since = '2026-01-01T00:00:00Z';
    const asked = { eventType: 'alert', since, limit: 1, filter: { severities: ['ERROR', 'WARNING'] } };
    const answer = await explain(webhookId, asked);
    expect(answer).toMatchObject({ examined: 2, matched: 2, isComplete: true });
    expect(answer.events).toHaveLength(1);
    expect(await explain(webhookId, { ...asked, filter: undefined })).toMatchObject({ examined: 2, matched: 0 });
  });

  test('shows a token that is limited to groups only events of these, whatever filter it asks about', async () => {
    const north = await api.issuer.token({ groups: ['north'] });
    const webhookId = await create({ groups: ['north'] }, north);
    await fill('cam-1', 95);
    await fill('cam-2', 85);
    const answer = await explain(webhookId, { eventType: 'alert', filter: {}, since: '2026-01-01T00:00:00Z' }, north);
    expect([answer.examined, shown(answer).map(([deviceId]) => deviceId)]).toEqual([1, ['cam-1']]);
  });

  test('refuses a schedule that does not exist', async () => {
    const webhookId = await create(null);
    const answer = await explain(webhookId, { filter: { schedule: 'siesta' } });
    expect(answer.errors).toEqual([{ pointer: '/filter/schedule', detail: 'there is no schedule siesta' }]);
  });
});
