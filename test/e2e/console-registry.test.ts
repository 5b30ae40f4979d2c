import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importDevices } from '../../shared/app/devices/import.ts';
import { ana } from '../support/records/alerts.ts';
import {
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  signIn,
  violationsOn,
} from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';

describe.skipIf(!chromiumPath)('the registry in the console', () => {
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let close: () => Promise<void>;

  beforeAll(async () => {
    [console, browser] = await Promise.all([startConsole(), openBrowser()]);
    const devices = [
      { deviceId: 'gbg-1', groupId: 'north', name: 'Gate', site: 'gbg', parents: [{ kind: 'switch', id: 'sw-1' }] },
      { deviceId: 'gbg-2', groupId: 'north', name: 'Garage', site: 'gbg' },
      { deviceId: 'mal-1', groupId: 'south', site: 'malmo', parents: [{ kind: 'switch', id: 'sw-1' }] },
    ];
    await importDevices(console.world, ana, { devices }, false);
    ({ page, problems, close } = await openPage(browser, console.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await close?.();
    await browser?.close();
    await console?.stop();
  });

  const rows = async () => (await page.locator('.device-row .name').allTextContents()).map((text) => text.trim());
  const device = async (id: string) => (await console.world.store.get('devices', [id]))[0]?.data ?? null;

  test('shows name, id and site, and finds cameras by words, site and parents', async () => {
    await goTo(page, 'devices');
    await eventually(rows).toEqual(['Gate gbg-1', 'Garage gbg-2', 'mal-1']);
    await page.getByLabel('Site').selectOption('gbg');
    await eventually(rows).toEqual(['Gate gbg-1', 'Garage gbg-2']);
    await page.getByLabel('Search devices').fill('gar');
    await eventually(rows).toEqual(['Garage gbg-2']);
    await goTo(page, 'devices/gbg-1');
    await page.getByRole('link', { name: 'switch:sw-1' }).click();
    await eventually(rows).toEqual(['Gate gbg-1', 'mal-1']);
    await page.getByRole('link', { name: 'Without parent switch:sw-1' }).click();
    await eventually(rows).toHaveLength(3);
  });

  test('saves site and parents of a camera; a refused value stays in the form', async () => {
    await goTo(page, 'devices/gbg-2');
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Site').fill('malmo');
    await dialog.getByLabel('Hangs on').fill('switch sw-2');
    await dialog.getByLabel('Tags').fill('floor:2\nnote: a:b');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => dialog.getByRole('alert').textContent()).toContain('/parents/0/');
    expect(await dialog.getByLabel('Tags').inputValue()).toBe('floor:2\nnote: a:b');
    expect(await violationsOn(page)).toEqual([]);
    await dialog.getByLabel('Hangs on').fill('switch:sw-2\nuplink:u-1');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => page.locator('.facts').textContent()).toContain('switch:sw-2, uplink:u-1');
    expect(await device('gbg-2')).toMatchObject({ site: 'malmo', tags: { floor: '2', note: 'a:b' }, name: 'Garage' });
  });

  const choose = (text: string) =>
    page.getByLabel('File').setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

  test('shows what a file would change, then changes it, and names the lines that are refused', async () => {
    await goTo(page, 'import');
    const lines = Array.from({ length: 600 }, (_, index) => `new-${index},${index === 550 ? 'a b' : 'west'},,`);
    await choose(['deviceId,groupId,name,tag.floor', ...lines, 'gbg-1,,Main gate,3'].join('\r\n'));
    await page.getByRole('button', { name: 'Preview 601 lines' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await eventually(() => preview.textContent()).toContain('599 new, 1 changed, 0 as they are, 1 refused');
    await eventually(() => preview.getByRole('row', { name: /552 new-550/ }).textContent()).toContain(
      'groupId must begin with',
    );
    expect(await device('new-1')).toBeNull();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import 600 devices' }).click();
    await eventually(() => page.getByRole('heading', { name: 'Import done' }).count()).toBe(1);
    expect(await device('new-599')).toMatchObject({ groupId: 'west' });
    expect(await device('gbg-1')).toMatchObject({ name: 'Main gate', tags: { floor: '3' }, site: 'gbg' });
    await eventually(() => page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
  });

  test('a preview that is cancelled stops, and a broken file is refused with its line', async () => {
    await goTo(page, 'import');
    await page.reload();
    let sent = 0;
    await page.route('**/v1/devices?dryRun=true', async (route) => {
      sent += 1;
      if (sent === 1) await route.continue();
    });
    await choose(['deviceId', ...Array.from({ length: 1100 }, (_, index) => `late-${index}`)].join('\n'));
    await page.getByRole('button', { name: 'Preview 1,100 lines' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await eventually(() => preview.textContent()).toContain('500 of 1,100 lines');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await eventually(() => page.getByRole('heading', { name: 'Preview cancelled' }).count()).toBe(1);
    expect(sent).toBe(2);
    await page.unroute('**/v1/devices?dryRun=true');
    await choose('deviceId,name\na,"b\nc"');
    await eventually(() => page.getByRole('alert').textContent()).toContain('Line 2 has a quotation mark');
  });

  test('id patterns of the settings place new cameras', async () => {
    await goTo(page, 'settings');
    const patterns = page.getByLabel('Patterns');
    await patterns.fill('lab-* a:b\n*-door south gbg');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await eventually(() => page.locator('.field.wrong').textContent()).toContain('must ');
    await patterns.fill('lab-* lab\n*-door south gbg');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await eventually(() => page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
    const [settings = null] = await console.world.store.get('settings', ['settings']);
    expect(settings?.data.idPatterns).toEqual([
      { pattern: 'lab-*', groupId: 'lab' },
      { pattern: '*-door', groupId: 'south', site: 'gbg' },
    ]);
    await page.reload();
    await eventually(() => patterns.inputValue()).toBe('lab-* lab\n*-door south gbg');
  });

  test('had no exception, no violation of the security policy and no request to another origin', () => {
    expect(problems).toEqual([]);
  });
});
