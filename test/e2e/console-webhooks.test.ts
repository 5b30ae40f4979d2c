import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, createServerCredential } from '../../local/certificates.ts';
import { type Receiver, startReceiver } from '../../local/receiver/server.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import {
  buildConsole,
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  shoot,
  signIn,
} from '../support/browser.ts';
import { connectDevice } from '../support/stack.ts';

describe.skipIf(!chromiumPath)('webhooks at the console', () => {
  let stack: Stack;
  let receiver: Receiver;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    buildConsole();
    const authority = createAuthority(new Date());
    const credential = createServerCredential(authority, new Date());
    receiver = await startReceiver({ port: 0, controlPort: 0, credential });
    const caFile = join(mkdtempSync(join(tmpdir(), 'watchpost-ca-')), 'receiver.pem');
    writeFileSync(caFile, authority.certificate);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: caFile, WEBHOOK_ALLOW_HOSTS: new URL(receiver.urlOf('x')).host };
    [stack, browser] = await Promise.all([startStack({ isEmbedded: true, timeScale: 50, env }), openBrowser()]);
    ({ page, problems } = await openPage(browser, stack.run.baseUrl));
    await signIn(page);
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await receiver?.stop();
  });

  test('judges an address while it is typed', async () => {
    await goTo(page, 'webhooks/new');
    const verdict = page.locator('.verdict');
    for (const [address, word] of [
      ['http://hooks.example.com', 'Only https'],
      ['https://user:secret@hooks.example.com', 'user name'],
      ['https://10.0.0.7/x', 'not on the public internet'],
      ['https://hooks.example.com:81/', 'port'],
      ['https://hooks.example.com/watchpost', 'Good so far'],
    ] as const) {
      await page.getByLabel('Address').fill(address);
      await eventually(() => verdict.textContent()).toContain(word);
    }
  });

  test('shows what the service’s guard says of an address that looked good', async () => {
    await page.getByLabel('Address').fill('https://[64:ff9b::7f00:1]/');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await eventually(() => page.locator('.field.wrong').count()).toBeGreaterThan(0);
  });

  test('creates an endpoint and shows its secret once', async () => {
    await page.getByLabel('Address').fill(receiver.urlOf('orders'));
    await page.getByText('Delivery and security').click();
    await page.getByLabel('Attempts').fill('1');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    expect(secret.length).toBeGreaterThan(20);
    receiver.tell('orders', { secret });
    await shoot(page, 'webhook-1-secret');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain(secret);
  });

  test('tests it: the receiver gets a signed event', async () => {
    await page.getByRole('button', { name: 'Send a test' }).click();
    await eventually(() => page.locator('.notice.good').textContent()).toContain('took the test');
    expect(receiver.received.at(-1)?.verified).toEqual({ contract: true, standard: true });
    await shoot(page, 'webhook-2-tested');
  });

  test('finds a failure in manual review, with its attempt, and sends it again', async () => {
    receiver.tell('orders', { behaviour: { kind: 'fail', status: 500 } });
    const camera = await connectDevice(stack, 'cam-yard');
    await camera.send('status', { groupId: 'north', name: 'Yard' });
    await camera.send('detection', detection('session-1'));
    await camera.client.endAsync();

    await goTo(page, 'review');
    const item = page.locator('.deliveries > li').first();
    await item.waitFor({ timeout: 30_000 });
    await item.locator('.expand').click();
    await eventually(() => item.locator('.attempts').textContent()).toMatch(/http_status\s+500/);
    await shoot(page, 'webhook-3-review');

    receiver.tell('orders', { behaviour: { kind: 'ok' } });
    await item.getByRole('button', { name: 'Redeliver' }).click();
    await eventually(() => page.locator('.state-title').textContent()).toBe('Nothing to review');
    expect(receiver.received.filter(({ body }) => body.includes('session-1'))).toHaveLength(2);
    await goTo(page, 'deliveries?status=delivered');
    await eventually(() => page.locator('.deliveries').textContent()).toContain('detection');
  });

  test('had no exception, no refusal by the policy and no request to a stranger', () => {
    expect(problems).toEqual([]);
  });
});

function detection(sessionId: string): object {
  return {
    timestamp: new Date().toISOString(),
    device: { id: 'cam-yard' },
    profile: { id: 'yard', name: 'Yard' },
    skill: { id: 'people', name: 'People' },
    session: { id: sessionId, url: `https://sessions.example.com/${sessionId}` },
    analysis: {
      objects: [{ name: 'person', detected: true, confidence: 0.93, boundingBox: { x: 1, y: 2, width: 3, height: 4 } }],
      questions: [],
      summary: 'A person in the yard',
    },
    imageUrl: 'https://frames.example.com/1.jpg',
  };
}
