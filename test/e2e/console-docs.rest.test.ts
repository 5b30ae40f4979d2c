import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../../local/cloud/gateway/gateway.ts';
import type { Service } from '../../local/machine/http-server.ts';
import { problemOf } from '../../shared/adapters/http/problem.ts';
import { AppError, type ErrorCode, errorTable } from '../../shared/errors.ts';
import { buildSite } from '../../tools/docs/site.ts';
import { chromiumPath, openBrowser, openPage, shoot, themes, violationsOn } from '../support/stack/browser.ts';

describe.skipIf(!chromiumPath)('the documentation, below the console', () => {
  const consoleFolder = mkdtempSync(join(tmpdir(), 'watchpost-site-'));
  let gateway: Service;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    expect(await buildSite(join(consoleFolder, 'docs'))).toEqual([]);
    const consoleConfig = { issuer: 'http://127.0.0.1:9', clientId: 'console', audience: 'watchpost' };
    gateway = await startGateway({ port: 0, apiPort: 9, probesPort: 9, consoleFolder, consoleConfig });
    url = `http://127.0.0.1:${gateway.port}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    rmSync(consoleFolder, { recursive: true, force: true });
  });

  test('opens its start page and finds searched words, under the security policy of the console', async () => {
    const { page, problems, close } = await openPage(browser, `${url}/docs/`);
    await page.locator('main').getByRole('link', { name: 'for integrators' }).click();
    await page.waitForURL('**/docs/start/integrator/');
    await page.getByLabel('Search').fill('quarantine');
    const found = page.locator('#found a').first();
    await found.waitFor();
    const target = await found.getAttribute('href');
    await shoot(page, 'docs-search');
    await found.click();
    await page.waitForURL(`**${target}`);
    expect(await page.locator('main').textContent()).toMatch(/quarantine/i);
    await page.getByLabel('Search').fill('xyzzyplugh');
    await page.getByText('Nothing has “xyzzyplugh”.').waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  test.each(themes)('has no fault for axe in %s, and fits a phone', async (theme) => {
    const { page, problems, close } = await openPage(browser, `${url}/docs/`, { theme, screen: 'narrow' });
    for (const path of ['', 'start/operator/', 'webhooks/', 'problems/not-found/', 'scorecard/']) {
      await page.goto(`${url}/docs/${path}`);
      expect(await violationsOn(page), path).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${path} is wider than the screen`).toBeLessThanOrEqual(0);
    }
    expect(problems).toEqual([]);
    await close();
  });

  test('has the page that the type of each problem names', async () => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      const { type } = JSON.parse(problemOf(new AppError(code, 'x'), 'id').body) as { type: string };
      const response = await fetch(`${url}${new URL(type, 'https://watchpost.example.com').pathname}`);
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(`<title>${code} `)]);
    }
  });
});
