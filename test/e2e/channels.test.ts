import { mkdtempSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Inbox, startInbox } from '../../local/cloud/inbox/server.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { createSenders } from '../../shared/adapters/channels/senders.ts';
import type { Senders } from '../../shared/app/deliveries/attempt.ts';
import { render } from '../../shared/app/messages/render.ts';
import type { World } from '../../shared/app/ports.ts';
import type { Delivery } from '../../shared/domain/delivery/delivery.ts';
import { giveTeam, messagesOf, openTestAlert } from '../support/records/alerts.ts';
import { dataKeys } from '../support/world/secret-box.ts';
import { createTestWorld } from '../support/world/world.ts';

const authority = createAuthority(new Date());
const credential = createServerCredential(authority, new Date());
let inbox: Inbox;
let files: { certificateFile: string; certificateKeyFile: string };

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'channels-'));
  files = { certificateFile: join(folder, 'c.pem'), certificateKeyFile: join(folder, 'k.pem') };
  writeFileSync(files.certificateFile, credential.certificate);
  writeFileSync(files.certificateKeyFile, credential.key);
  setDefaultCACertificates([authority.certificate]);
  inbox = await startInbox({ pagePort: 0, smtpPort: 0, tlsPort: 0, receiverControlUrl: null, ...files });
});
afterAll(() => inbox.stop());

function senders(world: World, given: { smtpUrl?: string | null; smsUrl?: string; smsToken?: string } = {}): Senders {
  return createSenders(
    {
      dataKeys,
      webhookAllowHosts: ['localhost'],
      smtpUrl: `smtp://127.0.0.1:${inbox.smtpPort}`,
      consoleUrl: 'https://console.example.com',
      mailFrom: 'Watchpost <watchpost@example.com>',
      smsUrl: `https://localhost:${inbox.tlsPort}`,
      smsAccount: 'AC1',
      smsToken: 'planted-secret',
      smsFrom: '+15005550006',
      drillTargets: null,
      heartbeatUrls: [],
      ...given,
    },
    world.store,
  );
}

async function received(): Promise<Record<string, unknown>[]> {
  return (await (await fetch(`http://127.0.0.1:${inbox.pagePort}/messages`)).json()).messages;
}

async function clear(): Promise<void> {
  await fetch(`http://127.0.0.1:${inbox.pagePort}/messages`, { method: 'DELETE' });
}

/** The deliveries of one alert, one for each contact of the team `operations`. */
async function deliveriesOf(world: World, chatPort = inbox.tlsPort): Promise<Record<string, Delivery>> {
  await giveTeam(world, 'operations', {
    emails: ['ops@example.com'],
    chats: (['slack', 'google-chat', 'teams'] as const).map((kind) => ({
      kind,
      url: `https://localhost:${chatPort}/chat/${kind}/ops`,
    })),
    phones: ['+46701234567'],
  });
  await openTestAlert(world);
  const messages = await Promise.all(
    (await messagesOf(world)).map(async (each) => ({
      ...each,
      body: (await render(world, each, world.now()))?.body ?? '',
    })),
  );
  return Object.fromEntries(
    messages.map((each) => [each.targetName.split(' ')[1]?.replace(/@.*|\+.*/, '') ?? '', each]),
  );
}

const send = (all: Senders, delivery: Delivery | undefined) => {
  if (!delivery) throw new Error('no such delivery');
  return all[delivery.channel]?.send(delivery, 1, null);
};

describe('each channel reaches its receiver', () => {
  beforeEach(clear);

  test('a mail arrives with text, HTML, a link and the id of its delivery, which a repeat has too', async () => {
    const world = createTestWorld();
    const { ops: mail } = await deliveriesOf(world);
    expect(await send(senders(world), mail)).toMatchObject({ errorClass: null, statusCode: 250 });
    await send(senders(world), mail);
    const [first, second] = await received();
    expect(first).toMatchObject({
      kind: 'email',
      to: ['ops@example.com'],
      subject: expect.stringContaining('[CRITICAL]'),
    });
    expect(first?.['html']).toContain('https://console.example.com/t/');
    expect(first?.['text']).toContain('https://console.example.com/t/');
    expect(first?.['messageId']).toBe(`<${mail?.deliveryId}@watchpost>`);
    expect(second?.['messageId']).toBe(first?.['messageId']);
  });

  test.each(['slack', 'google-chat', 'teams'])('%s receives the format of its product', async (kind) => {
    const world = createTestWorld();
    const deliveries = await deliveriesOf(world);
    expect(await send(senders(world), deliveries[kind])).toMatchObject({ errorClass: null });
    expect(await received()).toMatchObject([{ kind: 'chat', product: kind, room: 'ops' }]);
  });

  test('a text message arrives by the Messages API', async () => {
    const world = createTestWorld();
    const deliveries = await deliveriesOf(world);
    expect(await send(senders(world), deliveries[''])).toMatchObject({ errorClass: null, statusCode: 201 });
    const [sms] = await received();
    expect(sms).toMatchObject({ kind: 'sms', to: '+46701234567', from: '+15005550006', account: 'AC1' });
    expect(String(sms?.['text']).length).toBeLessThanOrEqual(160);
  });
});

