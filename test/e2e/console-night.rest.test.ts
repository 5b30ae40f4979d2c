import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { chromiumPath, eventually, goTo, openBrowser, openPage, shoot, signIn } from '../support/stack/browser.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

/** Five minutes of silence last six seconds. */
const timeScale = 50;

describe.skipIf(!chromiumPath)('an operator’s night at the console', () => {
  let stack: Stack;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let camera: Awaited<ReturnType<typeof connectDevice>>;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startStack({ isEmbedded: true, timeScale }), openBrowser()]);
    camera = await connectDevice(stack, 'cam-gate');
    await camera.send('connection', { status: 'online', connectedAt: new Date().toISOString() });
    await camera.send('status', { groupId: 'north', name: 'Gate', model: 'P3268', memory: { usedPercent: 42 } });
    ({ page, problems } = await openPage(browser, stack.run.baseUrl));
  });

  afterAll(async () => {
    await camera?.client.endAsync();
    await browser?.close();
    await stack?.stop();
  });

  test('signs in with one click and sees the fleet', async () => {
    await signIn(page);
    const online = page.getByRole('link', { name: /^Online/ });
    await eventually(() => online.textContent()).toMatch(/100%[\s\S]*1 of 1 devices/);
    await eventually(() => page.locator('.live').textContent()).toBe('Live');
  });

  test('sees a camera die without touching anything', async () => {
    await camera.send('connection', { status: 'offline', reason: 'keepalive timeout' });
    const online = page.getByRole('link', { name: /^Online/ });
    await eventually(() => online.textContent()).toMatch(/0%[\s\S]*1 offline/);
    const recent = page.getByRole('list', { name: 'Recent alerts' });
    await eventually(() => recent.textContent()).toContain('CONN_001');
    await shoot(page, 'night-1-camera-dead');
  });

  test('acknowledges by keyboard alone', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    const row = page.locator('.rows [data-alert]').first();
    await row.waitFor();
    await page.keyboard.press('j');
    expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('a');
    await eventually(() => row.textContent()).toContain('has it');
    await shoot(page, 'night-2-acknowledged');
  });

  test('adds a note, resolves and reopens, each shown in the history', async () => {
    await page.keyboard.press('Enter');
    const detail = page.getByRole('article', { name: 'Alert' });
    await detail.getByRole('button', { name: /Add note/ }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Note', { exact: true }).fill('Power is out at the gate; the guard is on the way.');
    await page.getByRole('dialog').getByRole('button', { name: 'Add note' }).click();
    await eventually(() => detail.textContent()).toContain('the guard is on the way');

    await page.keyboard.press('r');
    await page.getByLabel('Comment (optional)').fill('Power is back');
    await page.keyboard.press('Enter');
    const head = detail.locator('.alert-head');
    await eventually(() => head.textContent()).toContain('Resolved');
    await eventually(() => detail.locator('.timeline').textContent()).toContain('Power is back');
    await shoot(page, 'night-3-resolved');

    await page.keyboard.press('o');
    await eventually(() => head.textContent()).toMatch(/Active|Escalated/);
    await eventually(() => detail.locator('.timeline').textContent()).toMatch(/reopen/i);
    await shoot(page, 'night-4-reopened');
  });

  test('shows the operator what a colleague has changed in the meantime', async () => {
    const detail = page.getByRole('article', { name: 'Alert' });
    const alertId = /alerts\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
    await fetch(`${stack.run.baseUrl}/v1/alerts/${alertId}/resolve`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stack.run.token}` },
    });
    await eventually(() => detail.locator('.alert-head').textContent()).toContain('Resolved');
    await eventually(() => detail.getByRole('button', { name: /Reopen/ }).count()).toBe(1);
  });

  test('snoozes by keyboard, and the alert is shown again when the snooze ends', async () => {
    await camera.send('status', { memory: { usedPercent: 85 } });
    const [alert] = await until('the alert', async () => {
      const { alerts } = (await callerOf(stack).get('/v1/alerts?code=RES_002')).body;
      return alerts.length > 0 && alerts;
    });
    await goTo(page, `alerts/${alert.alertId}`);
    const detail = page.getByRole('article', { name: 'Alert' });
    await detail.getByRole('button', { name: /Snooze/ }).waitFor();
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('s');
    await dialog.waitFor();
    await dialog.getByRole('button', { name: '30 min' }).click();
    const head = detail.locator('.alert-head');
    await eventually(() => head.textContent()).toContain('Snoozed');
    await eventually(() => detail.locator('.facts').first().textContent()).toContain('Snoozed until');
    await shoot(page, 'night-4-snoozed');

    // A colleague shortens the snooze.
    const soon = new Date(Date.now() + 3000).toISOString();
    const path = `/v1/alerts/${alert.alertId}/snooze`;
    expect((await callerOf(stack).call('POST', path, { body: { until: soon } })).status).toBe(200);
    await eventually(() => head.textContent()).not.toContain('Snoozed');
    await eventually(() => detail.getByRole('button', { name: /Acknowledge/ }).count()).toBe(1);
    await eventually(() => detail.locator('.timeline').textContent()).toMatch(/snooze/i);
  });

  test('creates a rule after a preview', async () => {
    await goTo(page, 'rules/new');
    await page.getByLabel('Name').fill('Gates wake the guard');
    await page.getByLabel('When an alert is').selectOption('CONN_*');
    await page.getByLabel('In groups').fill('north');
    await page
      .getByRole('group', { name: /Notify by/ })
      .getByRole('checkbox', { name: 'SMS' })
      .check();
    await page.getByLabel('Priority').fill('P1');
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await eventually(() => preview.textContent()).toMatch(/would have matched [1-9]/);
    await eventually(() => preview.textContent()).toContain('cam-gate');
    await shoot(page, 'night-5-rule-preview');
    await page.getByRole('button', { name: 'Create rule' }).click();
    await eventually(() => page.locator('.cards').textContent()).toContain('Gates wake the guard');
  });

  test('renames and moves the camera, and finds that in its activity', async () => {
    await goTo(page, 'devices/cam-gate');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Gate, main road');
    await page.getByRole('dialog').getByLabel('Group').fill('south');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Gate, main road');
    await eventually(() => page.locator('.timeline').textContent()).toMatch(/operator/);
    await shoot(page, 'night-6-device');
  });

  test('had no exception, no violation of the security policy and no request to another origin', () => {
    expect(problems).toEqual([]);
  });
});
