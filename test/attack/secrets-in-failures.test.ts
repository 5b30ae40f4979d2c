import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generateKeyPair, SignJWT } from 'jose';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { createSenders } from '../../shared/adapters/channels/senders.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { readConfig, type SettingName, settingsTable } from '../../shared/config.ts';
import { giveTeam, openTestAlert } from '../support/records/alerts.ts';
import { detection } from '../support/records/detections.ts';
import { allRecords } from '../support/records/records.ts';
import { message } from '../support/records/reports.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { dataKeys } from '../support/world/secret-box.ts';
import { createTestWorld } from '../support/world/world.ts';

const secrets: string[] = [];
/** A secret that no output may contain. JSON and URLs do not escape any of its characters. */
function plant(kind: string): string {
  const secret = `planted-${kind}-${String(secrets.length).padStart(2, '0')}-5d81e0`;
  secrets.push(secret);
  return secret;
}

/** The forms in which a secret can appear: unchanged, and within the base64 of HTTP Basic credentials, at each of the three alignments. */
const formsOf = (secret: string) => [
  secret,
  ...[0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + secret)
      .toString('base64')
      .slice(4, -4),
  ),
];

/** A server that answers with the URL, headers and body of the request, and with the status that the path names. `cut` closes the connection. */
function echo(credential: ReturnType<typeof createServerCredential>): Server {
  return createServer({ cert: credential.certificate, key: credential.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const status = /^\/(\w+)/.exec(request.url ?? '')?.[1] ?? '200';
      if (status === 'cut') {
        request.socket.destroy();
        return;
      }
      response.writeHead(Number(status), { Location: request.url, 'Retry-After': '1' });
      response.end(JSON.stringify([request.url, request.rawHeaders, Buffer.concat(chunks).toString()]));
    });
  });
}

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
let receiver: Server;
let stranger: Server;
let mail: SMTPServer;
beforeAll(async () => {
  const authority = createAuthority(new Date());
  setDefaultCACertificates([...getCACertificates('default'), authority.certificate]);
  receiver = echo(createServerCredential(authority, new Date()));
  stranger = echo(createServerCredential(createAuthority(new Date()), new Date()));
  mail = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    // A mail server that repeats the credentials in its refusal.
    onAuth: ({ username, password }, _session, done) => done(new Error(`no ${username} with ${password}`)),
  });
  for (const server of [receiver, stranger, mail]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  }
});
afterAll(async () => {
  for (const server of [receiver, stranger]) server.closeAllConnections();
  await Promise.all(
    [receiver, stranger, mail].map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
  );
});

