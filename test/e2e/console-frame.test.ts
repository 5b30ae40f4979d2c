import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inSet } from '../support/sets.ts';
import { chromiumPath, openBrowser, openPage, shoot, signIn, violationsOn } from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';

const widths = [320, 390, 700, 1000, 1076, 1100, 1440, 1657, 1920];
const longName = 'Maximiliana-Alexandrina.Oberhuber-Santos';
const places = ['Now', 'Alerts', 'Cameras', 'Incidents', 'Reports', 'Webhooks', 'Rules', 'Maintenance', 'Who is told'];
const all = [...places, 'Settings', 'Search everything', 'Sound off', longName];
const ofPerson = ['Light colours', 'Keys and help', 'What I may do', 'Sign out'];
const pages = [
  ...[
    '',
    'shift',
    'alerts',
    'devices',
    'incidents',
    'reports',
    'webhooks',
    'webhooks/new',
    'rules',
    'rules/new',
    'maintenance',
  ],
  ...[
    'maintenance/new',
    'teams',
    'settings',
    'quarantine',
    'audit',
    'inventory',
    'import',
    'guardian',
    'review',
    'deliveries',
  ],
];

describe.skipIf(!chromiumPath)('the frame of the console', () => {
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

  /** What is shown of the frame and cannot be hit by a person: outside of the window, or under something else. */
  const outside = () =>
    page.evaluate(() => {
      const parts = [...document.querySelectorAll<HTMLElement>(':is(.rail, .bar) :is(a, button, bdi, summary)')];
      return parts.flatMap((part) => {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        const isHidden = right - left < 2 || !part.checkVisibility({ visibilityProperty: true });
        if (isHidden || getComputedStyle(part).clipPath !== 'none') return [];
        const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        const isFree = isInside && hit !== null && (part.contains(hit) || hit.contains(part));
        return isFree ? [] : [part.textContent];
      });
    });
  const nameOfFocus = () =>
    page.evaluate(() => {
      const here = document.activeElement as HTMLElement;
      if (!here.closest('.rail, .bar')) return null;
      const name = here.getAttribute('aria-label') ?? here.textContent?.replace('Ctrl K', '') ?? '';
      return name.replace('Sound and notifications: ', '').trim();
    });

  inSet('test', () => {
    test.each(widths)('has nothing outside a window of %i px, and everything is reached by keyboard', async (width) => {
      await page.setViewportSize({ width, height: 800 });
      expect(await outside()).toEqual([]);
      await shoot(page, `frame-${width}`);
      await page.locator('.skip').focus();
      await page.keyboard.press('Tab');
      const reached: string[] = [];
      const opened: string[] = [];
      for (let name = await nameOfFocus(); name !== null && reached.length < 40; name = await nameOfFocus()) {
        reached.push(name);
        if (name === 'More' || (name === longName && !opened.includes(name))) {
          opened.push(name);
          await page.keyboard.press('Enter');
          expect(await outside()).toEqual([]);
          await shoot(page, `frame-${width}-${name === 'More' ? 'more' : 'person'}`);
        }
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Escape');
      expect(reached).toEqual(expect.arrayContaining([...all, ...ofPerson]));
      expect(opened).toEqual(width < 700 ? ['More', longName] : [longName]);
    });

    test('has nothing outside any window from 320 to 2560 px', async () => {
      const faults: string[] = [];
      for (let width = 320; width <= 2560; width += 20) {
        await page.setViewportSize({ width, height: 800 });
        faults.push(...(await outside()).map((name) => `${width}: ${name}`));
      }
      expect(faults).toEqual([]);
    });

    test('is without violations, also with the menu of the person open', async () => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.locator('.person').click();
      expect(await violationsOn(page)).toEqual([]);
      await page.keyboard.press('Escape');
    });
  });

  inSet('rest', () =>
    test.each(pages)('the page %s is inside a window of any of the widths', async (path) => {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${path}`);
      await page.locator('main .pane:visible').first().waitFor();
      const faults: string[] = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        const wide = await page.evaluate(() => {
          const main = document.querySelector('main');
          return main ? main.scrollWidth - main.clientWidth : 0;
        });
        if (wide > 1) faults.push(`${width}: ${wide} px`);
        if (width === 390 || width === 1440) await shoot(page, `page-${path.replace('/', '-') || 'now'}-${width}`);
      }
      expect(faults).toEqual([]);
    }),
  );
});
