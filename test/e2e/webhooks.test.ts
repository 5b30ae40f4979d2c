import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import type { Received } from '../../local/cloud/receiver/server.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { startTcpProxy } from '../support/faults/tcp-proxy.ts';
import { detection } from '../support/records/detections.ts';
import { inSet } from '../support/sets.ts';
import { receiverOf } from '../support/stack/receiver.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

/** The delays of the contract, 30 s to 1 h, are divided by this. */
const timeScale = 400;

inSet('test', () => describe.skipIf(missing)('a detection becomes a webhook, on the emulators', () => play(false)));
inSet('rest', () => describe('a detection becomes a webhook, on the in-process twin', () => play(true)));

function play(isEmbedded: boolean): void {
  let stack: Stack;
  let api: ReturnType<typeof callerOf>;
  let receiver: ReturnType<typeof receiverOf>;
  let camera: Awaited<ReturnType<typeof connectDevice>>;

  beforeAll(async () => {
    stack = await startStack({ isEmbedded, timeScale });
    api = callerOf(stack);
    receiver = receiverOf(stack);
    camera = await connectDevice(stack, 'cam-1');
  });
  afterAll(async () => {
    await camera?.client.endAsync();
    await stack?.stop();
  });

  /** Creates an endpoint for the detections of one object only, so that tests do not disturb each other. */
  const endpoint = async (hook: string, given: object = {}) => {
    const body = { url: receiver.urlOf(hook), filter: { objects: [hook] }, ...given };
    const answer = await api.call('POST', '/v1/webhooks', { body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const see = async (hook: string, sessionId: string) => {
    const report = detection(sessionId);
    const [object] = report.analysis.objects;
    if (object) object.name = hook;
    await camera.send('detection', report);
  };
  const deliveryOf = async (webhookId: string) =>
    (await api.get(`/v1/deliveries?webhookId=${webhookId}`)).body.deliveries[0];

  test('a detection arrives once, signed under both schemes, however often the camera repeats it', async () => {
    const { secret, webhookId } = await endpoint('signed', { generateSecret: true });
    await receiver.configure('signed', { secret });
    for (let time = 0; time < 5; time += 1) await see('signed', 'session-signed');
    const delivery = await until('the delivery', async () => {
      const found = await deliveryOf(webhookId);
      return found?.status === 'delivered' && found;
    });
    const seen = await receiver.seen('signed');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', verified: { contract: true, standard: true } });
    expect(seen[0]?.headers).toMatchObject({
      'x-service-delivery': delivery.deliveryId,
      'x-service-event': 'detection',
    });
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      eventType: 'detection',
      session: { id: 'session-signed' },
    });
  });

  test.each([1, 2, 3, 4, 5])(
    'a failing receiver gets %i attempts by the schedule, then the delivery waits for a person',
    async (n) => {
      const hook = `failing-${n}`;
      await receiver.configure(hook, { secret: 'sixteen characters', behaviour: { kind: 'fail', status: 500 } });
      const { webhookId } = await endpoint(hook, { maxAttempts: n, secret: 'sixteen characters' });
      await see(hook, `session-${hook}`);
      const delivery = await until('the end of its attempts', async () => {
        const found = await deliveryOf(webhookId);
        return found?.status === 'failed' && found;
      });
      const seen = await receiver.seen(hook);
      expect(seen.map(({ headers }) => headers['x-service-attempt'])).toEqual(
        Array.from({ length: n }, (_, i) => `${i + 1}`),
      );
      expect(new Set(seen.map(({ headers }) => headers['x-service-delivery']))).toEqual(new Set([delivery.deliveryId]));
      expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
      expect(seen.every(({ verified }) => verified?.contract && verified.standard)).toBe(true);
      for (const [index, delay] of [30, 120, 600, 3600].slice(0, n - 1).entries()) {
        expect(gapMs(seen, index)).toBeGreaterThanOrEqual((delay * 1000) / timeScale - 5);
      }
      const listed = (await api.get('/v1/deliveries?status=failed')).body.deliveries;
      expect(listed.map(({ deliveryId }: { deliveryId: string }) => deliveryId)).toContain(delivery.deliveryId);
    },
  );

  test('a failed delivery that a person sends again arrives under the same id, its attempts counted on', async () => {
    const hook = 'again';
    await receiver.configure(hook, { behaviour: { kind: 'fail', status: 503, times: 1 } });
    const { webhookId } = await endpoint(hook, { maxAttempts: 1 });
    await see(hook, 'session-again');
    const failed = await until('its failure', async () => {
      const found = await deliveryOf(webhookId);
      return found?.status === 'failed' && found;
    });
    await api.call('POST', `/v1/deliveries/${failed.deliveryId}/redeliver`);
    await until('its arrival', async () => (await deliveryOf(webhookId))?.status === 'delivered');
    const seen = await receiver.seen(hook);
    expect(seen.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
    expect(new Set(seen.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  });

  test('410 disables the endpoint; later deliveries are held and can be replayed', async () => {
    const hook = 'gone';
    await receiver.configure(hook, { behaviour: { kind: 'gone', times: 1 } });
    const { webhookId } = await endpoint(hook);
    const since = new Date(Date.now() - 60_000).toISOString();
    await see(hook, 'session-gone-1');
    await until('its end', async () => !(await api.get(`/v1/webhooks/${webhookId}`)).body.enabled);
    await see(hook, 'session-gone-2');
    const heldIn = async () => (await api.get(`/v1/deliveries?webhookId=${webhookId}&status=held`)).body.deliveries;
    await until('what is held', async () => (await heldIn()).length === 2);
    await api.call('PATCH', `/v1/webhooks/${webhookId}`, { body: { enabled: true } });
    const replay = await api.call('POST', `/v1/webhooks/${webhookId}/replay`, { body: { since } });
    expect(replay.body).toEqual({ matched: 2, waiting: 0, replayed: 2, remaining: 0 });
    await until('both', async () => {
      const { body } = await api.get(`/v1/deliveries?webhookId=${webhookId}&status=delivered`);
      return body.deliveries.length === 2;
    });
  });

  test('watchpost listen forwards each event once, in order and with its id of the feed, even if its connection breaks', async () => {
    const [proxy, here] = await Promise.all([startTcpProxy(stack.ports.gateway), startReceiver()]);
    const listening = startListening(`http://127.0.0.1:${proxy.port}`, stack.run.token, here.url);
    try {
      await until('its readiness', async () => listening.said().includes('Events go to'));
      const sessions = Array.from({ length: 24 }, (_, index) => `listened-${index}`);
      for (const [index, session] of sessions.entries()) {
        if (index % 8 === 0) proxy.hold('to-client');
        await see('listened', session);
        if (index % 8 === 4) await until('a connection to cut', async () => proxy.cut() > 0);
        if (index % 8 === 6) proxy.release();
      }
      // Events of other tests on this stack arrive as well.
      const arrived = () => here.received.filter(({ session }) => session.startsWith('listened-'));
      await until('all events', async () => arrived().length >= sessions.length);
      expect(arrived().map(({ session }) => session)).toEqual(sessions);
      const { events } = (await api.get('/v1/events?types=detection')).body as { events: { recordId: string }[] };
      const all = new Set(events.map(({ recordId }) => recordId));
      expect(arrived().filter(({ id }) => !all.has(id))).toEqual([]);
      expect(new Set(arrived().map(({ id }) => id)).size).toBe(sessions.length);
    } finally {
      listening.stop();
      await Promise.all([proxy.stop(), here.stop()]);
    }
  });

  test('private addresses are refused although the receiver’s address is allowed', async () => {
    for (const url of [
      'https://127.0.0.1:8443/',
      `https://localhost:${stack.ports.api}/`,
      'https://169.254.169.254/',
    ]) {
      expect((await api.call('POST', '/v1/webhooks', { body: { url } })).status).toBe(400);
    }
  });
}

function gapMs(seen: Received[], index: number): number {
  return Date.parse(seen[index + 1]?.at ?? '') - Date.parse(seen[index]?.at ?? '');
}

/** Starts a receiver on this machine that accepts every request. */
async function startReceiver() {
  const received: { id: string; session: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ id: String(request.headers['webhook-id']), session: JSON.parse(body).session?.id ?? '' });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { received, url, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** Starts the command line in its own process. */
function startListening(service: string, token: string, forward: string) {
  const child = spawn(process.execPath, ['cli/src/main.ts', 'listen', '--forward', forward], {
    env: { ...process.env, WATCHPOST_URL: service, WATCHPOST_TOKEN: token },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return { said: () => said, stop: () => child.kill() };
}
