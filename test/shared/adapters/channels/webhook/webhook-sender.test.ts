import { expect, test } from 'vitest';
import { signContract, signingKey, signStandard } from '../../../../../shared/adapters/channels/webhook/signing.ts';
import { createWebhookSender } from '../../../../../shared/adapters/channels/webhook/webhook-sender.ts';
import { createMemoryStore } from '../../../../../shared/adapters/memory/store.ts';
import { inTrace } from '../../../../../shared/adapters/trace.ts';
import { ownerOf } from '../../../../../shared/app/webhooks/secrets.ts';
import type { Webhook } from '../../../../../shared/domain/delivery/webhook.ts';
import { faultsOfHeaders } from '../../../../../shared/domain/delivery/webhook-headers.ts';
import { endpoint, storeDelivery } from '../../../../support/records/deliveries.ts';
import { box } from '../../../../support/world/secret-box.ts';
import { startOfTests } from '../../../../support/world/world.ts';

type Sent = { headers: Record<string, string>; body: Buffer };

async function sent(given: Partial<Webhook>, recordId: string | null = null): Promise<Sent & { deliveryId: string }> {
  const requests: Sent[] = [];
  const client = {
    async send(request: Sent) {
      requests.push(request);
      return { statusCode: 200, retryAfter: null, excerpt: null, failure: null };
    },
  };
  const webhook = endpoint(given);
  const delivery = await storeDelivery(createMemoryStore(), 's-1', webhook, startOfTests, recordId);
  const sender = createWebhookSender({ box, client: client as never, now: () => startOfTests });
  await sender.send(delivery, 1, webhook);
  const [request] = requests;
  if (!request) throw new Error('nothing was sent');
  return { ...request, deliveryId: delivery.deliveryId };
}

const recordId = '7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77';
const secret = box.seal('s3cret', ownerOf(endpoint().webhookId, 'secret'));

test('an endpoint with CloudEvents gets additional headers, and the same body and signatures', async () => {
  const [native, cloud] = [await sent({ secret }, recordId), await sent({ secret, format: 'cloudevents' }, recordId)];
  const { headers } = cloud;
  const described = Object.entries(headers).filter(([name]) => name.startsWith('ce-'));
  expect(Object.fromEntries(described)).toEqual({
    'ce-specversion': '1.0',
    'ce-id': recordId,
    'ce-source': '/watchpost/devices/cam-1',
    'ce-type': 'watchpost.detection',
    'ce-time': startOfTests,
  });
  expect(Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('ce-')))).toEqual(
    native.headers,
  );
  expect(cloud.body.equals(native.body)).toBe(true);
  const key = signingKey('s3cret');
  const timestamp = headers['X-Service-Timestamp'] ?? '';
  expect(headers['X-Service-Signature']).toBe(signContract(key.contract, timestamp, cloud.body));
  expect(headers['webhook-signature']).toBe(signStandard(key.standard, cloud.deliveryId, timestamp, cloud.body));
});

test('a request continues the trace of its cause, and an endpoint cannot set trace or CloudEvents headers', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { headers } = await inTrace([traceparent], () => sent({}));
  expect(headers['traceparent']).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  expect((await sent({})).headers['traceparent']).toBeUndefined();
  for (const name of ['CE-Id', 'ce-type', 'Traceparent', 'tracestate'])
    expect(faultsOfHeaders({ [name]: 'x' })).toHaveLength(1);
});

test('each request of a detection has its sequence number if the endpoint is `sequenced`, otherwise none', async () => {
  const sent: Record<string, string>[] = [];
  const client = {
    async send({ headers }: Sent) {
      sent.push(headers);
      return { statusCode: 500, retryAfter: null, excerpt: null, failure: null };
    },
  };
  const sender = createWebhookSender({ box, client: client as never, now: () => startOfTests });
  const delivery = await storeDelivery(createMemoryStore(), 's-1', endpoint());
  await sender.send(delivery, 1, endpoint());
  for (const attempt of [1, 2]) await sender.send({ ...delivery, sequence: 57 }, attempt, endpoint());
  const shown = sent.map((headers) => [headers['X-Service-Attempt'], headers['X-Service-Sequence']]);
  expect(shown).toEqual([
    ['1', undefined],
    ['1', '57'],
    ['2', '57'],
  ]);
});
