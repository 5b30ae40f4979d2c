import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../support/faults/tcp-proxy.ts';
import { openTestAlert } from '../support/records/alerts.ts';
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

/** All requests of the browser pass a proxy. When the test stops it, nothing answers, not even for the console's own files. */
describe.skipIf(!chromiumPath)('the console without any network', () => {
  let console_: Awaited<ReturnType<typeof startConsole>>;
  let proxy: TcpProxy;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    [console_, browser] = await Promise.all([startConsole(), openBrowser()]);
    proxy = await startTcpProxy(Number(new URL(console_.baseUrl).port));
    for (let count = 0; count < 3; count += 1) await openTestAlert(console_.world);
    ({ page, problems } = await openPage(browser, `http://127.0.0.1:${proxy.port}`));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.stop();
    await console_?.stop();
  });

  /** The paths of everything in the caches of the service worker. */
  const kept = () =>
    page.evaluate(async () => {
      const found: string[] = [];
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
      return found;
    });

  test('caches its own files, and no data of the service', async () => {
    await goTo(page, 'alerts');
    await eventually(() => page.locator('[data-alert]').count()).toBe(3);
    await eventually(async () => (await kept()).length).toBeGreaterThan(30);
    const paths = await kept();
    expect(paths.filter((path) => !/^\/(assets\/[\w.-]+)?$|^\/config\.json$/.test(path))).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('opens with the last known data if a proxy answers 503 to everything', async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    const busy = createServer((_, response) => response.writeHead(503).end('busy'));
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    proxy.lead((busy.address() as AddressInfo).port);
    await page.reload();
    await eventually(() => page.locator('[data-alert]').count()).toBe(3);
    proxy.lead(Number(new URL(console_.baseUrl).port));
    busy.close();
  });

  test('opens after a reload with the last known data and its time, and opens pages that were never open before', async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await proxy.stop();
    await page.reload();
    await eventually(() => page.locator('[data-alert]').count()).toBe(3);
    await eventually(() => page.locator('.banner').textContent()).toMatch(
      /What you see is of \d\d:\d\d:\d\d at the latest/,
    );
    await goTo(page, 'audit');
    await eventually(() => page.locator('.state-title').textContent()).toBe('No connection');
    expect(await violationsOn(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