describe('a mail server decides whether another try helps', () => {
  test.each([
    [421, true, 'refused_by_channel'],
    [450, true, 'refused_by_channel'],
    [550, false, 'refused_by_channel'],
  ])('%s: %s', async (code, isRetryable, errorClass) => {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      closeTimeout: 100,
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no'), { responseCode: code })),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const world = createTestWorld();
    const { ops: mail } = await deliveriesOf(world);
    const outcome = await send(senders(world, { smtpUrl: `smtp://127.0.0.1:${port}` }), mail);
    expect(outcome).toMatchObject({ errorClass, isRetryable, statusCode: code });
    await new Promise<void>((resolve) => server.close(resolve));
  });

  test('a connection that is refused is worth another try', async () => {
    const probe = createTcpServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const world = createTestWorld();
    const { ops: mail } = await deliveriesOf(world);
    const outcome = await send(senders(world, { smtpUrl: `smtp://user:planted-secret@127.0.0.1:${port}` }), mail);
    expect(outcome).toMatchObject({ errorClass: 'connection_refused', isRetryable: true });
    expect(JSON.stringify(outcome)).not.toContain('planted-secret');
  });
});

/** Starts an HTTPS server with this listener. */
async function answering(listener: RequestListener) {
  const server = createServer({ cert: credential.certificate, key: credential.key }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe('chats and gateways decide whether another try helps', () => {
  test.each([
    ['slack', 200, 'ok', null, false],
    ['slack', 404, 'no_service', 'http_status', false],
    ['slack', 429, 'slow down', 'http_status', true],
    ['slack', 503, '', 'http_status', true],
    ['slack', 302, '', 'redirect', false],
    [
      'teams',
      200,
      'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x',
      'refused_by_channel',
      true,
    ],
    ['', 400, '{"code":21211,"message":"Invalid To"}', 'refused_by_channel', false],
    ['', 401, '{"code":20003}', 'not_configured', true],
    ['', 429, '{"code":20429}', 'http_status', true],
    ['', 500, '', 'http_status', true],
  ])('%s answering %s %j', async (name, status, body, errorClass, isRetryable) => {
    const server = await answering((_request, response) => {
      response.writeHead(status, { 'Retry-After': '7', Location: 'https://example.com/' });
      response.end(body);
    });
    const world = createTestWorld();
    const deliveries = await deliveriesOf(world, server.port);
    const all = senders(world, { smsUrl: `https://localhost:${server.port}` });
    const outcome = await send(all, deliveries[name]);
    expect(outcome).toMatchObject({ errorClass, isRetryable, statusCode: status });
    if (status === 429) expect(outcome?.retryAfterMs).toBe(7000);
    expect(JSON.stringify(outcome)).not.toContain('planted-secret');
    await server.stop();
  });

  test('a chat that the team no longer has is not tried again', async () => {
    const world = createTestWorld();
    const { slack } = await deliveriesOf(world);
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    expect(await send(senders(world), slack)).toMatchObject({ errorClass: 'not_configured', isRetryable: false });
  });

  test('an address that is not public is refused by the guard', async () => {
    const world = createTestWorld();
    await giveTeam(world, 'operations', { chats: [{ kind: 'slack', url: 'https://10.0.0.1/hook' }] });
    await openTestAlert(world);
    const [delivery] = await messagesOf(world);
    expect(await send(senders(world), delivery)).toMatchObject({ errorClass: 'blocked_target', isRetryable: false });
  });
});

test('without a mail server there is no sender of mails', () => {
  expect(senders(createTestWorld(), { smtpUrl: null }).email).toBeUndefined();
});

test('the page shows what was sent, and what a device wrote stays text', async () => {
  const world = createTestWorld();
  await clear();
  const { ops: mail } = await deliveriesOf(world);
  await send(senders(world), mail);
  const page = await (await fetch(`http://127.0.0.1:${inbox.pagePort}/`)).text();
  expect(page).toMatch(/\[CRITICAL\] north \/ cam-\d+ offline/);
  expect(page).toContain('sandbox');
});
