import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGateway } from '../../local/cloud/gateway/gateway.ts';
import { startIssuer } from '../../local/cloud/issuer.ts';
import type { Service } from '../../local/machine/http-server.ts';
import type { Alert } from '../../shared/schema/alert/alert.ts';
import type { Me } from '../../shared/schema/me/me.ts';
import type { QuarantinedReport } from '../../shared/schema/quarantine/quarantine.ts';
import { scopes } from '../../shared/schema/scopes.ts';
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

const total = 10_000;

/** The answers that the console gets, for states that a healthy service is rarely in. `down`: the connection is refused. */
type Answers = (path: string, query: URLSearchParams, method: string) => { status?: number; body?: unknown } | 'down';

describe.skipIf(!chromiumPath)('the console in every state', () => {
  const services: Service[] = [];
  let browser: Browser;
  let baseUrl: string;
  let page: Page;
  let close: () => Promise<void>;
  let answers: Answers;

  beforeAll(async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const signingKey = { ...(await exportJWK(privateKey)), kid: 'k1', alg: 'RS256' };
    const issuer = await startIssuer({ port: 0, signingKey, audience: 'watchpost', scope: scopes.join(' ') });
    const consoleConfig = { issuer: `http://127.0.0.1:${issuer.port}`, clientId: 'console', audience: 'watchpost' };
    const consoleFolder = `${process.cwd()}/console/dist`;
    const gateway = await startGateway({ port: 0, apiPort: 9, probesPort: 9, consoleFolder, consoleConfig });
    services.push(gateway, issuer);
    baseUrl = `http://127.0.0.1:${gateway.port}`;
    browser = await openBrowser();
  });

  beforeEach(async () => {
    await close?.();
    ({ page, close } = await openPage(browser, baseUrl));
    answers = () => ({ status: 501, body: { code: 'not-implemented', title: 'Not here', status: 501 } });
    await page.route('**/v1/**', (route) => answer(route, answers));
    await signIn(page);
  });

  afterAll(async () => {
    await browser?.close();
    for (const service of services) await service.stop();
  });

  test('scrolls through 10,000 alerts and draws only those in view', async () => {
    answers = (path, query) => (path === '/v1/alerts' ? { body: pageOf(query) } : { status: 501 });
    await goTo(page, 'alerts');
    const box = page.locator('.scroll');
    await eventually(async () => {
      await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return page.locator('.list-count').textContent();
    }, 45_000).toBe('10,000 alerts');
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await eventually(() => page.locator('[data-alert]').last().textContent()).toContain('alert number 9999');
    expect(await page.locator('[data-alert]').count()).toBeLessThan(80);
    expect(await page.locator('.rows li').last().getAttribute('aria-posinset')).toBe('10000');
    await shoot(page, 'state-ten-thousand');
    const slow = await page.context().newCDPSession(page);
    await slow.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.evaluate(() => {
      const timed: number[] = [];
      Object.assign(globalThis, { timed });
      const keep = (entries: PerformanceObserverEntryList) => {
        for (const { name, duration } of entries.getEntries()) if (name === 'keydown') timed.push(duration);
      };
      new PerformanceObserver(keep).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
    });
    await page.locator('[data-alert]').last().focus();
    for (const key of ['k', 'k', 'x', 'k', 'x', 'j', 'k', 'k', 'k', 'X']) {
      await page.keyboard.press(key);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
    }
    const timed = await page.evaluate(() => (globalThis as unknown as { timed: number[] }).timed);
    const sorted = timed.toSorted((a, b) => a - b);
    console.log(`key to next paint with 10,000 alerts at a quarter of the speed, ms: ${sorted.join(' ')}`);
    expect(timed.length).toBeGreaterThan(0);
    // 200 ms is the limit on an idle machine, but the gate shares its machine.
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(600);
    await slow.detach();
  });

  test('searches and filters, and keeps both in the address', async () => {
    const asked: (string | null)[] = [];
    answers = (path, query) => {
      if (path !== '/v1/alerts') return { status: 501 };
      asked.push(query.get('q'));
      return { body: pageOf(query, 300) };
    };
    await goTo(page, 'alerts');
    await page.locator('[data-alert]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('number 299');
    await eventually(() => asked.at(-1)).toBe('number 299');
    await eventually(() => page.locator('.chips').textContent()).toContain('Search: number 299');
    await page.getByRole('button', { name: 'Critical' }).click();
    await eventually(() => page.url()).toContain('severity=CRITICAL');
    expect(page.url()).toContain('q=number+299');
    await page.reload();
    await eventually(() => page.getByRole('button', { name: 'Critical' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByLabel('Search alerts').inputValue()).toBe('number 299');
  });

  test('selects alerts by x, and says for which of them an action was refused', async () => {
    const asked: unknown[] = [];
    answers = (path, query) => {
      if (path === '/v1/alerts') return { body: pageOf(query, 5) };
      if (path !== '/v1/alerts/batch') return { status: 501 };
      asked.push(path);
      const problem = { code: 'invalid-transition', detail: 'It is resolved.' };
      return {
        body: {
          results: [
            { alertId: idOf(0), status: 200 },
            { alertId: idOf(1), status: 409, problem },
          ],
        },
      };
    };
    await goTo(page, 'alerts');
    await page.locator('[data-alert]').first().waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await eventually(() => page.locator('.bulk strong').textContent()).toBe('2 alerts selected');
    await shoot(page, 'state-bulk');
    await page.keyboard.press('a');
    await eventually(() => page.locator('.toast').textContent()).toContain(
      '1 alert acknowledged; 1 alert not: It is resolved.',
    );
    expect(asked).toHaveLength(1);
  });

  test('draws the rest of a page if one record cannot be drawn, and does not read this record repeatedly', async () => {
    let readings = 0;
    answers = (path, query) => {
      if (path === '/v1/alerts') return { body: pageOf(query, 5) };
      if (path !== `/v1/alerts/${idOf(0)}`) return { status: 501 };
      readings += 1;
      return { body: { ...alertOf(0), timestamp: 'no time' } };
    };
    await goTo(page, `alerts/${idOf(0)}`);
    await eventually(() => page.locator('.detail-pane').textContent()).toContain('This cannot be drawn');
    expect(await page.locator('[data-alert]').count()).toBe(5);
    await page.waitForTimeout(500);
    expect(readings).toBeLessThan(3);
  });

  test.each([
    [412, 'It changed while you were looking at it'],
    [409, 'The alert is resolved already'],
  ])('explains a conflict (%i) and shows the present state', async (status, words) => {
    let current = alertOf(0);
    answers = (path, _query, method) => {
      if (method === 'POST') {
        current = { ...current, status: 'resolved', resolved: true, availableActions: ['view-history', 'reopen'] };
        return { status, body: { code: 'x', title: 'Conflict', status, detail: 'The alert is resolved already' } };
      }
      return path === `/v1/alerts/${idOf(0)}` ? { body: current } : { status: 501 };
    };
    await goTo(page, `alerts/${idOf(0)}`);
    await page.getByRole('button', { name: /Acknowledge/ }).click();
    await eventually(() => page.locator('.toast').textContent()).toContain(words);
    await eventually(() => page.locator('.alert-head').textContent()).toContain('Resolved');
    expect(await page.getByRole('button', { name: /Reopen/ }).count()).toBe(1);
  });

  test.each([
    ['empty', (path) => (path === '/v1/alerts' ? { body: { alerts: [] } } : { status: 501 }), 'No open alerts'],
    ['forbidden', () => ({ status: 403, body: { detail: 'The token lacks alerts:read.' } }), 'Not for your eyes'],
    ['unsupported', () => ({ status: 404, body: { detail: 'There is no such path.' } }), 'Not available here'],
    ['failed', () => ({ status: 500, body: { title: 'The service failed', code: 'internal' } }), 'The service failed'],
  ] as [string, Answers, string][])(
    'draws a list that is %s in words, without a fault for axe',
    async (name, given, words) => {
      answers = given;
      await goTo(page, 'alerts');
      await eventually(() => page.locator('.state-title').first().textContent()).toBe(words);
      expect(await violationsOn(page)).toEqual([]);
      await shoot(page, `state-${name}`);
    },
  );

  test.each([
    ['empty', () => ({ body: { reports: [] } }), 'Nothing is in quarantine'],
    ['forbidden', () => ({ status: 403, body: { detail: 'The token lacks settings:read.' } }), 'Not for your eyes'],
    ['failed', () => ({ status: 500, body: { title: 'The service failed', code: 'internal' } }), 'The service failed'],
  ] as [string, Answers, string][])('draws a quarantine that is %s in words', async (_name, given, words) => {
    answers = (path, ...rest) => (path === '/v1/quarantine' ? given(path, ...rest) : { status: 501 });
    await goTo(page, 'quarantine');
    await eventually(() => page.locator('.state-title').textContent()).toBe(words);
    expect(await violationsOn(page)).toEqual([]);
  });

  test('reads older quarantined reports on request, and removes one of those from the list too', async () => {
    const tried: string[] = [];
    answers = (path, query, method) => {
      const id = /^\/v1\/quarantine\/(.+)\/retry$/.exec(path)?.[1];
      if (method === 'POST' && id) {
        tried.push(id);
        return { body: { ...reportOf(id), status: 'retried' } };
      }
      if (path !== '/v1/quarantine') return { status: 501 };
      return query.get('pageToken') === 'second'
        ? { body: { reports: [reportOf('c'), reportOf('d')] } }
        : { body: { reports: [reportOf('a'), reportOf('b')], nextPageToken: 'second' } };
    };
    await goTo(page, 'quarantine');
    await page.getByRole('button', { name: 'Older reports' }).click();
    const items = page.locator('.quarantine > li');
    await eventually(() => items.count()).toBe(4);
    expect(await page.getByRole('button', { name: 'Older reports' }).count()).toBe(0);
    await items.filter({ hasText: 'cam-c' }).getByRole('button', { name: 'Retry' }).click();
    await eventually(() => items.allTextContents()).toHaveLength(3);
    expect(tried).toEqual(['c']);
    expect(await items.filter({ hasText: 'cam-c' }).count()).toBe(0);
  });

  test('cannot retry a report whose bytes were cut, and offers a viewer neither retry nor dismissal', async () => {
    const suppressed = { count: 1234, firstAt: noonText, lastAt: noonText, reasons: { unreadable: 1234 } };
    const cut = { ...reportOf('a'), truncated: true, reason: 'too-large', suppressed };
    const whole = { ...cut, data: btoa('x'.repeat(40_000)) };
    answers = (path) => {
      if (path === '/v1/quarantine/a') return { body: whole };
      return path === '/v1/quarantine' ? { body: { reports: [cut] } } : { status: 501 };
    };
    await goTo(page, 'quarantine');
    const item = page.locator('.quarantine > li');
    await eventually(() => item.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true);
    await eventually(() => item.textContent()).toContain('and 1,234 more');
    await item.locator('.expand').click();
    await eventually(() => item.locator('.opened').textContent()).toContain(
      '40,000 bytes kept of a larger message, the first 16,384 shown',
    );
    await signInWith(page, baseUrl, 'openid settings:read');
    await goTo(page, 'quarantine');
    await eventually(() => item.textContent()).toContain('cam-a');
    expect(await item.getByRole('button', { name: /Retry|Dismiss/ }).count()).toBe(0);
  });

  test('shows that the service is down, and recovers by itself', async () => {
    answers = (path, query) =>
      path === '/v1/alerts' ? { body: pageOf(query, 3) } : path === '/v1/stream' ? 'down' : { status: 501 };
    await goTo(page, 'alerts');
    await page.locator('[data-alert]').first().waitFor();
    const before = answers;
    answers = () => 'down';
    await page.getByRole('button', { name: 'Warning' }).click();
    await page.locator('.banner').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'state-offline');
    answers = before;
    await eventually(() => page.locator('[data-alert]').count()).toBe(3);
    await eventually(() => page.locator('.banner').count()).toBe(0);
  });

  test('shows the last known data and its time after a reload without the service, and deletes it at sign-out', async () => {
    const up: Answers = (path, query) => (path === '/v1/alerts' ? { body: pageOf(query, 3) } : { status: 501 });
    answers = up;
    await goTo(page, 'alerts');
    await page.locator('[data-alert]').first().waitFor();
    answers = () => 'down';
    await page.reload();
    await eventually(() => page.locator('[data-alert]').count()).toBe(3);
    await eventually(() => page.locator('.banner').textContent()).toMatch(
      /What you see is of \d\d:\d\d:\d\d at the latest/,
    );
    // A list that was never read is not shown.
    await goTo(page, 'incidents');
    await eventually(() => page.locator('.state-title').textContent()).toBe('No connection');
    answers = up;
    await eventually(() => page.locator('.banner').count()).toBe(0);
    const last = () =>
      page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('watchpost.last')));
    expect(await last()).not.toEqual([]);
    await page.locator('.person').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await last()).toEqual([]);
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => /last|contact/.test(key)))).toEqual([]);
  });

  test('shows a viewer neither buttons nor pages that the token does not cover', async () => {
    answers = (path) => (path === `/v1/alerts/${idOf(0)}` ? { body: alertOf(0) } : { status: 501 });
    await signInWith(page, `${baseUrl}/#/alerts/${idOf(0)}`, 'openid alerts:read');
    await page.locator('.alert-head').waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages' }).locator('.rail-group a');
    expect(await pages.allTextContents()).toEqual(['Now', 'Alerts', 'Incidents', 'Reports']);
    expect(await page.getByRole('button', { name: /Acknowledge/ }).count()).toBe(0);
  });

  test('tells a person without groups what to do, instead of an empty fleet', async () => {
    const why = 'The token names no group of devices in the claim `groups`: have the issuer list the groups there.';
    answers = () => ({ status: 501 });
    await page.route('**/v1/me', async (route) => {
      const me = meOf(route);
      await route.fulfill({ json: { ...me, groups: [], missing: { ...me.missing, groups: why } } });
    });
    await page.reload();
    await eventually(() => page.locator('.gate').textContent()).toContain(why);
    expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('tells a person of some groups that these hold no camera', async () => {
    answers = (path) => (path === '/v1/fleet' ? { body: emptyFleet } : { status: 501 });
    await page.route('**/v1/me', (route) => route.fulfill({ json: { ...meOf(route), groups: ['north', 'yard-2'] } }));
    await page.reload();
    await eventually(() => page.locator('.first-steps').textContent()).toContain(
      'Your groups (north, yard-2) hold no camera',
    );
  });

  test('signs in once more with the scopes that the issuer knows, and says which it lacks', async () => {
    answers = () => ({ status: 501 });
    const known = ['openid', 'profile', 'email', 'alerts:read', 'devices:read'];
    const asked: string[] = [];
    await page.route('**/.well-known/openid-configuration', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), scopes_supported: known } });
    });
    // Keycloak answers so if it does not know one of the scopes.
    await page.route('**/authorize?**', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const scope = query.get('scope') ?? '';
      asked.push(scope);
      if (scope.split(' ').every((each) => known.includes(each))) return route.fallback();
      const state = encodeURIComponent(query.get('state') ?? '');
      const location = `${query.get('redirect_uri')}?error=invalid_scope&error_description=Invalid+scopes&state=${state}`;
      return route.fulfill({ status: 302, headers: { location } });
    });
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await signIn(page);
    expect(asked).toEqual([['openid', 'profile', ...scopes].join(' '), 'openid profile alerts:read devices:read']);
    await eventually(() => page.locator('.notice.problem').first().textContent()).toContain(
      `The issuer does not know ${scopes.filter((scope) => !known.includes(scope)).join(', ')}`,
    );
    expect(await page.getByRole('navigation', { name: 'Pages' }).locator('a').allTextContents()).toContain('Cameras');
    await page.reload();
    await page.locator('.shell').waitFor();
    expect(asked).toHaveLength(2);
  });

  test('opens the path of a link in a message', async () => {
    answers = (path) => (path === `/v1/alerts/${idOf(7)}` ? { body: alertOf(7) } : { status: 501 });
    await page.goto(`${baseUrl}/alerts/${idOf(7)}`);
    await eventually(() => page.locator('.alert-head').textContent()).toContain('alert number 7');
  });
});

