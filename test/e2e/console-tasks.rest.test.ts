import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../local/cloud/receiver/server.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { detection } from '../support/records/detections.ts';
import { chromiumPath, eventually, openBrowser, openPage, screens, signIn } from '../support/stack/browser.ts';
import { askApi, type Hand, handOn } from '../support/stack/hand.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

type Sent = { kind: string; to?: string | string[]; subject?: string; text?: string };

/** Tasks that end in what somebody receives, on a stack with its inbox and a receiver of webhooks. */
describe.skipIf(!chromiumPath)('a task at the console whose end is a message', () => {
  let stack: Stack;
  let receiver: Receiver;
  let browser: Browser;

  beforeAll(async () => {
    const authority = createAuthority(new Date());
    const credential = createServerCredential(authority, new Date());
    receiver = await startReceiver({ port: 0, controlPort: 0, credential });
    const caFile = join(mkdtempSync(join(tmpdir(), 'watchpost-ca-')), 'receiver.pem');
    writeFileSync(caFile, authority.certificate);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: caFile, WEBHOOK_ALLOW_HOSTS: new URL(receiver.urlOf('x')).host };
    [stack, browser] = await Promise.all([startStack({ isEmbedded: true, timeScale: 50, env }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await receiver?.stop();
  });

  const task = (what: string, most: number, play: (page: Page, hand: Hand) => Promise<void>) =>
    test(`${what} (${most})`, async () => {
      const { page, problems, close } = await openPage(browser, stack.run.baseUrl);
      await signIn(page);
      const hand = handOn(page);
      await play(page, hand);
      console.log(`${what}: ${hand.count()} of ${most}`);
      expect(hand.count()).toBeLessThanOrEqual(most);
      expect(problems).toEqual([]);
      await close();
    });
  const rail = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const inbox = async (): Promise<Sent[]> => (await (await fetch(`${stack.run.inboxUrl}/messages`)).json()).messages;

  task('make a webhook and see its first delivery', 7, async (page, hand) => {
    await hand.click(rail(page, 'Webhooks'));
    await hand.click(page.getByRole('link', { name: 'New endpoint' }));
    await hand.type(receiver.urlOf('orders'));
    await hand.press('Enter');
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    receiver.configure('orders', { secret });
    await hand.click(page.getByText('I have stored it'));
    await hand.click(button(page, 'Done'));
    await hand.click(button(page, 'Send a test'));
    await eventually(() => page.locator('.notice.good').textContent()).toContain('took the test');
    expect(receiver.received.at(-1)?.verified).toEqual({ contract: true, standard: true });
    const { body } = await askApi(page, '/v1/deliveries');
    expect(body.deliveries[0]).toMatchObject({ eventType: 'test', status: 'delivered' });
  });

  task('replay what failed', 3, async (page, hand) => {
    const { call, get } = callerOf(stack);
    const { webhooks } = (await get('/v1/webhooks')).body;
    const { webhookId } = webhooks[0];
    expect((await call('PATCH', `/v1/webhooks/${webhookId}`, { body: { maxAttempts: 1 } })).status).toBe(200);
    receiver.configure('orders', { behaviour: { kind: 'fail', status: 500 } });
    const camera = await connectDevice(stack, 'cam-yard');
    await camera.send('status', { groupId: 'north', name: 'Yard' });
    await camera.send('detection', detection('session-1', { timestamp: new Date().toISOString() }));
    await camera.client.endAsync();
    const failed = async () => (await get(`/v1/deliveries?webhookId=${webhookId}&status=failed`)).body.deliveries;
    await until('a delivery that failed', async () => (await failed()).length > 0);
    receiver.configure('orders', { behaviour: { kind: 'ok' } });
    await hand.click(rail(page, 'Webhooks'));
    await hand.click(page.locator('a.card').first());
    await hand.click(button(page, 'Replay failed'));
    await until('no failed delivery', async () => (await failed()).length === 0);
    await eventually(() => page.locator('.toast').last().textContent()).toMatch(/^Sending \d+ deliver(y|ies) again/);
  });

  // One key leads from the name to the address; to correct the mistyped number is one text and one key more.
  task('make a team that gets SMS', 6 + 2, async (page, hand) => {
    await hand.click(rail(page, 'Who is told'));
    await hand.click(button(page, 'New team'));
    await hand.type('night');
    await hand.press('Tab');
    await hand.type('0701234567');
    await hand.press('Enter');
    const field = page.locator('.field.wrong');
    await eventually(() => field.textContent()).toMatch(/\+46/);
    await page.getByLabel('Address').fill('');
    await hand.type('+46 70 123 45 67');
    await hand.press('Enter');
    await eventually(async () => (await askApi(page, '/v1/teams/night')).body.phones).toEqual(['+46701234567']);
    const { call } = callerOf(stack);
    expect((await call('POST', '/v1/teams/night/test', { body: { channel: 'sms' } })).status).toBeLessThan(300);
    await until('the SMS in the inbox', async () =>
      (await inbox()).some(({ kind, to }) => kind === 'sms' && to === '+46701234567'),
    );
  });

  test('from the mail to "I have it" on a phone (3)', async () => {
    const { call, get } = callerOf(stack);
    const operations = { emails: ['ops@example.com'], chats: [], phones: [] };
    expect((await call('PUT', '/v1/teams/operations', { body: operations })).status).toBeLessThan(300);
    const camera = await connectDevice(stack, 'cam-gate');
    await camera.send('event', { type: 'unauthorized_broker_attempt', timestamp: new Date().toISOString() });
    await camera.client.endAsync();
    const mail = await until('a mail', async () =>
      (await inbox()).find(({ kind, text }) => kind === 'email' && text?.includes('/t/')),
    );
    const [address = ''] = /https?:\/\/\S+\/t\/\S+/.exec(mail.text ?? '') ?? [];
    const context = await browser.newContext({ viewport: screens.phone, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    const hand = handOn(page);
    // The mail program of the phone: one link to tap.
    await page.goto(stack.run.inboxUrl);
    await page.evaluate((href) => {
      document.body.innerHTML = '<a id="link">the link of the mail</a>';
      document.querySelector('a')?.setAttribute('href', href);
    }, address);
    await hand.tap(page.locator('#link'));
    const have = page.getByRole('button', { name: 'I have it' });
    await have.waitFor();
    expect((await have.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await page.screenshot({ path: 'test-output/console/link-phone.png' });
    await hand.tap(have);
    await until('the alert is taken', async () => {
      const { body } = await get('/v1/alerts?code=SEC_002&status=all');
      return body.alerts[0]?.status === 'acknowledged';
    });
    console.log(`from the mail to the end on a phone: ${hand.count()} of 3`);
    expect(hand.count()).toBeLessThanOrEqual(3);
    await context.close();
  });
});
