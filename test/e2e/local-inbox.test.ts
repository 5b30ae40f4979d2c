import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Inbox, startInbox } from '../../local/inbox/server.ts';
import { judgeSignature } from '../../local/inbox/webhook-receiver.ts';
import { loadSecrets, writeCertificates } from '../../local/secrets.ts';

const body = '{"eventType":"detection"}';
const sign = (secret: string, timestamp: number | string, text = body) => ({
  'x-service-timestamp': String(timestamp),
  'x-service-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex')}`,
});

describe('a signature', () => {
  const now = 1_800_000_000_000;
  const seconds = now / 1000;
  test.each([
    ['valid', 'key', sign('key', seconds)],
    ['valid', 'key', sign('key', seconds - 300)],
    ['expired', 'key', sign('key', seconds - 301)],
    ['expired', 'key', sign('key', 'soon')],
    ['invalid', 'key', sign('other', seconds)],
    ['invalid', 'key', sign('key', seconds, `${body} `)],
    ['invalid', 'key', { ...sign('key', seconds), 'x-service-timestamp': String(seconds + 1) }],
    ['invalid', 'key', { ...sign('key', seconds), 'x-service-signature': 'sha256=' }],
    ['unchecked', undefined, sign('key', seconds)],
    ['unsigned', 'key', {}],
  ])('is %s', (verdict, secret, headers) => {
    expect(judgeSignature(secret, headers, Buffer.from(body), now)).toBe(verdict);
  });
});

describe('the webhook receiver', () => {
  let inbox: Inbox;
  let dispatcher: Agent;
  const page = (path: string) => `http://127.0.0.1:${inbox.pagePort}${path}`;
  const post = async (path: string, headers: Record<string, string> = {}) => {
    const url = `https://localhost:${inbox.tlsPort}/webhooks/${path}`;
    const answer = await request(url, { method: 'POST', headers, body, dispatcher });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  const messages = async () => ((await (await fetch(page('/messages'))).json()) as { messages: object[] }).messages;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-inbox-'));
    const { caFile, ...files } = writeCertificates(folder, loadSecrets(folder, new Date()), '');
    // The stack's own authority is all that is trusted: its certificate is checked as a customer's would be.
    dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } });
    inbox = await startInbox({ pagePort: 0, smtpPort: 0, tlsPort: 0, ...files });
  });
  afterAll(async () => {
    await dispatcher.close();
    await inbox.stop();
  });
  beforeEach(() => fetch(page('/messages'), { method: 'DELETE' }));

  test('shows what came and whether it was signed with the secret that it was told', async () => {
    const secret = '<secret>';
    await fetch(page('/secrets/shop'), { method: 'PUT', body: secret });
    expect(await post('shop', sign(secret, Math.floor(Date.now() / 1000)))).toEqual({
      status: 200,
      text: 'signature: valid\n',
    });
    expect(await messages()).toMatchObject([
      { kind: 'webhook', name: 'shop', method: 'POST', body, signature: 'valid', status: 200 },
    ]);
    const html = await (await fetch(page('/'))).text();
    expect(html).toContain('signature valid, answered 200');
    expect(html).not.toContain(secret);
  });

  test('answers as its address says', async () => {
    expect((await post('shop?status=410')).status).toBe(410);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      statuses.push((await post('shop?failFirst=2', { 'X-Service-Delivery': 'd1' })).status);
    }
    expect(statuses).toEqual([503, 503, 200]);
  });

  test('takes its time where it is told to', async () => {
    const startedAt = Date.now();
    await post('slow?delayMs=150');
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(149);
  });
});