/** Signs in again at this address, with these scopes. */
async function signInWith(page: Page, address: string, scope: string): Promise<void> {
  await page.evaluate(() => sessionStorage.clear());
  await page.route('**/authorize?**', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('scope', scope);
    return route.continue({ url: url.href });
  });
  await page.goto(address);
  await page.reload();
  await signIn(page);
}

async function answer(route: Route, answers: Answers): Promise<void> {
  const url = new URL(route.request().url());
  const own = answers(url.pathname, url.searchParams, route.request().method());
  const given = own !== 'down' && own.status === 501 && url.pathname === '/v1/me' ? { body: meOf(route) } : own;
  if (given === 'down') return route.abort('connectionrefused');
  const status = given.status ?? 200;
  const contentType = status < 400 ? 'application/json' : 'application/problem+json';
  return route.fulfill({ status, contentType, headers: { ETag: '"1"' }, body: JSON.stringify(given.body ?? {}) });
}

/** What the service would say of the token of a request. */
function meOf(route: Route): Me {
  const { sub, iss, exp, scope, groups } = decodeJwt(route.request().headers()['authorization']?.slice(7) ?? '');
  const granted = scopes.filter((each) => String(scope).split(' ').includes(each));
  return {
    subject: `user:${sub}`,
    issuer: iss ?? '',
    expiresAt: new Date((exp ?? 0) * 1000).toISOString(),
    scopes: granted,
    groups: String(groups) === '*' ? null : (groups as string[]),
    missing: { scopes: scopes.filter((each) => !granted.includes(each)), groups: null },
  };
}

