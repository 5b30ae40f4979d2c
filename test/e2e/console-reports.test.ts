import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepLedger } from '../../shared/app/ledger/append.ts';
import { newDevice } from '../../shared/domain/device/device.ts';
import { headIdOf, type LedgerHead, nextEntry } from '../../shared/domain/ledger/entry.ts';
import type { Interval } from '../../shared/domain/sight/intervals.ts';
import { plus } from '../../shared/domain/time.ts';
import { createTestObjects, origin, testKey } from '../support/ledger/objects.ts';
import {
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  screens,
  shoot,
  signIn,
  themes,
  violationsOn,
} from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';

const dayMs = 24 * 60 * 60_000;
const days = 9;

describe.skipIf(!chromiumPath)('the reports of the console', () => {
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    const ledger = { objects: createTestObjects(), origin, keys: [testKey] };
    [console, browser] = await Promise.all([startConsole({ ledger }), openBrowser()]);
    const { world } = console;
    await keepLedger(world, ledger);
    for (const [name, darkOn] of [
      ['Harbour, north gate', 3],
      ['Harbour, south gate', null],
    ] as const)
      await giveCamera(darkOn === null ? 'cam-2' : 'cam-1', name, darkOn);
    ({ page, problems } = await openPage(browser, console.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  /** A camera with all days up to today in the ledger. It was lost on the day `darkOn`; null: never. */
  async function giveCamera(deviceId: string, name: string, darkOn: number | null): Promise<void> {
    const { world } = console;
    const today = Math.floor(Date.parse(world.now()) / dayMs) * dayMs;
    const at = (day: number) => new Date(today - (days - day) * dayMs).toISOString();
    const device = { ...newDevice(deviceId, at(0)), name, groupId: 'harbour', site: 'harbour' };
    await world.store.commit([{ kind: 'create', in: 'devices', id: deviceId, data: device }]);
    let head: LedgerHead = {
      deviceId,
      groupId: 'harbour',
      key: 'a2V5',
      n: 0,
      last: '',
      to: at(0),
      leafAt: at(days + 1),
    };
    for (let day = 0; day < days; day += 1) {
      const [begin, end] = [plus(at(day), 3_600_000), plus(at(day), 5_400_000)];
      const edges: Pick<Interval, 'begin' | 'end'> = { begin: [begin, begin], end: [end, end] };
      const dark: Interval = { state: 'blind', cause: 'lost', ...edges, isOpen: false, planned: [] };
      const recorded = { from: at(day), to: at(day + 1), intervals: day === darkOn ? [dark] : [] };
      const made = nextEntry(head, recorded, 0, at(day + 1));
      head = made.head;
      await world.store.commit([{ kind: 'create', in: 'ledgerEntries', id: made.entry.entryId, data: made.entry }]);
    }
    await world.store.commit([{ kind: 'create', in: 'ledgerHeads', id: headIdOf(deviceId, 'harbour'), data: head }]);
  }

  const mailed = () => page.getByRole('region', { name: 'By mail' });
  const row = (name: string) => mailed().getByRole('listitem').filter({ hasText: name });

  test('a report by mail is created, paused, resumed, changed and deleted; a refusal is shown at its field', async () => {
    await goTo(page, 'reports');
    await mailed().getByRole('button', { name: 'Mail a report' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Harbour');
    await dialog.getByLabel('Time zone').fill('Europe/Stockhelm');
    await dialog.getByLabel('To', { exact: true }).fill('owner@example.com\nauditor@example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => dialog.textContent()).toContain('is not a time zone of the IANA list');
    expect(await violationsOn(page)).toEqual([]);
    await dialog.getByLabel('Time zone').fill('Europe/Stockholm');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => row('Harbour').textContent()).toMatch(
      /Each month \(Europe\/Stockholm\), all groups, to owner@example.com, auditor@example.com.*Next on .*None was sent yet/,
    );
    await row('Harbour').getByRole('button', { name: 'Pause Harbour' }).click();
    await eventually(() => row('Harbour').textContent()).toContain('paused');
    await row('Harbour').getByRole('button', { name: 'Resume Harbour' }).click();
    await eventually(() => row('Harbour').textContent()).not.toContain('paused');
    await row('Harbour').getByRole('button', { name: 'Change Harbour' }).click();
    await dialog.getByLabel('How often').selectOption('week');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(() => row('Harbour').textContent()).toContain('Each week');
    await row('Harbour').getByRole('button', { name: 'Delete Harbour' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await eventually(() => mailed().textContent()).toContain('No report is mailed');
  });

  test('the calendar of a camera describes bad days in words, and the console says if there is no proof yet', async () => {
    await goTo(page, 'devices/cam-1');
    const calendar = page.getByRole('list', { name: 'The last five weeks, days of UTC' });
    await eventually(() => calendar.getByRole('listitem').count()).toBeGreaterThanOrEqual(29);
    await eventually(() => calendar.locator('.down').count()).toBe(1);
    expect(await calendar.locator('.down').textContent()).toContain('not seen 30 min');
    expect(await calendar.locator('.up').count()).toBe(days - 1);
    await page.getByRole('button', { name: 'Download the proof' }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toMatch(
      /Nothing is recorded yet|no checkpoint/,
    );
  });

  test.each(themes.flatMap((theme) => (['narrow', 'laptop'] as const).map((screen) => [theme, screen] as const)))(
    'fit and are legible: %s, %s',
    async (theme, screen) => {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize(screens[screen]);
      for (const path of ['reports', 'devices/cam-1']) {
        await goTo(page, path);
        await page.locator(path === 'reports' ? '.mailed' : 'ol.calendar').scrollIntoViewIfNeeded();
        await shoot(page, `${path.replace('/', '-')}-${theme}-${screen}`);
        expect(await violationsOn(page)).toEqual([]);
        const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
        expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
      }
    },
  );

  test('a download has the right name and content', async () => {
    await goTo(page, 'reports?by=device');
    const started = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await started;
    expect(file.suggestedFilename()).toMatch(/^availability-\d{4}-\d\d\.csv$/);
    expect(await text(await file.createReadStream())).toMatch(
      /^device,name,devices,.*\r\ncam-1,"Harbour, north gate",/,
    );
    expect(problems).toEqual([]);
  });
});
