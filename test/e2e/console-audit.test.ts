import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditRecord } from '../../shared/domain/audit/entry.ts';
import { plus } from '../../shared/domain/time.ts';
import { endpoint } from '../support/records/deliveries.ts';
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

describe.skipIf(!chromiumPath)('the audit stream and pending endpoints at the console', () => {
  const pending = endpoint({ url: 'https://localhost:9/', isMadeByLimited: true, challenge: 'c', events: ['alert'] });
  const incidentId = '7d0c1f0e-55ef-4f43-8a3e-2d3b6c1f9a10';
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    [console, browser] = await Promise.all([startConsole(), openBrowser()]);
    const { store, now } = console.world;
    const entries = Array.from({ length: 60 }, (_, number) => {
      const isRefused = number % 10 === 9;
      const facts = {
        entryId: `e-${number}`,
        subject: number % 2 === 0 ? 'user:ana' : 'user:eve\u202e',
        action: 'updateWebhook',
        // The oldest entry is about an incident.
        ...(number === 59
          ? { resourceKind: 'incidents', resourceId: incidentId }
          : { resourceKind: 'webhooks', resourceId: pending.webhookId }),
        address: '203.0.113.9',
        outcome: isRefused ? ('refused' as const) : ('done' as const),
        ...(isRefused ? { reason: 'forbidden' } : {}),
        change: isRefused ? null : { before: { description: 'old' }, after: { description: `<b>new ${number}</b>` } },
      };
      return auditRecord(facts, plus(now(), -number * 60_000));
    });
    await store.commit([
      { kind: 'create', in: 'webhooks', id: pending.webhookId, data: pending },
      ...entries.map((data) => ({ kind: 'create', in: 'auditStream', id: data.entryId, data }) as const),
    ]);
    ({ page, problems } = await openPage(browser, console.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  const items = () => page.locator('.audit > li');

  test('shows who changed what with both values, and older entries on request', async () => {
    await goTo(page, 'audit');
    await eventually(() => items().count()).toBe(50);
    await items().first().locator('.expand').click();
    await eventually(() => items().first().locator('.changes').textContent()).toContain('old<b>new 0</b>');
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'audit-1');
    await page.getByRole('button', { name: 'Older entries' }).click();
    await eventually(() => items().count()).toBe(60);
    await items().last().locator('.expand').click();
    const record = items().last().locator(`a[href="#/incidents/${incidentId}"]`);
    await eventually(() => record.textContent()).toBe(`incidents ${incidentId}`);
    // A name with a right-to-left override is shown without it.
    expect(await page.locator('.audit').textContent()).not.toContain('\u202e');
  });

  test('filters entries by outcome, time, subject and action', async () => {
    await goTo(page, 'audit?outcome=refused');
    await eventually(() => items().count()).toBe(6);
    await goTo(page, 'audit?hours=1');
    await eventually(() => items().count()).toBeGreaterThan(30);
    await page.getByLabel('Subject').fill('user:ana');
    await eventually(() => items().count()).toBe(30);
    expect(await page.locator('.audit').textContent()).not.toContain('eve');
    await page.getByLabel('Action').fill('no-such-action');
    await eventually(() => page.locator('.state-title').textContent()).toBe('Nothing was entered');
  });

  test('shows a pending endpoint, sends a new challenge, and confirms it by hand', async () => {
    await goTo(page, `webhooks/${pending.webhookId}`);
    await eventually(() => page.locator('.page-head').textContent()).toContain('Pending');
    expect(await violationsOn(page)).toEqual([]);
    await shoot(page, 'webhook-pending');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await eventually(() => page.locator('.toast').last().textContent()).toContain('must use port 443');
    await page.getByRole('button', { name: 'Mark as proven' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as proven' }).click();
    await eventually(() => page.locator('.page-head').textContent()).not.toContain('Pending');
    const [stored] = await console.world.store.get('webhooks', [pending.webhookId]);
    expect(stored?.data.challenge).toBe(null);
  });

  test('had no exception and no request to another origin', () => {
    expect(problems).toEqual([]);
  });
});