test('no failure shows a secret: of endpoints, chats, mail, text messages, tokens and settings', async () => {
  const world = createTestWorld();
  const api = await startTestApi(world, ['localhost']);
  const heard: string[] = [];
  const call = async (method: string, path: string, given: { body?: unknown; token?: string } = {}) => {
    const answer = await api.call(method, path, given);
    heard.push(JSON.stringify([answer.body, [...answer.headers]]));
    return answer;
  };
  const base = `https://localhost:${portOf(receiver)}`;
  const closed = 'https://localhost:1025';
  const targets = ['200', '302', '404', '410', '429', '500', 'cut'].map((status) => `${base}/${status}`);

  for (const url of [...targets, closed, `https://localhost:${portOf(stranger)}/200`]) {
    const headers = { Authorization: `Bearer ${plant('header')}`, 'X-Api-Key': plant('key') };
    await call('POST', '/v1/webhooks', {
      body: { url, secret: plant('secret'), headers, events: ['detection', 'alert'] },
    });
  }
  const kinds = ['slack', 'google-chat', 'teams'] as const;
  const rooms = [...targets, closed].map((url, index) => ({
    kind: kinds[index % 3] ?? 'slack',
    url: `${url}/${plant('chat')}/x?key=${plant('chat-key')}`,
  }));
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701234567'], chats: rooms });
  const kept = secrets.length;

  const senders = createSenders(
    {
      dataKeys,
      webhookAllowHosts: ['localhost'],
      smtpUrl: `smtp://${plant('user')}:${plant('password')}@127.0.0.1:${portOf(mail.server)}`,
      consoleUrl: 'https://console.example.com',
      mailFrom: 'Watchpost <watchpost@example.com>',
      smsUrl: `${base}/401`,
      smsAccount: 'AC1',
      smsToken: plant('sms'),
      smsFrom: '+15005550006',
      drillTargets: null,
      heartbeatUrls: [],
    },
    world.store,
  );
  await takeMessage(world, message('detection', detection('s-1')), {
    bridgeDialect: 'native',
    autoRegister: true,
    frames,
  });
  await openTestAlert(world);
  const dispatcher = createDispatcher(world, senders, () => performance.now());
  const pending = await world.store.find({ in: 'deliveries', limit: 100 });
  for (const { id } of pending) heard.push(await dispatcher.attempt(id));
  const made = (await world.store.find({ in: 'deliveries', limit: 100 })).map(({ data }) => data);
  const classes = new Set(made.flatMap(({ attempts }) => attempts.map(({ errorClass }) => errorClass)));
  for (const each of [
    null,
    'http_status',
    'redirect',
    'connection_refused',
    'connection_reset',
    'tls_error',
    'not_configured',
  ] as const) {
    expect(classes).toContain(each);
  }
  expect(
    made.flatMap(({ attempts }) => attempts.filter(({ responseExcerpt }) => responseExcerpt)).length,
  ).toBeGreaterThan(10);

  for (const { id } of pending) await call('GET', `/v1/deliveries/${id}`);
  for (const path of ['/v1/deliveries?pageSize=200', '/v1/webhooks', '/v1/teams', '/v1/alerts'])
    await call('GET', path);
  await call('PUT', '/v1/teams/operations', {
    body: { chats: [{ kind: 'slack', url: `https://10.0.0.1/${plant('refused')}` }] },
  });
  await call('PUT', '/v1/teams/operations', {
    body: { chats: [{ kind: 'irc', url: `https://chat.example.com/${plant('shape')}` }] },
  });

  const { privateKey } = await generateKeyPair('RS256');
  const claims = { sub: plant('subject'), scope: plant('scope') };
  const forged = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setExpirationTime('5m')
    .sign(privateKey);
  for (const token of [
    forged,
    plant('bearer'),
    `${plant('part')}.b.c`,
    await api.issuer.token({ ...claims, exp: 1 }),
  ]) {
    secrets.push(token);
    await call('GET', '/v1/alerts', { token });
    await call('POST', '/v1/webhooks', { token, body: { secret: plant('unread') } });
  }

  for (const [name, { variable }] of Object.entries(settingsTable).filter(([, setting]) => 'secret' in setting)) {
    const value = { SMTP_URL: undefined, SMS_TOKEN: undefined }[variable] ?? `k:${plant('setting')}`;
    const refused = () => {
      readConfig({ [variable]: value }, [name as SettingName, 'projectId']);
      throw new Error('these settings are refused');
    };
    serve(`refused-${name}`, world.log, refused, () => {});
  }
  await api.stop();

  const spoken = [...heard, ...world.lines.map((line) => JSON.stringify(line))];
  expect(spoken.some((text) => text.includes('Settings refused'))).toBe(true);
  const stored = await allRecords(world.store);
  const comesOut = (secret: string, texts: string[]) =>
    texts.some((text) => formsOf(secret).some((form) => text.includes(form)));
  const through = secrets.filter(
    (secret, index) => comesOut(secret, spoken) || (index < kept && comesOut(secret, stored)),
  );
  score('S10', 'planted secrets looked for after failures', secrets.length, through.length);
  expect(through).toEqual([]);
  expect(secrets.length).toBeGreaterThanOrEqual(30);
});
