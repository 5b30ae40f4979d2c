import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainAlert } from '../../shared/app/alerts/explain.ts';
import { ana, openTestAlert } from '../support/records/alerts.ts';
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

describe.skipIf(!chromiumPath)('what is wrong now', () => {
  let console_: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let night: Awaited<ReturnType<typeof giveNight>>;

  beforeAll(async () => {
    [console_, browser] = await Promise.all([startConsole(), openBrowser()]);
    night = await giveNight(console_.world);
    ({ page, problems } = await openPage(browser, console_.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console_?.stop();
  });

  const rows = () => page.getByRole('list', { name: 'What is wrong now, the worst first' }).locator('li');

  test('is said in one sentence and in rows by the rank of the service', async () => {
    await goTo(page, '');
    await eventually(() => rows().count()).toBe(5);
    const texts = await rows().allTextContents();
    expect(texts[0]).toMatch(/^Gbg Central is dark30 of 30 cameras.*Nobody.*Escalates in [89] min/);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of [390, 1024, 1440, 1920]) {
        await page.setViewportSize({ width, height: width < 700 ? 844 : 900 });
        await shoot(page, `now-${theme}-${width}`);
      }
    }
  });
});
