import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainAlert } from '../../shared/app/alerts/explain.ts';
import { decideAndCommit } from '../../shared/app/commit/commit.ts';
import { ana, openTestAlert } from '../support/records/alerts.ts';
import { inSet } from '../support/sets.ts';
import {
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  shoot,
  signIn,
  themes,
  violationsOn,
} from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';
import { giveNight } from '../support/stack/night.ts';

const arabic = 'كاميرا المدخل الشمالي';
const widths = [320, 390, 700, 1000, 1076, 1100, 1440, 1657, 1920];

describe.skipIf(!chromiumPath)('what is wrong now', () => {
  let console_: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    [console_, browser] = await Promise.all([startConsole(), openBrowser()]);
    await giveNight(console_.world);
    ({ page, problems } = await openPage(browser, console_.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console_?.stop();
  });

  const rows = () => page.getByRole('list', { name: 'What is wrong now, the worst first' }).locator('li');
  const headline = () => page.locator('.headline');

  inSet('test', () => {
    test('is said in one sentence, which is the first row', async () => {
      await goTo(page, '');
      await eventually(() => rows().count()).toBe(5);
      expect(await rows().first().textContent()).toMatch(/^Gbg Central is dark30 of 30 cameras/);
      expect(await headline().textContent()).toMatch(/^Gbg Central is dark: 30 of 30 cameras since .*Escalates in/);
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        for (const width of [390, 1024, 1440, 1920]) {
          await page.setViewportSize({ width, height: width < 700 ? 844 : 900 });
          await shoot(page, `now-${theme}-${width}`);
        }
        expect(await violationsOn(page)).toEqual([]);
      }
    });

    test.each(widths)('has nothing outside a window of %i px', async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const outside = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('.now-page *')].flatMap((part) => {
          const { left, right, width: own } = part.getBoundingClientRect();
          const isShown = own > 1 && part.checkVisibility();
          return isShown && (left < -1 || right > innerWidth + 1) ? [`${part.className} ${part.textContent}`] : [];
        }),
      );
      expect(outside).toEqual([]);
    });

    test('shows at least three rows at 400 % zoom', async () => {
      await page.setViewportSize({ width: 320, height: 256 });
      await goTo(page, '');
      const seen = await page.evaluate(() => {
        const bar = document.querySelector('.rail')?.getBoundingClientRect().top ?? innerHeight;
        const low = bar > innerHeight / 2 ? bar : innerHeight;
        return [...document.querySelectorAll('.causes .what strong')].filter((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          const hit = document.elementFromPoint(60, (top + bottom) / 2);
          return top >= 0 && bottom <= low && hit?.closest('.cause') !== null;
        }).length;
      });
      await shoot(page, 'now-zoomed');
      expect(seen).toBeGreaterThanOrEqual(3);
    });
  });

  inSet('rest', () => {
    test('isolates a name that runs from right to left', async () => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await openTestAlert(console_.world, {
        deviceId: 'cam-arabic',
        deviceName: arabic,
        groupId: 'souk',
        code: 'SEC_001',
      });
      await eventually(() => rows().filter({ hasText: arabic }).locator('strong bdi').textContent()).toBe(arabic);
    });

    test('says of each single alert only what its own trail says', async () => {
      const { world } = console_;
      const alertId = await openTestAlert(world, { deviceId: 'cam-told', groupId: 'told', code: 'SEC_002' });
      const row = rows().filter({ hasText: 'cam-told' });
      await row.waitFor();
      const sent = (await explainAlert(world, ana, alertId)).notified.flatMap(({ deliveryId }) => deliveryId ?? []);
      expect(sent.length).toBeGreaterThan(0);
      await eventually(() => row.locator('.who').textContent()).toBe('Being told, nobody has it');
      const set = async (status: 'failed' | 'delivered') => {
        for (const id of sent) {
          await decideAndCommit(world, async () => {
            const outcome = {
              number: 1,
              at: world.now(),
              by: null,
              status,
              reason: null,
              endedAt: world.now(),
              attempts: 1,
            };
            const changed = { status, outcomes: [outcome], dueAt: null };
            return { writes: [{ kind: 'patch', in: 'deliveries', id, set: changed }], wakes: [], answer: undefined };
          });
        }
        await page.reload();
      };
      await set('failed');
      await eventually(() => row.locator('.who').textContent()).toBe('Nobody reached');
      await set('delivered');
      await eventually(() => row.locator('.who').textContent()).toMatch(/^\d told, nobody has it$/);
      const statuses = (await explainAlert(world, ana, alertId)).notified.map(({ deliveryStatus }) => deliveryStatus);
      expect(statuses).toEqual(sent.map(() => 'delivered'));
    });
  });

  inSet('test', () => {
    test('is taken by one press, and everybody sees who has it', async () => {
      await page.getByRole('button', { name: 'Take it' }).click();
      await eventually(() => rows().first().locator('.who').textContent()).toBe('operator has it');
      const [incident] = await console_.world.store.find({ in: 'incidents', limit: 1 });
      expect(incident?.data).toMatchObject({
        status: 'acknowledged',
        acknowledgedBy: expect.stringContaining('operator'),
      });
    });

    test('a new tab is signed in, and signing out ends both', async () => {
      const other = await page.context().newPage();
      await other.goto(console_.baseUrl);
      await other.locator('.headline').waitFor();
      await other.reload();
      await other.locator('.headline').waitFor();
      await other.locator('.person').click();
      await other.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await other.close();
      await signIn(page);
    });

    test('a sound that cannot be heard says so, until somebody clicks', async () => {
      await page.evaluate(() =>
        localStorage.setItem('watchpost.voice.operator', JSON.stringify({ hasSound: true, least: 'CRITICAL' })),
      );
      // A browser mutes a tab in which nobody has clicked. Whether Chromium does depends on what was heard in other tabs, so this one begins muted.
      const other = await page.context().newPage();
      await other.addInitScript(() => {
        const Real = AudioContext;
        globalThis.AudioContext = class extends Real {
          constructor() {
            super();
            void this.suspend();
          }
        };
      });
      await other.goto(console_.baseUrl);
      const voice = other.locator('.voice');
      await eventually(() => voice.textContent()).toBe('Sound is off until you click here');
      await voice.click();
      await eventually(() => voice.textContent()).toBe('Sound on');
      await other.close();
    });
  });

  test('had no exception, no violation of the security policy and no request to another origin', () => {
    expect(problems).toEqual([]);
  });
});
