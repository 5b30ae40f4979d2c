import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { put } from '../../shared/app/commit/commit.ts';
import type { Actor, AlertChange } from '../../shared/domain/alert/change.ts';
import { decideAlert } from '../../shared/domain/alert/lifecycle.ts';
import { newDevice } from '../../shared/domain/device/device.ts';
import type { GuardianTrust } from '../../shared/domain/guardian/trust.ts';
import { newSight } from '../../shared/domain/sight/sight.ts';
import { plus } from '../../shared/domain/time.ts';
import { openTestAlert, uuidOf } from '../support/records/alerts.ts';
import { giveIncident } from '../support/records/incidents.ts';
import { giveSight } from '../support/records/sight.ts';
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

/** The record of a guardian that refuses its golden configuration. */
const refusing: GuardianTrust = {
  publicKey: 'key',
  oldKey: null,
  keyUsedAt: null,
  signedSince: null,
  epochs: [],
  forgottenUntil: null,
  forgottenHealth: 0,
  countedFrom: null,
  health: {
    status: 'golden-refused',
    reason: 'the signature does not fit',
    goldenGeneration: 7,
    lastAlertSeq: 0,
    healthIntervalSeconds: 300,
    epoch: 'e',
    at: new Date().toISOString(),
    missingSince: null,
    alertsMissing: 0,
  },
};

/** The record of a guardian whose last health message came 20 minutes ago and was good. */
const silent: GuardianTrust = {
  ...refusing,
  health: refusing.health && {
    ...refusing.health,
    status: 'ok',
    reason: null,
    at: new Date(Date.now() - 20 * 60_000).toISOString(),
  },
};
const guardians: Record<string, GuardianTrust | null> = {
  'cam-here': refusing,
  'cam-overdue': silent,
  'cam-dark': null,
};