const none = { CRITICAL: 0, ERROR: 0, WARNING: 0, INFO: 0 };
const emptyFleet = {
  devices: { total: 0, online: 0, offline: 0, unknown: 0, onlinePercent: null },
  platform: {
    state: 'sees',
    since: '2026-11-20T12:00:00.000Z',
    horizonAt: null,
    lastReportAt: null,
    ways: [],
    incidentId: null,
  },
  reach: { contacts: true },
  alerts: { open: none, last24h: none },
  recentAlerts: [],
  generatedAt: '2026-11-20T12:00:00.000Z',
};

const idOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const noonText = '2026-11-20T12:00:00.000Z';
const noon = Date.parse(noonText);

function reportOf(id: string): QuarantinedReport {
  return {
    reportId: id,
    status: 'quarantined',
    reason: 'unreadable',
    errors: [{ pointer: '', detail: 'is not JSON' }],
    deviceId: `cam-${id}`,
    deviceName: null,
    site: null,
    kind: 'status',
    dialect: 'native',
    attributes: {},
    excerpt: '{',
    sizeBytes: 1,
    truncated: false,
    suppressed: null,
    messageId: id,
    receivedAt: '2026-11-20T12:00:00.000Z',
    quarantinedAt: '2026-11-20T12:00:00.000Z',
  };
}

