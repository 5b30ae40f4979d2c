import type { Browser, Page, Request, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { chromiumPath, eventually, goTo, openBrowser, openPage, signIn } from '../support/stack/browser.ts';

/** The console renews a token a minute before it expires, so this one after three seconds. */
const shortSeconds = 63;

describe.skipIf(!chromiumPath)('the session of an operator', () => {
  let stack: Stack;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let close: () => Promise<void>;
  /** The forms that the console posted to the issuer's token address, and the `Authorization` headers of its requests to the API, in order. */
  let asked: URLSearchParams[];
  let bearers: string[];
  /** Changes the issuer's answer on its way. Null: the issuer cannot be reached. */
  let change: ((answer: Record<string, unknown>) => Record<string, unknown>) | null;
  let lifetime: number | null;
  /** The `Authorization` headers of all tokens that the issuer gave so far. */
  let given: Set<string>;
  /** The issuer's answers wait until this settles. */
  let answerAfter: Promise<unknown>;

  const tokenAddress = /\/token$/;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([startStack({ isEmbedded: true }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  beforeEach(async () => {
    [asked, bearers, change, lifetime] = [[], [], (answer) => answer, shortSeconds];
    [given, answerAfter] = [new Set(), Promise.resolve()];
    ({ page, problems, close } = await openPage(browser, stack.run.baseUrl));
    page.on('request', (request: Request) => {
      const bearer = request.headers()['authorization'];
      if (bearer && request.url().includes('/v1/')) bearers.push(bearer);
    });
    await page.route(tokenAddress, async (route: Route) => {
      const form = new URLSearchParams(route.request().postData() ?? '');
      asked.push(form);
      // The value at the time of the request, because the test may change it before the answer.
      const changed = change;
      if (changed === null) return route.abort('connectionrefused');
      const postData = `${form}${lifetime === null ? '' : `&expires_seconds=${lifetime}`}`;
      const response = await route.fetch({ postData });
      const body = changed((await response.json()) as Record<string, unknown>);
      await answerAfter;
      given.add(`Bearer ${body['access_token']}`);
      await route.fulfill({ response, status: body['error'] ? 400 : 200, json: body });
    });
    await signIn(page);
  });
  afterEach(async () => {
    expect(problems).toEqual([]);
    await close();
  });

  test.each([
    ['by the refresh token', 'refresh_token', (answer: Record<string, unknown>) => answer],
    [
      'through a hidden frame where the issuer gives no refresh token',
      'authorization_code',
      ({ refresh_token: _, ...answer }: Record<string, unknown>) => answer,
    ],
  ])('is renewed %s, while the operator goes on typing', async (_name, grant, given) => {
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    change = given;
    await signIn(page);
    await goTo(page, 'rules/new');
    await page.getByLabel('Name').fill('Half a rule');
    const navigations: string[] = [];
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) navigations.push(frame.url());
    });
    const [before, first] = [asked.length, bearers.at(-1)];
    await eventually(() => asked.length).toBeGreaterThan(before);
    expect(asked.at(-1)?.get('grant_type')).toBe(grant);
    lifetime = null;
    // All further requests to the API must carry the new token.
    await eventually(async () => {
      await page.getByRole('group', { name: 'Notify by these channels too' }).getByLabel('SMS').check();
      await page.getByRole('button', { name: 'Preview' }).click();
      return bearers.at(-1) !== first;
    }).toBe(true);
    await page.getByRole('region', { name: 'Preview' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Half a rule');
    await eventually(() => page.locator('.live').textContent()).toBe('Live');
    expect(navigations).toEqual([]);
  });

  test('is renewed once when the API refuses many requests with an old token', async () => {
    // Another lifetime than the next token has: two tokens with the same claims from the same second would be identical.
    lifetime = 3000;
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    bearers = [];
    await signIn(page);
    await eventually(() => bearers.length).toBeGreaterThan(0);
    lifetime = null;
    const before = asked.length;
    const old = bearers.at(-1);
    let refused = 0;
    let answer = () => {};
    answerAfter = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const renewed = page.waitForRequest((request) => {
      const bearer = request.headers()['authorization'];
      return request.url().includes('/v1/') && bearer !== undefined && bearer !== old;
    });
    await page.route('**/v1/**', async (route) => {
      if (route.request().headers()['authorization'] !== old) return route.fallback();
      refused += 1;
      // The refusal of the first request arrives after the new token is in use.
      if (refused === 1) await renewed;
      await route.fulfill({ status: 401, json: { code: 'unauthenticated', title: 'No', status: 401 } });
    });
    for (const path of ['webhooks/new', 'webhooks', 'teams', 'webhooks']) {
      const already = refused;
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${path}`);
      await eventually(() => refused).toBeGreaterThan(already);
    }
    answer();
    await page.getByText('No endpoints yet').waitFor();
    await eventually(() => page.locator('.skeleton').count()).toBe(0);
    expect(asked.length - before).toBe(1);
  });

  test('survives an issuer that is down when the token expires', async () => {
    await goTo(page, 'teams');
    change = null;
    const before = asked.length;
    await eventually(() => asked.length).toBeGreaterThan(before);
    const old = new Set(given);
    await page.route('**/v1/**', (route) => {
      const isOld = old.has(route.request().headers()['authorization'] ?? '');
      return isOld ? route.fulfill({ status: 401, json: {} }) : route.fallback();
    });
    await goTo(page, 'settings');
    await page.locator('.banner').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    change = (answer) => answer;
    lifetime = null;
    await page.getByLabel('Critical, minutes').waitFor();
    await eventually(() => page.locator('.banner').count()).toBe(0);
  });

  test('that the issuer ends leads to a new sign-in, and back to the same page', async () => {
    await goTo(page, 'teams');
    change = () => ({ error: 'invalid_grant' });
    await page.route('**/v1/**', (route) => route.fulfill({ status: 401, json: {} }));
    await page.evaluate(() => {
      location.hash = '#/quarantine?status=all';
    });
    await eventually(() => page.locator('.gate').textContent()).toContain('Your session has ended');
    await page.unroute('**/v1/**');
    change = (answer) => answer;
    lifetime = null;
    await signIn(page);
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Quarantine');
    expect(page.url()).toContain('status=all');
  });
});
