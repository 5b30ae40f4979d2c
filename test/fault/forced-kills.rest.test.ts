import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { freePorts } from '../../local/machine/ports.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { startTcpProxy, type TcpProxy } from '../support/faults/tcp-proxy.ts';
import { detection } from '../support/records/detections.ts';
import { ledger } from '../support/score/score.ts';
import { receiverOf } from '../support/stack/receiver.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** The delay of the receiver's answers: time for the test to block Firestore before an answer can be recorded. */
const answerMs = 2000;
const timeoutSeconds = 8;

describe.skipIf(missing)('deliver killed at a chosen point of an attempt', { timeout: 180_000 }, () => {
  let stack: Stack;
  let firestore: TcpProxy;
  /** The proxy before the receiver. */
  let door: TcpProxy;
  let api: ReturnType<typeof callerOf>;
  let receiver: ReturnType<typeof receiverOf>;
  let camera: Awaited<ReturnType<typeof connectDevice>>;
  beforeAll(async () => {
    const ports = await freePorts();
    firestore = await startTcpProxy(ports.firestore);
    door = await startTcpProxy(ports.receiver);
    const env = { ...process.env, WEBHOOK_ALLOW_HOSTS: 'localhost' };
    stack = await startStack({ ports, between: { firestore: firestore.port }, env });
    api = callerOf(stack);
    receiver = receiverOf(stack);
    camera = await connectDevice(stack, 'cam-1');
  });
  afterAll(async () => {
    await camera?.client.endAsync();
    await stack?.stop();
    await Promise.all([firestore?.stop(), door?.stop()]);
  });

  const endpoint = async (hook: string, url = receiver.urlOf(hook)) => {
    const body = { url, filter: { objects: [hook] }, timeoutSeconds };
    return (await api.call('POST', '/v1/webhooks', { body })).body.webhookId as string;
  };
  const see = async (...hooks: string[]) => {
    const report = detection(`session-${hooks[0]}`);
    const [object] = report.analysis.objects;
    report.analysis.objects = hooks.flatMap((name) => (object ? [{ ...object, name }] : []));
    await camera.send('detection', report);
  };
  const delivered = (webhookId: string) =>
    until(
      `the delivery to ${webhookId}`,
      async () => {
        const { body } = await api.get(`/v1/deliveries?webhookId=${webhookId}`);
        const [delivery] = body.deliveries ?? [];
        return delivery?.status === 'delivered' && (await api.get(`/v1/deliveries/${delivery.deliveryId}`)).body;
      },
      90,
    );
  /** The attempt numbers of the requests that a hook received, and how many delivery ids they had. */
  const story = async (hook: string) => {
    const seen = await receiver.seen(hook);
    return {
      attempts: seen.map(({ headers }) => headers['x-service-attempt']),
      ids: new Set(seen.map(({ headers }) => headers['x-service-delivery'])).size,
    };
  };

  test('before or during the request, or before its record: nothing is lost, and a repeat has the same attempt number', async () => {
    await receiver.configure('recorded', { behaviour: { kind: 'ok', delayMs: answerMs } });
    await receiver.configure('within', { behaviour: { kind: 'hang', times: 1 } });
    const ids = {
      before: await endpoint('before', `https://localhost:${door.port}/before`),
      within: await endpoint('within'),
      recorded: await endpoint('recorded'),
    };
    // The proxy holds everything back: the connection is open, so the lease is taken, but no byte has reached the receiver.
    door.hold('to-server');
    await see('before', 'within', 'recorded');
    await until('all three under way', async () => {
      const [within, recorded] = [await receiver.seen('within'), await receiver.seen('recorded')];
      return door.connections() > 0 && within.length > 0 && recorded.length > 0;
    });
    firestore.hold('to-server');
    await pause(answerMs + 1500);
    expect(await receiver.seen('before')).toEqual([]);
    await stack.kill('deliver');
    // Pending writes of the dead process must not reach the store.
    firestore.cut();
    firestore.release();
    door.cut();
    door.release();
    const deliveries = await Promise.all(Object.values(ids).map(delivered));
    expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
    expect(await story('before')).toEqual({ attempts: ['1'], ids: 1 });
    expect(await story('within')).toEqual({ attempts: ['1', '1'], ids: 1 });
    expect(await story('recorded')).toEqual({ attempts: ['1', '1'], ids: 1 });
    ledger('R2', 'deliver killed before, within and after a request', { tried: 3, lost: 0, wrong: 0, doubled: 0 });
  });

  test('after its record is written, but before the store confirms it: the receiver gets no second request', async () => {
    await receiver.configure('written', { behaviour: { kind: 'ok', delayMs: answerMs } });
    const webhookId = await endpoint('written');
    await see('written');
    await until('its request', async () => (await receiver.seen('written')).length > 0);
    firestore.hold('to-client');
    await pause(answerMs + 1500);
    await stack.kill('deliver');
    firestore.cut();
    firestore.release();
    expect((await delivered(webhookId)).attempts).toHaveLength(1);
    // The wake of the dead process is dispatched again and finds nothing to do.
    await until('deliver', async () => 'deliver' in stack.run.pids);
    await see('later');
    await pause(5000);
    expect(await story('written')).toEqual({ attempts: ['1'], ids: 1 });
    ledger('R2', 'deliver killed after its record', { tried: 1, lost: 0, wrong: 0, doubled: 0 });
  });
});
