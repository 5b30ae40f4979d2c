import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createOutboundClient, type OutboundClient } from '../../../../shared/adapters/outbound/client.ts';
import { createEgressCheck } from '../../../../shared/adapters/outbound/egress-check.ts';
import { createOutboundGuard } from '../../../../shared/adapters/outbound/guard.ts';
import { readConfig } from '../../../../shared/config.ts';
import { startTrustedReceiver } from '../../../support/world/webhooks.ts';

const checkOf = (egressCheckUrl: string | null, webhookAllowHosts: string[] = [], client?: OutboundClient) =>
  createEgressCheck({ egressCheckUrl, webhookAllowHosts }, client);

test('without an address there is no egress check', () => {
  expect(checkOf(null)).toBeNull();
});

test.each(['https://10.0.0.1/', 'https://metadata.google.internal/', 'https://localhost/', 'https://u:p@example.com/'])(
  '%s is refused at start, because the guard would block it',
  (url) => {
    expect(() => checkOf(url)).toThrow(/^Settings refused: EGRESS_CHECK_URL /);
  },
);

test('an address without TLS is refused', () => {
  expect(() => readConfig({ EGRESS_CHECK_URL: 'http://example.com/' }, ['egressCheckUrl'])).toThrow(
    /EGRESS_CHECK_URL must be an address that begins with https:/,
  );
});

test('any status counts as an answer, silence does not', async () => {
  const receiver = await startTrustedReceiver();
  receiver.configure('', { behaviour: { kind: 'fail', status: 503 } });
  expect(await checkOf(receiver.urlOf(''), ['localhost'])?.()).toBe(true);
  expect(receiver.received.map(({ method, body }) => [method, body])).toEqual([['HEAD', '']]);
  const mute = createServer(() => {});
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as AddressInfo;
  const real = createOutboundClient(createOutboundGuard(['localhost']));
  const timeouts: number[] = [];
  // The same client with a shorter timeout.
  const hasty: OutboundClient = {
    ...real,
    send(request) {
      timeouts.push(request.timeoutMs);
      return real.send({ ...request, timeoutMs: 200 });
    },
  };
  expect(await checkOf(`https://localhost:${port}/`, ['localhost'], hasty)?.()).toBe(false);
  expect(timeouts).toEqual([5000]);
  mute.close();
  await receiver.stop();
});
