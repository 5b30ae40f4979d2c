import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { inSet } from '../support/sets.ts';
import {
  chromiumPath,
  goTo,
  openBrowser,
  openPage,
  type Screen,
  shoot,
  signIn,
  themes,
  violationsOn,
} from '../support/stack/browser.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

/**
 * axe checks the narrow and the laptop screen: all rules in light, and in dark, which has the same elements, the rules about colours. The other
 * screens are only checked for overflow.
 */
type Look = { theme: (typeof themes)[number]; screen: Screen; isJudged: boolean };
const looks: Record<'test' | 'rest', Look[]> = {
  test: [{ theme: 'light', screen: 'narrow', isJudged: true }],
  rest: [
    { theme: 'dark', screen: 'narrow', isJudged: true },
    ...themes.map((theme) => ({ theme, screen: 'laptop' as const, isJudged: true })),
    { theme: 'light', screen: 'phone', isJudged: false },
    { theme: 'light', screen: 'wall', isJudged: false },
  ],
};

/** Limit of the first load: the shell, the sign-in, the first page and its chart, compressed. */
const firstLoadBytes = 130 * 1024;

describe.skipIf(!chromiumPath)('every page of the console', () => {
  let stack: Stack;
  let browser: Browser;
  let pages: [name: string, path: string][];

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startStack({ isEmbedded: true, timeScale: 50, cameras: 6 }), openBrowser()]);
    const { call, get } = callerOf(stack);
    const alert = await until('an alert', async () => (await get('/v1/alerts?status=all')).body.alerts[0]);
    const webhook = await call('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/watchpost' } });
    const camera = await connectDevice(stack, 'cam-001');
    await camera.send('status', { memory: { usedPercent: 'much' } });
    await camera.client.endAsync();
    const settings = (await get('/v1/settings')).body;
    const periods = [{ days: ['sat', 'sun'], from: '00:00', to: '24:00' }];
    await call('PUT', '/v1/settings', { body: { ...settings, schedules: { weekend: { periods } } } });
    const body = { name: 'Quiet updates', condition: { code: 'CFG_*', group: [] }, action: { suppress: true } };
    const rule = await call('POST', '/v1/rules', { body });
    const window = {
      name: 'New switch',
      scope: { sites: ['gbg'] },
      recurrence: { weekdays: ['sun'], from: '02:00', to: '04:00' },
    };
    const planned = await call('POST', '/v1/maintenance-windows', { body: window });
    pages = [
      ['fleet', ''],
      ['shift', 'shift'],
      ['alerts', 'alerts'],
      ['alert', `alerts/${alert.alertId}`],
      ['incidents', 'incidents'],
      ['guardian', 'guardian'],
      ['devices', 'devices'],
      ['device', 'devices/cam-001'],
      ['inventory', 'inventory'],
      ['import', 'import'],
      ['webhooks', 'webhooks'],
      ['webhook', `webhooks/${webhook.body.webhookId}`],
      ['webhook-new', 'webhooks/new'],
      ['review', 'review'],
      ['deliveries', 'deliveries'],
      ['rules', 'rules'],
      ['rule', `rules/${rule.body.ruleId}`],
      ['rule-new', 'rules/new'],
      ['maintenance', 'maintenance'],
      ['maintenance-window', `maintenance/${planned.body.windowId}`],
      ['maintenance-new', 'maintenance/new?devices=cam-001'],
      ['teams', 'teams'],
      ['settings', 'settings'],
      ['quarantine', 'quarantine'],
      ['audit', 'audit'],
      ['nowhere', 'nowhere'],
    ];
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const fit = async ({ theme, screen, isJudged }: Look) => {
    const { page, problems, close } = await openPage(browser, stack.run.baseUrl, { theme, screen });
    const rules = theme === 'dark' ? 'colours' : 'all';
    // The page is empty until it knows who signs people in.
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    if (isJudged) expect(await violationsOn(page, rules)).toEqual([]);
    await signIn(page);
    for (const [name, path] of pages) {
      await goTo(page, path);
      await shoot(page, `page-${name}-${screen}-${theme}`);
      if (isJudged) expect(await violationsOn(page, rules), name).toEqual([]);
      const overflow = await page.evaluate(() => {
        const main = document.querySelector('main');
        const inside = main ? main.scrollWidth - main.clientWidth : 0;
        return Math.max(document.documentElement.scrollWidth - innerWidth, inside);
      });
      expect(overflow, `${name} is wider than the screen`).toBeLessThanOrEqual(0);
      // Pages scroll inside the shell. If the document could scroll, a focus further down would move the bar out of view.
      const rest = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
      expect(rest, `${name} makes the document scroll`).toBeLessThanOrEqual(0);
    }
    expect(problems).toEqual([]);
    await close();
  };
  const title = 'fits a $screen in $theme; axe finds nothing (judged: $isJudged)';
  for (const set of ['test', 'rest'] as const) inSet(set, () => test.each(looks[set])(title, fit, 180_000));

  inSet('test', () => {
    test('loads under 130 KB compressed up to the first page', async () => {
      const { page, close } = await openPage(browser, stack.run.baseUrl);
      await signIn(page);
      await goTo(page, '');
      await page.locator('.chart svg').waitFor();
      const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      const files = new Set(loaded.map((name) => new URL(name).pathname).filter((path) => path.startsWith('/assets/')));
      const sizes = [...files, '/index.html'].map((path) => gzipSync(readFileSync(`console/dist${path}`)).length);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      console.log(`first load, chart included: ${(total / 1024).toFixed(1)} KB compressed in ${sizes.length} files`);
      expect(total).toBeLessThan(firstLoadBytes);
      await close();
    });

    test('has no inline script or style, and its policy forbids both', async () => {
      const response = await fetch(stack.run.baseUrl);
      const policy = response.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("style-src 'self';");
      expect(policy).not.toContain('unsafe');
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
      expect(readdirSync('console/dist')).not.toContain('config.json');
    });
  });
});
