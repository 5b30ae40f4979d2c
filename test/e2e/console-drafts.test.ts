import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putRule } from '../../shared/app/settings/rules.ts';
import { giveRule, openTestAlert } from '../support/records/alerts.ts';
import { chromiumPath, eventually, goTo, openBrowser, openPage, signIn } from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';

/** A draft belongs to the person who typed it, until it is sent or discarded. */
describe.skipIf(!chromiumPath)('drafts and messages of the console', () => {
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [console, browser] = await Promise.all([startConsole(), openBrowser()]);
    ({ page } = await openPage(browser, console.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  /** Ends the session with the next request that `press` causes, and signs in again. */
  const endsWith = async (press: () => Promise<unknown>, requests: RegExp) => {
    const refuse = { status: 401, json: {} };
    await page.route(requests, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill(refuse),
    );
    await page.route(/\/token$/, (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
    await press();
    await eventually(() => page.locator('.gate').textContent()).toContain('Your session has ended');
    await page.unroute(requests);
    await page.unroute(/\/token$/);
    await signIn(page);
  };
  const before = () => page.locator('.notice').filter({ hasText: 'What you typed before is here again.' });

  test('the draft of a rule is kept through a new sign-in, and deleted when it is sent', async () => {
    await goTo(page, 'rules/new');
    await page.getByLabel('Name').fill('Gates at night');
    await page.getByLabel('In groups').fill('north');
    await page.getByRole('group', { name: 'Notify by these channels too' }).getByLabel('SMS').check();
    await endsWith(() => page.getByRole('button', { name: 'Create rule' }).click(), /\/v1\/rules$/);
    await before().waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Gates at night');
    expect(await page.getByRole('group', { name: 'Notify by these channels too' }).getByLabel('SMS').isChecked()).toBe(
      true,
    );
    await page.getByRole('button', { name: 'Create rule' }).click();
    await eventually(() => page.locator('.cards').textContent()).toContain('Gates at night');
    await goTo(page, 'rules/new');
    expect(await page.getByLabel('Name').inputValue()).toBe('');
  });

  test('a draft does not silently undo what a colleague saved meanwhile', async () => {
    const rule = { name: 'Quiet', condition: { code: 'CFG_*' }, action: { suppress: true } } as const;
    const ruleId = await giveRule(console.world, rule);
    await goTo(page, `rules/${ruleId}`);
    await page.getByLabel('In groups').fill('south');
    await goTo(page, 'rules');
    await putRule(console.world, ruleId, { ...rule, name: 'Quiet configuration' }, null);
    await goTo(page, `rules/${ruleId}`);
    await before().waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const form = page.locator('form');
    await eventually(() => form.textContent()).toContain('Somebody else changed this meanwhile.');
    expect(await form.textContent()).toContain('What you typed is still here');
    expect(await page.getByLabel('In groups').inputValue()).toBe('south');
    await page.getByRole('button', { name: 'Discard it' }).click();
    await eventually(() => page.getByLabel('Name').inputValue()).toBe('Quiet configuration');
    expect(await page.getByLabel('In groups').inputValue()).toBe('');
  });

  test('settings keep what was typed through a new sign-in', async () => {
    await goTo(page, 'settings');
    const minutes = page.getByLabel('Error, minutes');
    await minutes.fill('45');
    await endsWith(() => page.getByRole('button', { name: 'Save settings' }).click(), /\/v1\/settings$/);
    await eventually(() => minutes.inputValue()).toBe('45');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toContain('Settings saved.');
    expect(await before().count()).toBe(0);
  });

  test('an endpoint keeps its draft, but neither secret nor headers', async () => {
    await goTo(page, 'webhooks/new');
    await page.getByLabel('Address').fill('https://hooks.example.com/watchpost');
    await page.getByText('Delivery and security').click();
    await page.getByLabel('Headers').fill('Authorization: Bearer hush');
    await page.getByLabel('Secret').fill('a-secret-of-24-bytes-or-so');
    const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    expect(stored).toContain('hooks.example.com');
    expect(stored).not.toMatch(/hush|a-secret-of/);
    await endsWith(() => page.getByRole('button', { name: 'Create endpoint' }).click(), /\/v1\/webhooks$/);
    await eventually(() => page.getByLabel('Address').inputValue()).toBe('https://hooks.example.com/watchpost');
    await page.getByRole('button', { name: 'Discard it' }).click();
    expect(await page.getByLabel('Address').inputValue()).toBe('');
  });

  test('a view is saved by name, is kept after a restart, and can be deleted', async () => {
    await goTo(page, 'alerts?severity=CRITICAL&status=all');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Night round');
    await page.keyboard.press('Enter');
    await goTo(page, 'alerts');
    await page.reload();
    await page.getByLabel('Saved views').selectOption('Night round');
    await eventually(() => page.url()).toContain('severity=CRITICAL&status=all');
    await page.getByRole('button', { name: 'Forget this view' }).click();
    await eventually(() => page.getByLabel('Saved views').count()).toBe(0);
  });

  test('a message with undo waits while the pointer or the focus is on it', async () => {
    await page.clock.install();
    const id = await openTestAlert(console.world);
    await goTo(page, `alerts/${id}`);
    await page.getByRole('button', { name: /Acknowledge/ }).click();
    const undo = page.locator('.toast').getByRole('button', { name: /Undo/ });
    await undo.hover();
    await page.clock.runFor(30_000);
    expect(await undo.count()).toBe(1);
    await undo.focus();
    await page.mouse.move(5, 5);
    await page.clock.runFor(30_000);
    expect(await undo.count()).toBe(1);
    await undo.blur();
    await page.clock.runFor(11_000);
    expect(await undo.count()).toBe(0);
  });
});
