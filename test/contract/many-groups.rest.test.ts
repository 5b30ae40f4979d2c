import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { sweepFleet } from '../../shared/app/fleet/summaries.ts';
import { rollUpTrends } from '../../shared/app/fleet/trends.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { uuidOf } from '../support/records/alerts.ts';
import { detection } from '../support/records/detections.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { emulatorProjects } from '../support/stores/store-of-run.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';

type Api = Awaited<ReturnType<typeof startTestApi>>;
const missing = missingForEmulators();
const groups = Array.from({ length: 34 }, (_, index) => `group-${index}`);

describe.skipIf(missing)('a token with more groups than one query of Firestore may name', { timeout: 300_000 }, () => {
  const connect = emulatorProjects();
  let api: Api;
  let token: string;
  beforeAll(async () => {
    api = await startTestApi(createTestWorld(createFirestoreStore(connect())));
    await populate();
    token = await api.issuer.token({ groups });
  });
  afterAll(async () => {
    await api?.stop();
  });

  async function populate(): Promise<void> {
    const { world } = api;
    await api.call('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/' } });
    const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
    for (const [index, groupId] of [...groups, 'foreign', 'foreign'].entries()) {
      const deviceId = `cam-${(index * 7) % 100}`;
      const publishTime = world.pass(1);
      const send = (kind: string, body: object) =>
        takeMessage(world, message(kind, body, { deviceId, publishTime }), intake);
      await send('status', { groupId, memory: { usedPercent: 95 } });
      await send('detection', detection(uuidOf(index)));
      await send('guardian', guardianAlert('conflict', ['qos'], startOfTests));
    }
  }

  /** The records of all pages of a list. */
  async function pagesOf(path: string, name: string) {
    const found: Record<string, unknown>[] = [];
    const search = path.includes('?') ? '&' : '?';
    for (let pageToken = ''; ; ) {
      const { status, body } = await api.call('GET', `${path}${search}pageSize=25${pageToken}`, { token });
      expect([path, status]).toEqual([path, 200]);
      found.push(...body[name]);
      if (!body.nextPageToken) return found;
      pageToken = `&pageToken=${encodeURIComponent(body.nextPageToken)}`;
    }
  }

  const lists: [path: string, name: string, order: string, direction: 'asc' | 'desc', count: number][] = [
    ['/v1/devices', 'devices', 'deviceId', 'asc', 34],
    ['/v1/alerts?code=RES_001', 'alerts', 'timestamp', 'desc', 34],
    ['/v1/alerts?code=RES_001&orderBy=timestamp%20asc', 'alerts', 'timestamp', 'asc', 34],
    ['/v1/alerts?status=active&status=escalated&severity=ERROR&severity=WARNING', 'alerts', 'timestamp', 'desc', 68],
    ['/v1/guardian-alerts', 'guardianAlerts', 'receivedAt', 'desc', 34],
    ['/v1/deliveries?status=pending&status=failed', 'deliveries', 'createdAt', 'desc', 34],
  ];
  test.each(lists)(
    'reads all %s in order, and nothing of another group',
    async (path, name, order, direction, count) => {
      const found = await pagesOf(path, name);
      const keys = found.map((each) => String(each[order]));
      expect(keys).toHaveLength(count);
      expect(keys).toEqual(direction === 'asc' ? keys.toSorted() : keys.toSorted().toReversed());
      expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(count);
      expect(found.filter(({ groupId }) => groupId === 'foreign')).toEqual([]);
    },
  );

  test('reads the fleet, its trends, an activity, a preview and an explanation', async () => {
    await sweepFleet(api.world);
    const { body: fleet } = await api.call('GET', '/v1/fleet', { token });
    expect(fleet).toMatchObject({ devices: { total: 34 }, alerts: { open: { ERROR: 34 } } });
    expect(fleet.recentAlerts).toHaveLength(20);
    await rollUpTrends(api.world);
    const { body: trends } = await api.call('GET', '/v1/fleet/trends', { token });
    const opened = trends.buckets.map((bucket: { opened: { ERROR: number } }) => bucket.opened.ERROR);
    expect(opened.reduce((sum: number, count: number) => sum + count, 0)).toBe(34);
    expect((await api.call('GET', '/v1/devices/cam-0/activity', { token })).body.entries.length).toBeGreaterThan(1);
    const rule = { name: 'x', condition: { code: 'RES_001' }, action: { priority: 'P1' } };
    const preview = await api.call('POST', '/v1/rules/preview', { token, body: { rule } });
    expect(preview.body).toMatchObject({ matched: 34, isComplete: true });
    const filter = { groups };
    const made = await api.call('POST', '/v1/webhooks', { token, body: { url: 'https://hooks.example.com/', filter } });
    const path = `/v1/webhooks/${made.body.webhookId}`;
    const explained = await api.call('POST', `${path}/explain`, { token, body: { limit: 100 } });
    expect(explained.body.detections).toHaveLength(34);
    const replayed = await api.call('POST', `${path}/replay`, { token, body: { since: startOfTests } });
    expect(replayed.body).toEqual({ matched: 0, waiting: 0, replayed: 0, remaining: 0 });
  });

  test('is refused a request that needs too many queries', async () => {
    const statuses = ['active', 'acknowledged', 'escalated', 'resolved'].slice(0, 2).map((name) => `status=${name}`);
    const severities = ['CRITICAL', 'ERROR', 'WARNING', 'INFO'].map((name) => `severity=${name}`);
    const codes = ['RES_001', 'RES_002'].map((name) => `code=${name}`);
    const many = Array.from({ length: 100 }, (_, index) => `group-${index}`);
    const { status, body } = await api.call('GET', `/v1/alerts?${[...statuses, ...severities, ...codes].join('&')}`, {
      token: await api.issuer.token({ groups: many }),
    });
    expect([status, body.code]).toEqual([400, 'invalid-request']);
    expect(body.detail).toContain('combine to 1600 values');
  });
});
