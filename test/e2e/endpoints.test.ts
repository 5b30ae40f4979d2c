import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { clientIdentity, startDemandingReceiver, startTokenServer } from '../support/net/client-certificates.ts';
import { receiverOf } from '../support/stack/receiver.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

describe.skipIf(missing)('endpoints of a running stack', () => {
  let stack: Stack;
  let api: ReturnType<typeof callerOf>;
  let receiver: ReturnType<typeof receiverOf>;
  let camera: Awaited<ReturnType<typeof connectDevice>>;
  let demanding: Awaited<ReturnType<typeof startDemandingReceiver>>;
  let tokens: Awaited<ReturnType<typeof startTokenServer>>;
  let folder: string;
  const clients = createAuthority(new Date());

  beforeAll(async () => {
    const authority = createAuthority(new Date());
    const credential = createServerCredential(authority, new Date());
    [demanding, tokens] = await Promise.all([
      startDemandingReceiver(credential, clients),
      startTokenServer(credential),
    ]);
    folder = await mkdtemp(join(tmpdir(), 'endpoints-'));
    const file = join(folder, 'authority.pem');
    await writeFile(file, authority.certificate);
    const hosts = `${demanding.host},${tokens.host}`;
    stack = await startStack({ env: { NODE_EXTRA_CA_CERTS: file, WEBHOOK_ALLOW_HOSTS: hosts } });
    api = callerOf(stack);
    receiver = receiverOf(stack);
    camera = await connectDevice(stack, 'cam-1');
  });
  afterAll(async () => {
    await camera?.client.endAsync();
    await stack?.stop();
    await Promise.all([demanding?.stop(), tokens?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const create = async (body: object) => {
    const answer = await api.call('POST', '/v1/webhooks', { body: { events: ['alert'], ...body } });
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    return answer.body.webhookId as string;
  };

  test('choose, fill a template, and prove who they are by a certificate or a token', async () => {
    await create({ url: receiver.urlOf('chosen'), filter: { severities: ['ERROR'], changes: ['opened'] } });
    await create({ url: receiver.urlOf('other'), filter: { codes: ['CONN_*'] } });
    await create({ url: receiver.urlOf('filled'), template: '{"text":"{{alert.code}} at {{alert.deviceId}}"}' });
    await create({ url: demanding.url, clientCertificate: clientIdentity(clients) });
    const oauth2 = { tokenUrl: tokens.url, clientId: 'watchpost', clientSecret: 'a secret of the client' };
    const proven = await create({ url: receiver.urlOf('granted'), oauth2, retryDelays: [1, 1, 1], maxAttempts: 4 });
    tokens.state.behaviour = 'fails';
    await camera.send('status', { memory: { usedPercent: 95 } });

    const filled = await until('the filled template', async () => (await receiver.seen('filled'))[0]);
    expect(JSON.parse(filled.body)).toEqual({ text: 'RES_001 at cam-1' });
    const chosen = await until('the chosen event', async () => (await receiver.seen('chosen'))[0]);
    expect(JSON.parse(chosen.body)).toMatchObject({ change: 'opened', alert: { severity: 'ERROR' } });
    const opened = await until('the event behind the certificate', async () => demanding.received[0]);
    expect(JSON.parse(opened.body).alert.code).toBe('RES_001');

    const listed = async () => (await api.get(`/v1/deliveries?webhookId=${proven}`)).body.deliveries[0];
    await until('a failed attempt', async () => (await listed())?.attempts.length > 0);
    tokens.state.behaviour = 'grants';
    const granted = await until('the event with a token', async () => (await receiver.seen('granted'))[0]);
    expect(granted.headers['authorization']).toMatch(/^Bearer token-\d+$/);
    const { attempts } = await until('the delivery', async () => {
      const delivery = await listed();
      return delivery?.status === 'delivered' && delivery;
    });
    expect(attempts[0]).toMatchObject({ errorClass: 'token_failed', statusCode: null });
    expect(await receiver.seen('other')).toEqual([]);
  });

  test('a malformed path is answered with a problem, not by the framework', async () => {
    const { status, body, headers } = await api.get('/v1/alerts/%zz');
    expect([status, body.code, headers.get('x-request-id')]).toEqual([400, 'invalid-request', body.requestId]);
  });
});
