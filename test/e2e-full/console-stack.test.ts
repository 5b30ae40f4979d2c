import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { startTcpProxy, type TcpProxy } from '../support/faults/tcp-proxy.ts';
import { chromiumPath, eventually, goTo, openBrowser, shoot } from '../support/stack/browser.ts';
import { figuresOf, heapOf } from '../support/stack/page-figures.ts';
import { callerOf, connectFleet, until } from '../support/stack/stack.ts';
import { aMinuteAtRest, countOf, hide, openTab, say, type Tab, workThrough } from '../support/stack/tabs.ts';

const minute = 60_000;
const sites = 60;
const cameras = Number(process.env['CONSOLE_CAMERAS'] ?? 2000);
const siteOf = (number: number) => `site-${String(number % sites).padStart(2, '0')}`;
const idOf = (number: number) => `cam-${String(number).padStart(4, '0')}`;
const numbers = Array.from({ length: cameras }, (_, number) => number);
const dark = numbers.filter((number) => number % sites === 7);
/** Cameras that report no trouble until the test asks for it. */
const well = numbers.filter((number) => number % sites === 9);
const troubled = numbers.filter((number) => number % sites !== 7 && number % sites !== 9);
/** The site whose alerts are triaged by keyboard. */
const noisy = 12;

/** A report that opens three alerts, or two for every fifth camera: about 5,000 alerts in all. */
const trouble = (number: number) => ({
  memory: { usedPercent: 84 },
  mqtt: { latencyMs: 700 },
  ...(number % 5 === 0 ? {} : { storage: { freeMegabytes: 80 } }),
});

/**
 * The whole service as `npm start` runs it without emulators: cameras, broker, bridge, functions, gateway, and Chromium in front of it. The tests
 * begin when the cameras of a site without power have their alerts, about five minutes after the loss.
 */
