import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actOnAlert } from '../../shared/app/alerts/actions.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { rollUpTrends } from '../../shared/app/fleet/trends.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { plus } from '../../shared/domain/time.ts';
import { ana, giveTeam, openTestAlert } from '../support/records/alerts.ts';
import { failure, giveWebhook, success } from '../support/records/deliveries.ts';
import { detection } from '../support/records/detections.ts';
import { message } from '../support/records/reports.ts';
import { alertOf, darkSite, giveCameras, losePower } from '../support/stack/big-fleet.ts';
import {
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  type Screen,
  screens,
  signIn,
} from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';
import { frames } from '../support/world/frames.ts';
import type { TestWorld } from '../support/world/world.ts';

const folder = join('docs', 'images');

/**
 * Takes the pictures of the README and of the documents: one site of a fleet of 2,000 cameras has no power, and some cameras of other sites have
 * alerts. The service itself finds the outage and answers every request.
 */
describe.skipIf(!chromiumPath)('pictures of the console', () => {
  let console_: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let alertId: string;
  const problems: string[] = [];

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    [console_, browser] = await Promise.all([startConsole(), openBrowser()]);
    const { world } = console_;
    await givePeople(world);
    await giveCameras(world);
    await losePower(world);
    alertId = await giveTroubles(world);
    await giveDay(world);
    await giveTraffic(world);
    await rollUpTrends(world);
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await console_?.stop();
  });

  const opened = async (screen: Screen) => {
    const window = await openPage(browser, console_.baseUrl, { screen });
    await signIn(window.page);
    return window;
  };
  const draw = async (page: Page, path: string, name: string, shows: string | RegExp) => {
    await goTo(page, path);
    await eventually(() => page.locator('main').textContent()).toMatch(shows);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };

  test('of the pages on a laptop', async () => {
    const { page, problems: seen } = await opened('laptop');
    await page.setViewportSize({ width: 1440, height: 830 });
    await draw(page, '', 'now', darkSite);
    await page.setViewportSize(screens.laptop);
    await page.getByRole('list', { name: 'What is wrong now, the worst first' }).getByRole('link').first().click();
    await eventually(() => page.locator('main').textContent()).toMatch(/34 of 34 cameras/);
    await page.screenshot({ path: join(folder, 'incident.png') });
    await draw(page, 'alerts?orderBy=urgency+desc', 'alerts', / alerts/);
    await draw(page, 'devices/cam-0007', 'device', /Site 7 camera 1/);
    await draw(page, `alerts/${alertId}`, 'alert', /Next, if nobody acts/);
    await draw(page, 'webhooks', 'webhooks', /hooks\.example\.com/);
    problems.push(...seen);
  });

  test('of the alerts on a phone', async () => {
    const { page, problems: seen } = await opened('phone');
    await draw(page, 'alerts?orderBy=urgency+desc', 'phone', / alerts/);
    problems.push(...seen);
    expect(problems).toEqual([]);
  });
});

/** Two teams. An alert that nobody answers escalates to `installers` after 15 minutes. */
async function givePeople(world: TestWorld): Promise<void> {
  await giveTeam(world, 'installers', { emails: ['installers@example.com'] });
  await giveTeam(world, 'operations', {
    emails: ['ops@example.com'],
    escalation: {
      steps: [
        { afterMinutes: 0, escalationTeam: true },
        { afterMinutes: 15, team: 'installers' },
      ],
    },
  });
}

/**
 * Opens alerts at other places, some minutes ago.
 * @returns the id of one of them
 */
async function giveTroubles(world: TestWorld): Promise<string> {
  const opened = (minutes: number, number: number, code: Parameters<typeof alertOf>[1]) =>
    openTestAlert({ ...world, now: () => plus(world.now(), -minutes * 60_000) }, alertOf(number, code));
  for (let count = 0; count < 9; count += 1) await opened(50 - count * 3, 12 + count * 60, 'RES_002');
  for (let count = 0; count < 5; count += 1) await opened(20 - count, 18 + count * 60, 'RES_003');
  await opened(12, 91, 'CFG_003');
  return opened(8, 152, 'RES_001');
}

/** The day before: a quiet night and a busy afternoon. Each alert was acknowledged after some minutes, and resolved later. */
async function giveDay(world: TestWorld): Promise<void> {
  const opened = [9, 12, 7, 8, 14, 18, 11, 6, 4, 3, 2, 2, 1, 1, 2, 1, 3, 4, 6, 9, 11, 8, 10];
  for (const [hour, count] of opened.entries()) {
    for (let index = 0; index < count; index += 1) {
      const minutesAgo = (24 - hour) * 60 - index * 3;
      const at = (later: number) => ({ ...world, now: () => plus(world.now(), (later - minutesAgo) * 60_000) });
      const code = index % 7 === 6 ? 'CONN_001' : index % 3 === 2 ? 'RES_001' : 'RES_003';
      const id = await openTestAlert(at(0), alertOf(61 + hour * 60 + index, code));
      await actOnAlert(at(2 + (index % 5)), ana, id, { kind: 'acknowledge' }, null);
      await actOnAlert(at(9 + index * 2), ana, id, { kind: 'resolve' }, null);
    }
  }
}

/** Sends detections of one camera to two endpoints, one of which is down. */
async function giveTraffic(world: TestWorld): Promise<void> {
  const description = 'Access control';
  await giveWebhook(world, { url: 'https://hooks.example.com/detections', description, events: ['detection'] });
  const down = await giveWebhook(world, { url: 'https://siem.example.com/events', description: 'Security records' });
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  for (let count = 0; count < 12; count += 1) {
    const seen = detection(`s-${count}`, { timestamp: world.now() });
    const from = { deviceId: 'cam-0040', publishTime: world.now() };
    await takeMessage(world, message('detection', seen, from), intake);
  }
  const sender = {
    send: async ({ webhookId }: { webhookId: string | null }) => (webhookId === down ? failure : success),
  };
  const dispatcher = createDispatcher(world, { webhook: sender }, () => performance.now());
  for (const { id } of await world.store.find({ in: 'deliveries', limit: 100 })) await dispatcher.attempt(id);
}
