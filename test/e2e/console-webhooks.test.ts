import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../local/cloud/receiver/server.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { chromiumPath, eventually, goTo, openBrowser, openPage, shoot, signIn } from '../support/stack/browser.ts';
import { connectDevice } from '../support/stack/stack.ts';

describe.skipIf(!chromiumPath)('webhooks at the console', () => {
  let stack: Stack;
  let receiver: Receiver;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
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

  const sent = (sessionId: string) => receiver.received.filter(({ body }) => body.includes(sessionId));
  const see = async (...sessionIds: string[]) => {
    const camera = await connectDevice(stack, 'cam-yard');
    await camera.send('status', { groupId: 'north', name: 'Yard' });
    for (const sessionId of sessionIds) await camera.send('detection', detection(sessionId));
    await camera.client.endAsync();
  };
  const openEndpoint = async () => {
    await goTo(page, 'webhooks');
    await page.locator('a.card').first().click();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
  };
  /** Sends a test event. @returns which of its signatures the receiver verified */
  const lastTest = async () => {
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await eventually(() => receiver.received.length).toBe(before + 1);
    await eventually(() => page.getByRole('button', { name: 'Send a test', exact: true }).isEnabled()).toBe(true);
    return receiver.received.at(-1)?.verified;
  };

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await receiver?.stop();
  });

  test('checks an address while it is typed', async () => {
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

  test('shows why the service refuses an address that looked valid', async () => {
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
    // A second Enter by mistake must not close the dialog, which shows the secret only once.
    for (const key of ['Enter', 'Escape', 'Control+Enter']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').locator('code').textContent()).toBe(secret);
    receiver.configure('orders', { secret });
    await shoot(page, 'webhook-1-secret');
    await storeSecret();
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
    receiver.configure('orders', { behaviour: { kind: 'fail', status: 500 } });
    await see('session-1');
    await goTo(page, 'review');
    const item = page.locator('.deliveries > li').first();
    await item.waitFor({ timeout: 30_000 });
    await item.locator('.expand').click();
    await eventually(() => item.locator('.attempts').textContent()).toMatch(/http_status\s+500/);
    await shoot(page, 'webhook-3-review');

    receiver.configure('orders', { behaviour: { kind: 'ok' } });
    await item.getByRole('button', { name: 'Redeliver' }).click();
    await eventually(() => page.locator('.state-title').textContent()).toBe('Nothing to review');
    await eventually(() => sent('session-1').length).toBe(2);
    await goTo(page, 'deliveries?status=delivered');
    await eventually(() => page.locator('.deliveries').textContent()).toContain('detection');
  });

  test('dismisses a delivery', async () => {
    receiver.configure('orders', { behaviour: { kind: 'fail', status: 500 } });
    await see('session-2');
    await goTo(page, 'review');
    const item = page.locator('.deliveries > li');
    await item.getByRole('button', { name: 'Dismiss' }).click();
    await eventually(() => item.count()).toBe(0);
    await eventually(() => page.locator('.state-title').textContent()).toBe('Nothing to review');
    await goTo(page, 'deliveries?status=dismissed');
    await eventually(() => page.locator('.deliveries > li').count()).toBe(1);
    expect(await page.locator('.deliveries').getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
    expect(sent('session-2')).toHaveLength(1);
  });

  test('dismisses several deliveries after a confirmation, and the endpoint shows its health', async () => {
    await see('session-8', 'session-9');
    await goTo(page, 'review');
    await eventually(() => page.locator('.deliveries > li').count()).toBe(2);
    await page.getByLabel('All 2 shown').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Dismiss 2' }).click();
    expect(await page.getByRole('dialog').textContent()).toContain('Dismiss 2 deliveries?');
    await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toContain('2 deliveries dismissed.');
    await eventually(() => page.locator('.state-title').textContent()).toBe('Nothing to review');
    await goTo(page, 'webhooks');
    const card = page.locator('a.card').first();
    await eventually(() => card.textContent()).toMatch(/24 h: .*28 d: .*Last success/);
    await shoot(page, 'webhook-5-endpoints');
  });

  test('replays what failed, and says how many', async () => {
    await see('session-3', 'session-4');
    await goTo(page, 'review');
    await eventually(() => page.locator('.deliveries > li').count()).toBe(2);
    receiver.configure('orders', { behaviour: { kind: 'ok' } });
    await openEndpoint();
    expect([sent('session-3').length, sent('session-4').length]).toEqual([1, 1]);
    await page.getByRole('button', { name: 'Replay failed' }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toContain('Sending 2 deliveries again');
    await eventually(() => [sent('session-3').length, sent('session-4').length]).toEqual([2, 2]);
    expect(sent('session-2')).toHaveLength(1);
    await goTo(page, 'review');
    await eventually(() => page.locator('.state-title').textContent()).toBe('Nothing to review');
  });

  test('rotates the secret: both sign until the new one is promoted', async () => {
    await openEndpoint();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    expect(secret.length).toBeGreaterThan(20);
    await storeSecret();
    await eventually(() => page.locator('main').textContent()).toContain('Two secrets sign until');
    await shoot(page, 'webhook-5-rotated');
    expect(await lastTest(), 'by the old secret').toMatchObject({ standard: true });

    await page.getByRole('button', { name: 'Promote new secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await eventually(() => page.locator('main').textContent()).not.toContain('Two secrets sign until');
    expect(await lastTest(), 'by the old secret').toMatchObject({ standard: false });
    receiver.configure('orders', { secret });
    expect(await lastTest(), 'by the new secret').toEqual({ contract: true, standard: true });
  });

  test('explains which events the filter allows, and why not', async () => {
    await page.getByRole('button', { name: 'Explain filter' }).click();
    const explained = page.locator('.explain');
    await eventually(() => explained.locator('.chip.good').count()).toBe(6);
    await page.getByText('Configuration', { exact: true }).click();
    await page.getByText('Filter: all that is given must hold').click();
    await page.getByLabel('Objects').fill('giraffe');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toContain('Endpoint saved');
    await page.getByRole('button', { name: 'Explain filter' }).click();
    await eventually(() => explained.locator('.chip.good').count()).toBe(0);
    expect(await explained.locator('li').first().textContent()).toMatch(/left out.*cam-yard.*objects: /);
    await shoot(page, 'webhook-6-explained');
  });

  test('had no exception, no violation of the security policy and no request to another origin', () => {
    expect(problems).toEqual([]);
  });
  async function storeSecret(): Promise<void> {
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
  }
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