describe.skipIf(!chromiumPath)(
  'the console of the running service with 2,000 cameras',
  { timeout: 15 * minute },
  () => {
    let stack: Stack;
    let fleet: ReturnType<typeof connectFleet>;
    let proxy: TcpProxy;
    let browser: Browser;
    let first: Tab;
    let alerts = 0;
    const open = () => openTab(browser, `http://127.0.0.1:${proxy.port}`);
    const inTurn = async (some: readonly number[], work: (number: number) => Promise<unknown>) => {
      const left = [...some];
      const one = async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
      };
      await Promise.all(Array.from({ length: 16 }, one));
    };

    beforeAll(async () => {
      [stack, browser] = await Promise.all([startStack({ isEmbedded: true }), openBrowser()]);
      fleet = connectFleet(stack);
      proxy = await startTcpProxy(Number(new URL(stack.run.baseUrl).port));
      const { call, get } = callerOf(stack);
      await call('PUT', '/v1/teams/operations', { body: { emails: ['ops@example.com'] } });
      for (let from = 0; from < cameras; from += 250) {
        const devices = numbers.slice(from, from + 250).map((number) => ({
          deviceId: idOf(number),
          groupId: `region-${number % 6}`,
          site: siteOf(number),
          name: `Site ${number % sites} camera ${Math.floor(number / sites) + 1}`,
          reporting: { periodSeconds: 0 },
        }));
        expect((await call('PUT', '/v1/devices', { body: { devices } })).status).toBe(200);
      }
      const startedAt = Date.now();
      await inTurn([...dark, ...well], (number) => fleet.send(idOf(number), 'status', { memory: { usedPercent: 20 } }));
      await inTurn(troubled, (number) => fleet.send(idOf(number), 'status', trouble(number)));
      await until('all report', async () => (await get('/v1/fleet')).body.devices.online === cameras, 600);
      await inTurn(dark, (number) => fleet.send(idOf(number), 'connection', { status: 'offline', reason: 'no power' }));
      alerts = troubled.reduce((sum, number) => sum + Object.keys(trouble(number)).length, 0);
      say('cameras, alerts, seconds until all had reported', [cameras, alerts, (Date.now() - startedAt) / 1000]);
      const openNow = async () => {
        const { alerts: counts } = (await get('/v1/fleet')).body;
        return Object.values<number>(counts.open).reduce((sum, count) => sum + count, 0);
      };
      await until('an alert of every camera without power', async () => (await openNow()) >= alerts + dark.length, 600);
    }, 25 * minute);
    afterAll(async () => {
      await browser?.close();
      await proxy?.stop();
      await fleet?.close();
      await stack?.stop();
    });

    test('a site without power is the first thing on the first screen', async () => {
      first = await open();
      const { page } = first;
      await goTo(page, '');
      const rows = page.getByRole('list', { name: 'What is wrong now, the worst first' }).locator('li');
      await eventually(() => rows.first().textContent(), minute).toContain(siteOf(7));
      const texts = await rows.allTextContents();
      say('rows', texts.slice(0, 4));
      expect(texts[0]).toMatch(new RegExp(`${siteOf(7)}.*${dark.length} of ${dark.length} cameras.*min ago`));
      expect(texts.filter((text) => / is dark/.test(text))).toHaveLength(1);
      await shoot(page, 'stack-fleet');
    });

    test('80 alerts of a noisy site are triaged by at most 60 keys', async () => {
      const { page } = first;
      let keys = 0;
      const press = async (...pressed: string[]) => {
        for (const key of pressed) {
          await page.keyboard.press(key);
          keys += 1;
        }
      };
      await goTo(page, `alerts?site=${siteOf(noisy)}&status=active`);
      await eventually(() => page.locator('.rows li').count()).toBeGreaterThan(0);
      const count = Number.parseInt((await countOf(first)) ?? '', 10);
      expect(count).toBeGreaterThanOrEqual(80);
      const ring = () => page.evaluate(() => document.activeElement?.closest('li')?.getAttribute('aria-posinset'));
      await press('j', 'x', 'End');
      await eventually(ring).toBe(String(count));
      await press('X', 'a');
      await page.getByRole('dialog').waitFor();
      await press('Control+Enter');
      await eventually(() => page.locator('.toast').last().textContent(), minute).toContain('alerts acknowledged.');
      say('keys, alerts', [keys, count]);
      expect(keys).toBeLessThanOrEqual(60);
    });

    test('more than 1,800 alerts that match are acknowledged by one job with progress', async () => {
      const { page } = first;
      await goTo(page, 'alerts?code=CONN_003&status=active');
      await page.locator('[data-alert]').first().focus();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: /Select all [\d,]+ that match/ }).click();
      await page.getByRole('toolbar').getByRole('button', { name: 'Acknowledge' }).click();
      const startedAt = Date.now();
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
      const steps = new Set<string>();
      await eventually(async () => {
        const job = page.locator('.job');
        if ((await job.count()) > 0) steps.add((await job.textContent().catch(() => '')) ?? '');
        return (await page.locator('.toast').allTextContents()).join(' ');
      }, 8 * minute).toMatch(/Done: 1,[89]\d\d alerts/);
      say('seconds of the job, progress', [(Date.now() - startedAt) / 1000, [...steps].slice(0, 12)]);
      expect(steps.size).toBeGreaterThan(0);
    });

    /** Every 750 ms a camera reports trouble, which opens three alerts. */
    const storm = async (from: number, count: number) => {
      const startedAt = Date.now();
      for (let each = 0; each < count; each += 1) {
        const number = well[from + each] ?? 0;
        await fleet.send(idOf(number), 'status', trouble(number));
        await first.page.waitForTimeout(Math.max(0, startedAt + each * 750 - Date.now()));
      }
      await first.page.waitForTimeout(4000);
    };

    test('at rest a tab asks at most 10 times a minute, and in a storm at most 30 times', async () => {
      for (const path of ['', 'alerts?orderBy=urgency+desc']) {
        await goTo(first.page, path);
        await first.page.waitForTimeout(8000);
        const [seen] = await aMinuteAtRest([first]);
        say(`a minute at rest on /${path}`, seen);
        expect.soft(seen?.requests, path).toBeLessThanOrEqual(10);
      }
      first.network.take();
      await storm(0, 30);
      const seen = first.network.take();
      say('a storm', seen);
      expect.soft(seen.requests).toBeLessThanOrEqual(30);
    });

    test('with the processor four times slower no interaction takes 200 ms', async () => {
      const { page, session } = first;
      await goTo(page, 'alerts?status=all');
      await page.locator('[data-alert]').first().waitFor();
      const length = () => page.locator('.rows li').last().getAttribute('aria-setsize').then(Number);
      await eventually(async () => {
        await page.locator('.list-pane .scroll').evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
        return length();
      }, 4 * minute).toBeGreaterThanOrEqual(alerts);
      await page.locator('.list-pane .scroll').evaluate((box) => box.scrollTo({ top: 0 }));
      say('memory with the whole list, MiB', await heapOf(session));
      await figuresOf(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await workThrough(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
      const { interactions, longTasks } = await figuresOf(page);
      say('the slowest interactions at a quarter of the speed, ms', interactions.slice(0, 8));
      say('interactions, long tasks', [interactions.length, longTasks.slice(0, 12)]);
      expect.soft(interactions[0]?.ms).toBeLessThan(200);
    });

    test('ten tabs share one stream', async () => {
      const others: Tab[] = [];
      for (const path of [
        '',
        'alerts',
        'alerts?status=all',
        'incidents',
        'devices',
        'webhooks',
        'deliveries',
        'review',
        'audit',
      ]) {
        const tab = await open();
        others.push(tab);
        await goTo(tab.page, path);
      }
      const all = [first, ...others];
      await goTo(first.page, '');
      await first.page.waitForTimeout(15_000);
      for (const { page } of others) await hide(page);
      const rest = await aMinuteAtRest(all);
      say(
        'a minute at rest of ten tabs',
        rest.map(({ requests, streams }) => [requests, streams]),
      );
      for (const { requests } of rest) expect.soft(requests).toBeLessThanOrEqual(10);
      for (const { page } of others) await page.close();
    });

    test('after an hour of sleep it is right within 4 s', async () => {
      const { page, session } = first;
      await page.addInitScript(() => {
        const now = Date.now;
        const skew = globalThis as unknown as { skew?: number };
        Date.now = () => now() + (skew.skew ?? 0);
      });
      await page.reload();
      await page.locator('.shell').waitFor();
      await goTo(page, `alerts?site=${siteOf(9)}`);
      await eventually(() => page.locator('.live').textContent()).toBe('Live');
      await page.waitForTimeout(10_000);
      const { get } = callerOf(stack);
      const known = async () => (await get(`/v1/alerts?site=${siteOf(9)}&pageSize=100`)).body.alerts.length;
      const before = await known();
      await session.send('Page.setWebLifecycleState', { state: 'frozen' });
      proxy.strand();
      for (const number of well.slice(-2)) await fleet.send(idOf(number), 'status', trouble(1));
      await until('the service has the new alerts', async () => (await known()) === before + 6);
      await session.send('Page.setWebLifecycleState', { state: 'active' });
      await page.evaluate(() => Object.assign(globalThis, { skew: 3_600_000 }));
      const wokeAt = Date.now();
      await eventually(() => countOf(first), 90_000).toBe(`${before + 6} alerts`);
      const seconds = (Date.now() - wokeAt) / 1000;
      say('right again after an hour of sleep, seconds', seconds);
      expect(seconds).toBeLessThan(4);
    });
  },
);
