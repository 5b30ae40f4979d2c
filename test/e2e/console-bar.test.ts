import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openBrowser, openPage, shoot, signIn } from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';

const widths = [320, 390, 700, 1000, 1024, 1076, 1100, 1440, 1536, 1657, 1920];
const longName = 'Maximiliana-Alexandrina.Oberhuber-Santos';
const all = [
  ...['Now', 'Alerts', 'Devices', 'Webhooks', 'Rules'],
  ...['Maintenance', 'Reports', 'Teams', 'Quarantine', 'Audit', 'Settings'],
  ...['Search everything', 'Sound and notifications', 'Light colours', 'Keys and help', 'Sign out'],
];

describe.skipIf(!chromiumPath)('the bar of the console', () => {
  let console_: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [console_, browser] = await Promise.all([startConsole(), openBrowser()]);
    ({ page } = await openPage(browser, console_.baseUrl));
    await page.route(/\/token$/, (route) =>
      route.continue({ postData: `${route.request().postData()}&subject=${longName}` }),
    );
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console_?.stop();
  });

  /** What is shown of the bar, its name and whether a person can hit it: inside the window, and under nothing else. */
  const shown = () =>
    page.locator('.bar').evaluate((bar) => {
      const parts = [...bar.querySelectorAll<HTMLElement>('a, button, span, img')];
      return parts.flatMap((part) => {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        if (left === right || !part.checkVisibility({ visibilityProperty: true })) return [];
        const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        const name = part.getAttribute('aria-label') ?? part.textContent ?? '';
        return [{ name, isFree: isInside && hit !== null && (part.contains(hit) || hit.contains(part)) }];
      });
    });
  const outside = async () => (await shown()).filter(({ isFree }) => !isFree).map(({ name }) => name);

  test.each(widths)('has nothing outside a window of %i px, and everything is reached by keyboard', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    expect(await outside()).toEqual([]);
    await shoot(page, `bar-${width}`);
    await page.locator('.brand, .places a').locator('visible=true').first().focus();
    const reached: string[] = [];
    for (let count = 0; count < all.length + 4; count += 1) {
      const name = await page.evaluate(() => {
        const here = document.activeElement as HTMLElement;
        return here.closest('.bar') ? (here.getAttribute('aria-label') ?? here.textContent?.trim() ?? '') : null;
      });
      if (name === null) break;
      reached.push(name);
      if (name === 'More') {
        await page.keyboard.press('Enter');
        expect(await outside()).toEqual([]);
        await shoot(page, `bar-${width}-more`);
      }
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    expect(reached).toEqual(expect.arrayContaining(all));
  });

  test.each(widths)('names the person somewhere in a window of %i px', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    const more = page.getByRole('button', { name: 'More' });
    if (await more.isVisible()) await more.click();
    expect((await shown()).map(({ name }) => name)).toContain(longName);
    await page.keyboard.press('Escape');
  });

  test('has nothing outside any window from 320 to 2560 px', async () => {
    const faults: string[] = [];
    for (let width = 320; width <= 2560; width += 20) {
      await page.setViewportSize({ width, height: 800 });
      faults.push(...(await outside()).map((name) => `${width}: ${name}`));
    }
    expect(faults).toEqual([]);
  });
});