function alertOf(index: number): Alert {
  const severity = (['CRITICAL', 'ERROR', 'WARNING'] as const)[index % 3] ?? 'ERROR';
  const timestamp = new Date(noon - index * 1000).toISOString();
  return {
    alertId: idOf(index),
    deviceId: `cam-${index}`,
    deviceName: null,
    site: null,
    groupId: 'north',
    code: 'CONN_001',
    severity,
    category: 'connectivity',
    message: `alert number ${index}`,
    timestamp,
    context: {},
    resolved: false,
    resolvedAt: null,
    status: 'active',
    availableActions: ['acknowledge', 'resolve', 'snooze'],
    occurrences: 1,
    lastSeenAt: timestamp,
    priority: null,
    team: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    escalatedAt: null,
    snoozedUntil: null,
    respondBy: null,
    resolution: null,
    flapping: false,
    incidentId: null,
    worsenedAt: null,
    maintenance: null,
  };
}

function pageOf(query: URLSearchParams, count = total): { alerts: Alert[]; nextPageToken?: string } {
  const from = Number(query.get('pageToken') ?? 0);
  const end = Math.min(from + Number(query.get('pageSize') ?? 50), count);
  const alerts = Array.from({ length: end - from }, (_, index) => alertOf(from + index));
  return end < count ? { alerts, nextPageToken: String(end) } : { alerts };
}
