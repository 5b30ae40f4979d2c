import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { faultsOf } from '../../shared/schema/validate.ts';
import { inSet } from '../support/sets.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

// The same job on Google's emulators and on the in-process twin.
inSet('test', () =>
  describe.skipIf(missing)('a camera’s trouble becomes an alert, on the emulators', () => play(false)),
);
inSet('rest', () => describe('a camera’s trouble becomes an alert, on the in-process twin', () => play(true)));

function play(embedded: boolean): void {
  let stack: Stack;
  let api: ReturnType<typeof callerOf>;

  beforeAll(async () => {
    stack = await startStack({ isEmbedded: embedded, env: { ...process.env, LOG_LEVEL: 'debug' } });
    api = callerOf(stack);
  });
  afterAll(() => stack?.stop());

  test('a real MQTT publish becomes an alert with every member of the contract', async () => {
    const camera = await connectDevice(stack, 'cam-memory');
    await camera.send('status', { groupId: 'north', timestamp: new Date().toISOString(), memory: { usedPercent: 93 } });
    const alert = await until(
      'the alert',
      async () => (await api.get('/v1/alerts?deviceId=cam-memory')).body.alerts[0],
    );
    expect(faultsOf('DeviceAlert', alert)).toEqual([]);
    expect(alert).toMatchObject({
      code: 'RES_001',
      severity: 'ERROR',
      category: 'resource',
      groupId: 'north',
      status: 'active',
    });
    expect((await api.get('/v1/alerts?status=active&severity=ERROR&groupId=north')).body.alerts).toHaveLength(1);
    expect((await api.get('/v1/alerts?status=active&severity=CRITICAL')).body.alerts).toEqual([]);
    expect((await api.get('/v1/devices/cam-memory/alerts')).body.alerts).toHaveLength(1);
    await camera.client.endAsync();
  });

  if (!embedded) {
    test('whoever asks for it reads one line for each message that was handled', () => {
      const log = readFileSync(join(stack.dataDir, 'logs', 'ingest.log'), 'utf8');
      const lines = [...log.matchAll(/^\{.*"message.handled".*$/gm)].map(([line]) => JSON.parse(line));
      const handled = { severity: 'DEBUG', messageId: expect.any(String), isRepeat: false, bytes: expect.any(Number) };
      expect(lines.at(-1)).toMatchObject({ ...handled, durationMs: expect.any(Number) });
    });
  }

  test('the alert is acknowledged, and ends by itself when the value recovers', async () => {
    const [alert] = (await api.get('/v1/alerts?deviceId=cam-memory')).body.alerts;
    const acknowledged = await api.call('POST', `/v1/alerts/${alert.alertId}/acknowledge`, { body: {} });
    expect(acknowledged.body.status).toBe('acknowledged');
    const camera = await connectDevice(stack, 'cam-memory');
    await camera.send('status', { timestamp: new Date().toISOString(), memory: { usedPercent: 40 } });
    const resolved = await until('its end', async () => {
      const { body } = await api.get(`/v1/alerts/${alert.alertId}`);
      return body.resolved && body;
    });
    expect(resolved).toMatchObject({ status: 'resolved', resolution: 'automatic', resolvedAt: expect.any(String) });
    await camera.client.endAsync();
  });

  test('a frame is uploaded to the address that the API gives, once, and not to a changed address', async () => {
    const asked = { body: { contentType: 'image/jpeg' } };
    const { body } = await api.call('POST', '/v1/devices/cam-memory/upload-urls', asked);
    const bring = async (url: string) => (await fetch(url, { method: 'PUT', headers: body.headers, body: 'x' })).status;
    expect(await bring(body.url.replace('cam-memory', 'cam-often'))).toBe(403);
    expect([await bring(body.url), await bring(body.url)]).toEqual([200, 412]);
  });

  test('one report ten times, shuffled among others, is one alert', async () => {
    const camera = await connectDevice(stack, 'cam-often');
    const now = Date.now();
    const report = (seq: number) => ({
      bootId: 'b',
      seq,
      timestamp: new Date(now + seq).toISOString(),
      storage: { freeMegabytes: 50 + seq },
    });
    const order = [3, 1, 3, 0, 3, 2, 3, 1, 3, 3, 0, 3, 2, 3, 3, 3];
    await Promise.all(order.map((seq) => camera.send('status', report(seq))));
    await until('the newest reading', async () => {
      const { body } = await api.get('/v1/devices?q=cam-often');
      return body.devices[0]?.readings.storageFreeMegabytes === 53;
    });
    const { body } = await api.get('/v1/alerts?deviceId=cam-often&status=all');
    expect(body.alerts.map(({ code }: { code: string }) => code)).toEqual(['RES_003']);
    await camera.client.endAsync();
  });

  test('poison is quarantined once each while good reports flow', async () => {
    const camera = await connectDevice(stack, 'cam-poison');
    await camera.send('status', Buffer.from([0xff, 0xfe, 0x00]));
    await camera.send('status', { memory: { usedPercent: 'much' } });
    await camera.send('status', { mqtt: { latencyMs: 900 } });
    await until('the good report', async () => (await api.get('/v1/alerts?deviceId=cam-poison')).body.alerts[0]);
    const { body } = await api.get('/v1/quarantine');
    const mine = body.reports.filter(({ deviceId }: { deviceId: string }) => deviceId === 'cam-poison');
    expect(mine.map(({ reason }: { reason: string }) => reason).toSorted()).toEqual(['unreadable', 'wrong-shape']);
    await camera.client.endAsync();
  });

  test('pages have no gap and no repeated alert', async () => {
    const ids = Array.from({ length: 5 }, (_unused, index) => `cam-page-${index}`);
    await Promise.all(
      ids.map(async (id) => {
        const camera = await connectDevice(stack, id);
        await camera.send('status', { groupId: 'paged', memory: { usedPercent: 85 } });
        await camera.client.endAsync();
      }),
    );
    await until('five alerts', async () => (await api.get('/v1/alerts?groupId=paged')).body.alerts.length === 5);
    const seen: string[] = [];
    let next = '';
    do {
      const { body } = await api.get(`/v1/alerts?groupId=paged&pageSize=2${next}`);
      seen.push(...body.alerts.map(({ deviceId }: { deviceId: string }) => deviceId));
      next = body.nextPageToken ? `&pageToken=${body.nextPageToken}` : '';
    } while (next);
    expect(seen.toSorted()).toEqual(ids);
  });

  test('the fleet is counted, and the API describes itself', async () => {
    const { body: fleet } = await api.get('/v1/fleet');
    expect(fleet.devices.total).toBeGreaterThanOrEqual(8);
    const { body: description } = await api.get('/v1/openapi.json');
    expect(description.openapi).toBe('3.1.0');
    expect(Object.keys(description.paths)).toContain('/v1/alerts/{alertId}/acknowledge');
  });

  test.each(['ingest', 'deliver', 'deadline'] as const)(
    '%s takes no call without the platform’s token',
    async (name) => {
      const address = `http://127.0.0.1:${stack.ports[name]}/`;
      const body = JSON.stringify({ message: { data: '', messageId: '1', publishTime: new Date().toISOString() } });
      const headers = { 'Content-Type': 'application/json' };
      expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(401);
      const withUserToken = { ...headers, Authorization: `Bearer ${stack.run.token}` };
      expect([401, 403]).toContain((await fetch(address, { method: 'POST', headers: withUserToken, body })).status);
    },
  );

  test('malformed JSON is a problem document, not a page of the framework', async () => {
    const [alert] = (await api.get('/v1/alerts?groupId=paged')).body.alerts;
    const response = await fetch(`${stack.run.baseUrl}/v1/alerts/${alert.alertId}/acknowledge`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stack.run.token}`, 'Content-Type': 'application/json' },
      body: '{"comment": ',
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
  });

  test('if the broker stops, only /ready fails and names it, until the broker is back', async () => {
    await stack.stopPart('mqtt');
    const look = async () => {
      const response = await fetch(`${stack.run.baseUrl}/ready`);
      return {
        status: response.status,
        body: (await response.json()) as { checks: Record<string, { status: string }> },
      };
    };
    const { body } = await until('503', async () => {
      const seen = await look();
      return seen.status === 503 && seen;
    });
    const unhealthy = Object.entries(body.checks).flatMap(([name, { status }]) => (status === 'healthy' ? [] : [name]));
    expect(unhealthy).toEqual(['mqtt']);
    expect((await fetch(`${stack.run.baseUrl}/health`)).status).toBe(200);
    await stack.restart('mqtt');
    await until('200', async () => (await look()).status === 200);
  });
}
