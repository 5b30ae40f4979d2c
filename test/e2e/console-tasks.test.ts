import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { keepLedger } from '../../shared/app/ledger/append.ts';
import { placeKeyOf } from '../../shared/domain/device/places.ts';
import { noPresence } from '../../shared/domain/device/presence.ts';
import { plus } from '../../shared/domain/time.ts';
import { judge } from '../../verify/watchpost-verify.ts';
import { testVerifierKey } from '../support/ledger/log.ts';
import { createTestObjects, origin, testKey } from '../support/ledger/objects.ts';
import { openTestAlert } from '../support/records/alerts.ts';
import { message } from '../support/records/reports.ts';
import { giveSight } from '../support/records/sight.ts';
import { inSet } from '../support/sets.ts';
import { chromiumPath, eventually, openBrowser, openPage, signIn } from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';
import { askApi, type Hand, handOn } from '../support/stack/hand.ts';
import { giveNight } from '../support/stack/night.ts';
import { frames } from '../support/world/frames.ts';

const hour = 3_600_000;

/** What operators do most, each in a fresh profile, signed in on Now, with at most so many clicks and keys. */
describe.skipIf(!chromiumPath)('a task at the console', () => {
  let console_: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let incidentId: string;
  let since: string;

  beforeAll(async () => {
    const ledger = { objects: createTestObjects(), origin, keys: [testKey] };
    [console_, browser] = await Promise.all([startConsole({ ledger }), openBrowser()]);
    const { world } = console_;
    ({ incidentId } = await giveNight(world));
    const lostAt = plus(world.now(), -7 * 60_000);
    const lost = { at: lostAt, epoch: null, reason: 'keepalive_timeout', statedAt: null, heardAt: lostAt };
    const places = [placeKeyOf({ kind: 'site', id: 'gbg-central', groupId: 'gbg' })];
    const dark = { places, darkAt: lostAt, lastSeenAt: lostAt, presence: { ...noPresence, losses: [lost] } };
    const ids = Array.from({ length: 30 }, (_, index) => `gbg-central-${String(index + 1).padStart(2, '0')}`);
    await world.store.commit(ids.map((id) => ({ kind: 'patch', in: 'devices', id, set: dark }) as const));
    for (let number = 0; number < 40; number += 1) {
      await openTestAlert(world, { deviceId: `yard-${number}`, groupId: 'yard', site: 'yard', code: 'RES_003' });
    }
    since = plus(world.now(), -hour);
    const heard = message('status', { memory: { usedPercent: 20 } }, { deviceId: 'cam-proven', publishTime: since });
    await takeMessage(world, heard, { bridgeDialect: 'native', autoRegister: true, frames });
    await giveSight(world);
    await keepLedger(world, ledger);
    const [head] = await world.store.find({
      in: 'ledgerHeads',
      where: [{ field: 'deviceId', is: '==', value: 'cam-proven' }],
      limit: 1,
    });
    await world.store.commit([{ kind: 'patch', in: 'ledgerHeads', id: head?.id ?? '', set: { leafAt: world.now() } }]);
    await keepLedger(world, ledger);
  });
  afterAll(async () => {
    await browser?.close();
    await console_?.stop();
  });

  /** @param most clicks and keys */
  const task = (what: string, most: number, play: (page: Page, hand: Hand) => Promise<void>) =>
    test(`${what} (${most})`, async () => {
      const { page, problems, close } = await openPage(browser, console_.baseUrl);
      await signIn(page);
      await page.locator('.causes > li').first().waitFor();
      const hand = handOn(page);
      await play(page, hand);
      console.log(`${what}: ${hand.count()} of ${most}`);
      expect(hand.count()).toBeLessThanOrEqual(most);
      expect(problems).toEqual([]);
      await close();
    });

  const rail = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  inSet('test', () => {
    task('see what matters', 0, async (page) => {
      const { body } = await askApi(page, '/v1/now');
      expect(body.causes[0]).toMatchObject({ incident: { incidentId }, cameras: 30, of: 30 });
      expect(await page.locator('.causes > li').first().textContent()).toMatch(/^Gbg Central is dark30 of 30 cameras/);
    });

    task('learn in one sentence why a camera is silent', 3, async (page, hand) => {
      await hand.press('Control+k');
      await hand.type('gbg-central-03');
      await page.getByRole('option').filter({ hasText: 'Camera' }).first().waitFor();
      await hand.press('Enter');
      const { body } = await askApi(page, '/v1/devices/gbg-central-03/why');
      expect(body.sentence).toMatch(/^Its connection was lost .*; so were all 29 other cameras at gbg-central/);
      const why = page.getByRole('region', { name: 'Why it is silent' });
      await eventually(() => why.locator('.lead').textContent()).toMatch(/^Silent since \d\d:\d\d:\d\d, 7 min\. /);
      expect(await why.locator('.lead').textContent()).toContain(body.sentence);
    });

    task('take an outage', 2, async (page, hand) => {
      await hand.click(button(page, 'Take it'));
      await eventually(async () => (await askApi(page, `/v1/incidents/${incidentId}`)).body.status).toBe(
        'acknowledged',
      );
      await eventually(() => page.locator('.causes').textContent()).toContain('operator has it');
    });
  });

  inSet('rest', () => {
    task('snooze 40 alerts', 4, async (page, hand) => {
      await hand.click(page.locator('.causes a').filter({ hasText: 'yard' }));
      await eventually(() => page.locator('.list-count').textContent()).toBe('40 alerts');
      await hand.click(button(page, 'Select all'));
      await hand.press('s');
      await hand.click(button(page, '1 hour'));
      await eventually(async () => {
        const { body } = await askApi(page, '/v1/alerts?groupId=yard&snoozed=true&pageSize=100');
        return body.alerts.length;
      }).toBe(40);
    });

    task('hand the shift over', 3, async (page, hand) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await hand.click(page.getByRole('link', { name: 'Hand over' }));
      await hand.click(page.getByRole('button', { name: /Copy the sheet as text/ }));
      await page.locator('.toast, .copied').first().waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      const { body } = await askApi(page, '/v1/shift');
      expect(body.items.length).toBeGreaterThan(50);
      for (const { title } of body.items) expect(copied).toContain(title);
    });

    task('make a rule after a look at what it would do', 6, async (page, hand) => {
      await hand.click(rail(page, 'Rules'));
      await hand.click(page.getByRole('link', { name: 'New rule' }));
      await hand.type('Quiet tests');
      await hand.click(page.getByText('Notify nobody'));
      await hand.click(button(page, 'Preview'));
      await page
        .getByText(/alerts/i)
        .first()
        .waitFor();
      await hand.click(button(page, 'Create rule'));
      await eventually(async () => (await askApi(page, '/v1/rules')).body.rules).toMatchObject([
        { name: 'Quiet tests', action: { suppress: true } },
      ]);
      const { body } = await askApi(page, '/v1/rules');
      for (const { ruleId } of body.rules) await console_.world.store.commit([await removal('rules', ruleId)]);
    });

    task('plan maintenance of an outage', 3, async (page, hand) => {
      await hand.click(page.locator('.causes a').first());
      await hand.click(page.getByRole('link', { name: 'Put in maintenance' }));
      await hand.click(button(page, 'Plan maintenance'));
      await eventually(async () => (await askApi(page, '/v1/maintenance-windows')).body.windows).toMatchObject([
        { name: 'Work at Gbg Central', scope: { sites: ['gbg-central'] }, state: 'active' },
      ]);
    });

    task('see what I may do', 2, async (page, hand) => {
      await hand.click(page.locator('.person'));
      await hand.click(page.getByText('What I may do'));
      const { body } = await askApi(page, '/v1/me');
      expect(await page.locator('.scopes li').allTextContents()).toEqual(body.scopes);
    });

    task('export a month', 3, async (page, hand) => {
      await hand.click(rail(page, 'Reports'));
      const started = page.waitForEvent('download');
      await hand.click(button(page, 'Download CSV'));
      const file = await (await started).createReadStream();
      let csv = '';
      for await (const chunk of file) csv += chunk;
      const from = new Date();
      const month = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth())).toISOString();
      const asked = `from=${month}&to=${new Date().toISOString()}&by=device`;
      const { body } = await askApi(page, `/v1/reports/availability?${asked}`);
      const cameras: string[] = body.parts.map(({ id }: { id: string }) => id);
      expect(cameras).toContain('cam-proven');
      for (const id of cameras) expect(csv).toContain(`\r\n${id},`);
    });

    task('see who changed a setting from what to what', 2, async (page, hand) => {
      const settings = (await askApi(page, '/v1/settings')).body;
      for (const CRITICAL of [300, 420]) {
        const responseSeconds = { ...settings.responseSeconds, CRITICAL };
        await askApi(page, '/v1/settings', { method: 'PUT', body: { ...settings, responseSeconds } });
      }
      await hand.click(rail(page, 'Settings'));
      await hand.click(rail(page, 'Audit'));
      const entry = page.locator('.audit > li').filter({ hasText: 'putSettings' }).first();
      await eventually(() => entry.textContent()).toContain('responseSeconds CRITICAL: 300 → 420');
      expect(await entry.textContent()).toContain('operator');
      expect((await askApi(page, '/v1/settings')).body.responseSeconds.CRITICAL).toBe(420);
    });

    task('verify a proof in the browser, from the page of its camera', 3, async (page, hand) => {
      await page.goto(`${console_.baseUrl}/#/devices/cam-proven`);
      await hand.click(page.getByLabel('Verifier key of the ledger'));
      await hand.type(testVerifierKey);
      await hand.press('Enter');
      const verdict = page.locator('.proof .notice');
      await eventually(() => verdict.textContent()).toMatch(/^Proven/);
      const asked = `deviceId=cam-proven&from=${since}&to=${new Date().toISOString()}`;
      const { body } = await askApi(page, `/v1/ledger/proof?${asked}`);
      const own = await judge(new TextEncoder().encode(JSON.stringify({ ...body, to: body.recordedTo })), {
        keys: [testVerifierKey],
      });
      expect(own.status).toBe(0);
    });
  });

  async function removal(kind: 'rules', id: string) {
    const [stored = null] = await console_.world.store.get(kind, [id]);
    if (!stored) throw new Error(`no ${kind} ${id}`);
    return { kind: 'delete', in: kind, id, revision: stored.revision } as const;
  }
});