/** What the console says must be what the service knows: no more, no less. */
describe.skipIf(!chromiumPath)('a true picture', () => {
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    [console, browser] = await Promise.all([startConsole(), openBrowser()]);
    const { world } = console;
    const camera = (deviceId: string, isOnline: boolean, silentAt: string) => {
      const device = newDevice(deviceId, world.now());
      const guardianTrust = guardians[deviceId] ?? null;
      const named = { groupId: 'north', name: `Gate ${deviceId}` };
      const data = { ...device, ...named, wasHeard: true, isOnline, silentAt, guardianTrust };
      return { kind: 'create', in: 'devices', id: deviceId, data } as const;
    };
    const [before, later] = [plus(world.now(), -60_000), plus(world.now(), 3_600_000)];
    await world.store.commit([
      camera('cam-here', true, later),
      camera('cam-overdue', true, before),
      camera('cam-dark', false, later),
    ]);
    ({ page, problems } = await openPage(browser, console.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  const banner = () => page.locator('.sight-banner');
  const online = () => page.locator('.tile.online');
  /** Reloads the page, as an operator does after a night. */
  const later = async () => {
    await page.reload();
    await page.locator('.shell').waitFor();
  };

  test('while the platform sees, there is no banner, and the fleet page shows up to when reports are complete', async () => {
    await goTo(page, '');
    await eventually(() => page.locator('.sight-line').textContent()).toMatch(
      /nothing is missing up to (now|\d+ s ago)/,
    );
    expect(await banner().count()).toBe(0);
    await eventually(() => online().textContent()).toMatch(/66\.6%2 of 3 devices, 1 offline$/);
  });

  test('warns that nobody would be notified, with a link to add a contact', async () => {
    await goTo(page, '');
    await eventually(() => page.locator('.nobody').textContent()).toContain('Nobody would be notified.');
    await page.locator('.nobody').getByRole('link', { name: 'Add a contact' }).click();
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Who is told');
  });

  test('while the platform is blind, a banner explains it, and overdue cameras are shown as unknown', async () => {
    const since = plus(console.world.now(), -4 * 60_000);
    const incidentId = await giveIncident(console.world, uuidOf(800_001), '*', 'Watchpost is blind');
    const way = { ...newSight(since).ways.broker, state: 'blind' as const };
    const ways = { ...newSight(since).ways, broker: way };
    await giveSight(console.world, { state: 'blind', since, horizonAt: since, incidentId, ways });
    await goTo(page, '');
    await later();
    await eventually(() => banner().textContent()).toMatch(
      /Watchpost is blind since [\d:]+, [45] min\..*through the MQTT broker/,
    );
    expect(await banner().textContent()).toContain('Acknowledging, escalations and messages work.');
    await eventually(() => online().textContent()).toMatch(
      /^OnlineNot knownSince [\d:]+\. 3 devices, 1 offline, 1 unknown$/,
    );
    expect(await page.locator('.sight-line').count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    await goTo(page, 'devices');
    await eventually(() => page.locator('.device-group').textContent()).toContain('1 of 3 devices online, 1 unknown');
    expect(await page.locator('.device-row').filter({ hasText: 'cam-overdue' }).textContent()).toMatch(/^Unknown/);
    await goTo(page, 'devices/cam-overdue');
    await eventually(() => page.locator('.page-head .presence').textContent()).toBe('Unknown');
    // A page that is notified of a change in the fleet reads the whole fleet again, including the banner.
    await giveSight(console.world);
    await openTestAlert(console.world, { deviceId: 'cam-here', code: 'RES_002' });
    await eventually(() => banner().count()).toBe(0);
  });

  test('late reports have another banner than blindness', async () => {
    const since = plus(console.world.now(), -150_000);
    await giveSight(console.world, { state: 'lags', since, horizonAt: since });
    await later();
    await eventually(() => banner().textContent()).toMatch(
      /^Reports come late since [\d:]+, [23] min\. Everything up to/,
    );
    await giveSight(console.world);
  });

  test('while no sweep runs, the share of online cameras is unknown: neither 0 nor 100 %', async () => {
    await giveSight(console.world, { sweptAt: plus(console.world.now(), -2 * 24 * 3_600_000) });
    await goTo(page, '');
    await later();
    await eventually(() => banner().textContent()).toContain('Watchpost has not looked at the fleet since');
    await eventually(() => online().textContent()).toMatch(
      /^OnlineNot knownSince .+\. 3 devices, 1 offline, 2 unknown$/,
    );
    expect(await violationsOn(page)).toEqual([]);
    await giveSight(console.world);
    await later();
  });

  test('a camera shows the state of its guardian: its health, silent, or none', async () => {
    await goTo(page, 'devices/cam-here');
    const panel = page.locator('.panel').filter({ has: page.getByRole('heading', { name: 'Guardian' }) });
    await eventually(() => panel.textContent()).toMatch(
      /Refuses its golden configuration.*Golden generation7.*its key is registered/,
    );
    await goTo(page, 'devices/cam-overdue');
    await eventually(() => panel.textContent()).toMatch(/Says nothing any more.*Last seen2\d min ago/);
    expect(await panel.locator('.chip.bad').textContent()).toBe('Says nothing any more');
    await goTo(page, 'devices/cam-dark');
    await eventually(() => panel.textContent()).toContain('no guardian was ever enrolled');
  });

  /** Applies a change that a device or a due time causes to an alert. */
  const happens = async (alertId: string, change: AlertChange, who: Actor = 'device') => {
    const { store, now } = console.world;
    const [stored = null] = await store.get('alerts', [alertId]);
    const outcome = stored && decideAlert(stored.data, change, who, now());
    if (outcome?.kind !== 'changed') throw new Error(`${change.kind} does nothing to ${alertId}`);
    const { alert, entry } = outcome;
    const trail = { kind: 'create', in: 'audit', id: entry.entryId, data: entry } as const;
    await store.commit([put('alerts', alertId, alert, stored), trail]);
  };
  const story = () => page.locator('.timeline').textContent();
  const turns = () => page.locator('.turns').textContent();

  test('row and history of an alert show that it got worse, came back or flaps', async () => {
    const context = { reconnectAttempts: 3, cause: 'silent', lastConnected: '2026-11-20T09:58:00.000Z' } as const;
    const id = await openTestAlert(console.world, { context: { ...context, brokerHost: 'mqtt.example.com' } });
    await happens(id, { kind: 'worsen', why: 'It got worse: at 2000 ms or more' });
    await goTo(page, `alerts/${id}`);
    await eventually(turns).toMatch(/It got worse (now|\d+ s ago)/);
    await eventually(story).toMatch(/Got worse.*the camera.*at 2000 ms or more/);
    const row = page.locator(`.rows [data-alert="${id}"]`);
    await eventually(() => row.textContent()).toContain('Worse');
    const names = page.locator('section:has(> h3:text("Context")) dt');
    expect(await names.allTextContents()).toEqual([
      'Last connected',
      'Broker',
      'Reconnect attempts',
      'How it is known',
    ]);
    await happens(id, { kind: 'end', resolution: 'automatic', why: 'The condition ended' });
    await happens(id, { kind: 'return', why: 'The condition returned', flapping: true, notifyAfter: null });
    await eventually(turns).toContain('stays open until it has been quiet for 10 minutes');
    await eventually(story).toMatch(/Ended.*active → resolved.*Came back.*resolved → active/);
  });

  test('an alert whose camera moved says where it continues, and who moved the camera', async () => {
    const id = await openTestAlert(console.world);
    const why = 'The camera moved to another group';
    await happens(id, { kind: 'end', resolution: 'moved', why }, 'user:ana');
    await goTo(page, `alerts/${id}`);
    await eventually(turns).toContain('Moved.');
    await eventually(story).toMatch(/Ended.*ana.*moved to another group/);
    expect(await page.locator('.facts').first().textContent()).toContain('its camera moved to another group');
    expect(await violationsOn(page)).toEqual([]);
  });

  test('new rows above the reader are counted, and do not move the page', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 40; index += 1) ids.push(await openTestAlert(console.world, { groupId: 'many' }));
    await goTo(page, 'alerts?groupId=many');
    await eventually(() => page.locator('.list-count').textContent()).toBe('40 alerts');
    const box = page.locator('.scroll');
    await box.evaluate((element) => element.scrollTo(0, 600));
    const read = page.locator(`.rows [data-alert="${ids[20]}"]`);
    await read.waitFor();
    const before = (await read.boundingBox())?.y ?? 0;
    await openTestAlert(console.world, { groupId: 'many' });
    await openTestAlert(console.world, { groupId: 'many' });
    await eventually(() => page.locator('.new-above').textContent()).toContain('2 new');
    expect(Math.abs(((await read.boundingBox())?.y ?? 0) - before)).toBeLessThan(2);
    expect(await violationsOn(page)).toEqual([]);
    await page.locator('.new-above button').click();
    await eventually(() => page.locator('.new-above').count()).toBe(0);
    expect(await box.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test('an alert links to its incident', async () => {
    const id = await openTestAlert(console.world);
    await page.route(`**/v1/alerts/${id}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), incidentId: uuidOf(800_001) } });
    });
    await goTo(page, `alerts/${id}`);
    await page.locator('.facts').getByRole('link', { name: 'An incident' }).click();
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Watchpost is blind');
    await page.unroute(`**/v1/alerts/${id}`);
  });

  test('had no exception, no violation of the security policy and no request to another origin', () => {
    expect(problems).toEqual([]);
  });
});
