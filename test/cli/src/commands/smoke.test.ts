import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Receiver } from '../../../../local/cloud/receiver/server.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { commandLineOf } from '../../../support/world/command-line.ts';
import { startTrustedReceiver } from '../../../support/world/webhooks.ts';

let receiver: Receiver;
let api: Awaited<ReturnType<typeof startTestApi>>;
let broken: Record<string, { status: string; error?: string }>;
beforeEach(async () => {
  receiver = await startTrustedReceiver(() => Date.parse(api.world.now()));
  api = await startTestApi(undefined, [`localhost:${receiver.port}`]);
  broken = {};
});
afterEach(async () => {
  await api.stop();
  await receiver.stop();
});

/** The probes are a function of their own: they answer here. */
function smoke(...args: string[]) {
  const line = commandLineOf({
    ...api,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/health') return Response.json({ status: 'healthy', version: '9.9.9' });
      if (pathname !== '/ready') return api.fetch(request);
      const checks = { database: { status: 'healthy' }, mqtt: { status: 'healthy' }, ...broken };
      return Response.json({ checks }, { status: Object.keys(broken).length > 0 ? 503 : 200 });
    },
  });
  return line.run(['smoke', ...args]);
}

test('each step says what it saw, and what is broken ends it with 1', async () => {
  const { status, out } = await smoke();
  const said = Object.fromEntries(out.split('\n').map((line) => [line.split(':')[0], line]));
  expect(said['ok health']).toBe('ok health: version 9.9.9.');
  expect(said['ok ready']).toBe('ok ready: database, mqtt work.');
  expect(said['ok token']).toContain('valid until ');
  expect(said['FAIL people']).toContain('no team has a contact');
  expect(said['ok endpoints']).toBe('ok endpoints: there are none.');
  expect([status, out.trim().split('\n').at(-1)]).toEqual([1, expect.stringMatching(/^Broken: .*people/)]);
});

test('a contact mends what it found, and a check that does not work is named with its reason', async () => {
  await api.call('PUT', '/v1/teams/operations', { body: { emails: ['ana@example.com'] } });
  broken = { mqtt: { status: 'unhealthy', error: 'its certificate has expired' } };
  const { status, out } = await smoke('--json');
  const { broken: named, steps } = JSON.parse(out) as { broken: string[]; steps: { step: string; fault: string }[] };
  expect(status).toBe(1);
  expect(named).toContain('ready');
  expect(named).not.toContain('people');
  expect(steps.find(({ step }) => step === 'ready')?.fault).toBe('mqtt: its certificate has expired');
});

test('the endpoint that is named gets a signed test event, and its refusal is a fault', async () => {
  receiver.configure('taking', { secret: 'a-shared-secret-1' });
  receiver.configure('failing', { behaviour: { kind: 'fail', status: 418 } });
  const of = async (hook: string) =>
    (await api.call('POST', '/v1/webhooks', { body: { url: receiver.urlOf(hook), secret: 'a-shared-secret-1' } })).body;
  const taking = await of('taking');
  expect((await smoke('--webhook', taking.webhookId)).out).toMatch(/^ok test: the test event was answered 2\d\d\.$/m);
  expect(receiver.received.at(-1)?.verified).toMatchObject({ contract: true });
  const failing = await of('failing');
  expect((await smoke('--webhook', failing.webhookId)).out).toContain(
    'FAIL test: the test event is failed: answered 418.',
  );
});

test('without a service, or with a token that does not count, nothing else is tried', async () => {
  const nobody = commandLineOf({ issuer: api.issuer, fetch: () => Promise.reject(new TypeError('refused')) });
  const { status, out, err } = await nobody.run(['smoke']);
  expect([status, out, err]).toEqual([1, '', expect.stringContaining('cannot be reached')]);
});
