import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actOnIncident } from '../../shared/app/incidents/actions.ts';
import { type IncidentRecord, seedIncident } from '../../shared/domain/incident/incident.ts';
import { plus } from '../../shared/domain/time.ts';
import { ana, openTestAlert, uuidOf } from '../support/records/alerts.ts';
import {
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  shoot,
  signIn,
  violationsOn,
} from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';

describe.skipIf(!chromiumPath)('incidents at the console', () => {
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let count = 0;

  beforeAll(async () => {
    [console, browser] = await Promise.all([startConsole(), openBrowser()]);
    ({ page, problems } = await openPage(browser, console.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  /** An open incident as a sweep makes it. */
  const give = async (given: Partial<IncidentRecord> = {}) => {
    count += 1;
    const incidentId = uuidOf(700_000 + count);
    const seed = {
      incidentId,
      kind: 'blind' as const,
      groups: ['*'],
      scope: { kind: 'platform', id: 'watchpost', name: null },
      title: `Watchpost is blind (${count})`,
      message: 'Nothing comes through the MQTT broker any more.',
      members: { now: 47, peak: 48, back: 1 },
      evidence: ['the MQTT broker: everything came through up to noon', '47 of 48 cameras are overdue'],
    };
    const at = plus(console.world.now(), -5 * 60_000);
    const data = { ...seedIncident(seed, 'CRITICAL', at), ...given };
    await console.world.store.commit([{ kind: 'create', in: 'incidents', id: incidentId, data }]);
    return incidentId;
  };
  const stored = async (id: string) => (await console.world.store.get('incidents', [id]))[0]?.data;
  const head = () => page.locator('.alert-head');
  const said = () => page.locator('.toast').last().textContent();

  test('the fleet page shows an open incident above single alerts, with size, place and who acknowledged it', async () => {
    const id = await give();
    await openTestAlert(console.world, { deviceName: 'Gate 2' });
    await goTo(page, '');
    const row = page
      .getByRole('list', { name: 'What is wrong now, the worst first' })
      .getByRole('link', { name: `is blind (${count})` });
    await eventually(() => row.textContent()).toContain(`Watchpost is blind (${count})47 cameras`);
    const isAbove = await page.evaluate(() => {
      const [incident, alert] = [document.querySelector('.causes-panel'), document.querySelector('.recent')];
      return Boolean(alert && incident && incident.compareDocumentPosition(alert) & Node.DOCUMENT_POSITION_FOLLOWING);
    });
    expect(isAbove).toBe(true);
    await actOnIncident(console.world, { ...ana, subject: 'user:olu' }, id, { kind: 'acknowledge' }, null);
    await openTestAlert(console.world);
    await eventually(() => row.textContent()).toContain('olu has it');
    await row.click();
    await eventually(() => head().textContent()).toContain(`Watchpost is blind (${count})`);
  });

  test('the page shows what the incident is, its numbers of cameras and its evidence', async () => {
    await goTo(page, `incidents/${await give()}`);
    await eventually(() => head().textContent()).toContain('Nothing comes through the MQTT broker any more.');
    expect(await page.locator('.members').textContent()).toBe('47overdue now48overdue at most1reported again');
    expect(await page.locator('.plain-list').textContent()).toContain('47 of 48 cameras are overdue');
    expect(await page.title()).toContain('Watchpost is blind');
  });

  test('is acknowledged by a key; its message names it and can undo that', async () => {
    const id = await give({ title: 'Broker is gone' });
    await goTo(page, `incidents/${id}`);
    await page.getByRole('button', { name: /Acknowledge/ }).waitFor();
    await page.keyboard.press('a');
    await eventually(said).toContain('“Broker is gone” acknowledged.');
    expect((await stored(id))?.status).toBe('acknowledged');
    await eventually(() => head().textContent()).toContain('Acknowledged');
    await page.keyboard.press('z');
    await eventually(said).toContain('Undone: “Broker is gone” is active again.');
    expect((await stored(id))?.status).toBe('active');
    await eventually(() => page.locator('.timeline').textContent()).toContain('Acknowledgement undone');
  });

  test('an action of a colleague in the meantime is shown and not overwritten', async () => {
    const id = await give();
    await goTo(page, `incidents/${id}`);
    await page.getByRole('button', { name: /Resolve/ }).click();
    await page.getByRole('dialog').getByLabel('Comment (optional)').fill('Router restarted');
    await actOnIncident(console.world, ana, id, { kind: 'acknowledge' }, null);
    await page.keyboard.press('Enter');
    await eventually(() => page.getByRole('dialog').textContent()).toContain('It changed while you were looking at it');
    expect((await stored(id))?.status).toBe('acknowledged');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
  });

  test('an incident takes notes and is resolved with a comment, and cannot be snoozed', async () => {
    const id = await give();
    await actOnIncident(console.world, ana, id, { kind: 'acknowledge' }, null);
    await goTo(page, `incidents/${id}`);
    await page.getByRole('button', { name: /Add note/ }).click();
    await page.getByRole('dialog').getByLabel('Note').fill('The provider is informed');
    await page.keyboard.press('Control+Enter');
    await eventually(() => page.locator('.note-text').textContent()).toBe('The provider is informed');
    expect(await page.getByRole('button', { name: /Snooze/ }).count()).toBe(0);
    await page.keyboard.press('r');
    await eventually(() => page.getByRole('dialog').textContent()).toContain(
      'It ends by itself when what caused it is over.',
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await eventually(() => head().textContent()).toContain('Resolved');
    await eventually(() => page.getByRole('button', { name: /Reopen/ }).count()).toBe(1);
  });

  test('its alerts are shown if the service returns them', async () => {
    const id = await give();
    const alertId = await openTestAlert(console.world, { deviceName: 'Loading bay' });
    const token = await page.evaluate(() =>
      Object.values(sessionStorage).find((text) => text.includes('access_token')),
    );
    const headers = { Authorization: `Bearer ${JSON.parse(token ?? '{}').access_token}` };
    const alert = await (await fetch(`${console.baseUrl}/v1/alerts/${alertId}`, { headers })).json();
    const unknown = { status: 404, json: { detail: 'There is no such path.' } };
    const mine = `**/v1/incidents/${id}/alerts?**`;
    await page.route(mine, (route) => route.fulfill(unknown));
    await goTo(page, `incidents/${id}`);
    await head().waitFor();
    expect(await page.getByRole('heading', { name: 'Its alerts' }).count()).toBe(0);
    await page.unroute(mine);
    await page.route(mine, (route) => route.fulfill({ json: { alerts: [alert] } }));
    await goTo(page, 'incidents');
    await goTo(page, `incidents/${id}`);
    await eventually(() => page.getByRole('list', { name: 'Its alerts' }).textContent()).toContain('Loading bay');
    await page.unroute(mine);
    await eventually(() => page.title()).toMatch(/^\(\d+\) Watchpost is blind/);
  });

  test('the list shows open incidents, and all on request', async () => {
    const id = await give({ title: 'Long over' });
    await actOnIncident(console.world, ana, id, { kind: 'resolve' }, null);
    await goTo(page, 'incidents');
    const rows = page.getByRole('list', { name: 'Incidents' });
    await rows.waitFor();
    expect(await rows.textContent()).not.toContain('Long over');
    await page.getByLabel('State').selectOption('all');
    await eventually(() => rows.textContent()).toContain('Long over');
    expect(page.url()).toContain('status=all');
  });

  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('in %s at %i px list and page fit and have no fault for axe', async (theme, width) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 720 });
    for (const path of ['', 'incidents?status=all', `incidents/${uuidOf(700_002)}`]) {
      await goTo(page, path);
      await shoot(page, `incident-${path.replaceAll(/\W/g, '-')}-${width}-${theme}`);
      expect(await violationsOn(page), path).toEqual([]);
      const overflow = await page.evaluate(() => {
        const main = document.querySelector('main');
        const inside = main ? main.scrollWidth - main.clientWidth : 0;
        return Math.max(document.documentElement.scrollWidth - innerWidth, inside);
      });
      expect(overflow, path).toBeLessThanOrEqual(0);
    }
  });

  test('had no exception, no violation of the security policy and no request to another origin', () => {
    expect(problems).toEqual([]);
  });
});
