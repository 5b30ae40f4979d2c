import { expect, test } from 'vitest';
import { createHeartbeatSender } from '../../../../../shared/adapters/channels/heartbeat/heartbeat-sender.ts';
import type { OutboundAnswer, OutboundRequest } from '../../../../../shared/adapters/outbound/client.ts';
import { heartbeatOf } from '../../../../../shared/domain/drill/heartbeat.ts';
import { startOfTests } from '../../../../support/world/world.ts';

const secret = '0c5ad2e4-path';
const url = `https://watch.example.com/ping/${secret}`;

function sent(answer: Partial<OutboundAnswer>) {
  const requests: OutboundRequest[] = [];
  const client = {
    send: async (request: OutboundRequest) => {
      requests.push(request);
      return { statusCode: 200, retryAfter: undefined, excerpt: `got ${url}`, failure: null, ...answer };
    },
  };
  const beat = heartbeatOf(0, null, startOfTests);
  if (!beat) throw new Error('no beat');
  return { requests, outcome: createHeartbeatSender({ urls: [url], client }).send(beat, 1, null), beat };
}

test('a beat is a GET of the address, which its record does not hold', async () => {
  const { requests, outcome, beat } = sent({});
  expect(await outcome).toMatchObject({ statusCode: 200, errorClass: null });
  expect(requests).toMatchObject([{ url, method: 'GET', body: null }]);
  expect(JSON.stringify(beat)).not.toContain('watch.example.com');
});

test.each([
  ['refuses', { statusCode: 404 }, 'http_status'],
  ['sends elsewhere', { statusCode: 302 }, 'http_status'],
  [
    'is no public address',
    { statusCode: null, failure: { errorClass: 'blocked_target', detail: url } },
    'blocked_target',
  ],
  ['fails', { statusCode: null, failure: { errorClass: 'dns_error', detail: `no ${url}` } }, 'dns_error'],
] as const)('an address that %s is no successful beat, and is not stored', async (_what, answer, errorClass) => {
  const outcome = await sent(answer).outcome;
  expect(outcome).toMatchObject({ errorClass, isRetryable: false, responseExcerpt: null });
  expect(JSON.stringify(outcome)).not.toMatch(new RegExp(`${secret}|watch.example.com`));
});

test('an address that was removed from the settings gets no beat', async () => {
  const { beat } = sent({});
  const client = { send: () => Promise.reject(new Error('nothing may leave')) };
  expect(await createHeartbeatSender({ urls: [], client }).send(beat, 1, null)).toMatchObject({
    errorClass: 'not_configured',
  });
});
