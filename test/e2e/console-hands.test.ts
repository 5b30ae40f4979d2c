import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { actOnAlert } from '../../shared/app/alerts/actions.ts';
import type { AlertSeed } from '../../shared/domain/alert/alert.ts';
import { alertOf, ana, giveRule, giveTeam, openTestAlert } from '../support/records/alerts.ts';
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

/** Each test covers a fault that was seen in a browser. */
describe.skipIf(!chromiumPath)('safe hands', () => {
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let close: () => Promise<void>;
  let group = '';
  let count = 0;

  beforeAll(async () => {
    [console, browser] = await Promise.all([startConsole(), openBrowser()]);
    ({ page, close } = await openPage(browser, console.baseUrl));
    await signIn(page);
  });
  afterAll(async () => {
    await close?.();
    await browser?.close();
    await console?.stop();
  });
  // Each test has its own group, so that its list contains no alerts of other tests.
  beforeEach(() => {
    count += 1;
    group = `group-${count}`;
  });

  const open = (given: Partial<AlertSeed> = {}) => openTestAlert(console.world, { groupId: group, ...given });
  const statusOf = async (id: string) => (await alertOf(console.world, id)).status;
  const row = (id: string) => page.locator(`.rows [data-alert="${id}"]`);
  const list = async (more = '') => {
    await goTo(page, `alerts?groupId=${group}${more}`);
    await eventually(() => page.locator('.rows').textContent()).toContain(group);
  };
  /** Presses keys so quickly that the page draws nothing between them. */
  const typeAtOnce = (keys: string) =>
    page.evaluate((each) => {
      for (const key of each)
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    }, keys);
  const said = () => page.locator('.toast').last().textContent();

  test('a letter typed right after g opens its page and does not act on an alert', async () => {
    const id = await open();
    await list();
    await row(id).focus();
    await typeAtOnce('ga');
    await eventually(() => page.evaluate(() => location.hash)).toBe('#/alerts');
    // Held down, it does not act on the page that it has opened.
    await list();
    await row(id).focus();
    await page.keyboard.press('g');
    for (let held = 0; held < 3; held += 1) await page.keyboard.down('a');
    await page.keyboard.up('a');
    await eventually(() => page.evaluate(() => location.hash)).toBe('#/alerts');
    await page.waitForTimeout(300);
    expect(await statusOf(id)).toBe('active');
    // A letter that no page has does what it does alone.
    await list();
    await row(id).focus();
    await typeAtOnce('gx');
    await eventually(() => page.locator('.bulk strong').textContent()).toBe('1 alert selected');
    await typeAtOnce('gr');
    await eventually(() => page.evaluate(() => location.hash)).toBe('#/rules');
    expect(await statusOf(id)).toBe('active');
  });

  test('a key acts on the focused alert, even if a new alert is inserted above it', async () => {
    const [first, second] = [await open(), await open()];
    await list();
    await row(first).focus();
    const later = await open({ deviceName: 'Gate 2' });
    await row(later).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-alert'))).toBe(first);
    await page.keyboard.press('a');
    await eventually(() => statusOf(first)).toBe('acknowledged');
    expect([await statusOf(second), await statusOf(later)]).toEqual(['active', 'active']);
  });

  test('a key does nothing if the focused alert has left the list', async () => {
    const [first, second] = [await open(), await open()];
    await list('&status=active');
    await row(first).focus();
    await actOnAlert(console.world, ana, first, { kind: 'resolve' }, null);
    await eventually(() => row(first).count()).toBe(0);
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await eventually(() => statusOf(second)).toBe('acknowledged');
  });

  test('arrow keys move the focus within the list, and the tab key leaves it', async () => {
    const ids = [await open(), await open(), await open()].toReversed();
    await list();
    await eventually(() => page.locator('.rows a[tabindex="0"]').count()).toBe(1);
    await page.locator('.rows a[tabindex="0"]').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-alert'))).toBe(ids[1]);
    expect(await page.locator('.rows [tabindex="0"]').count()).toBe(1);
  });

  test('an acknowledgement can be undone in its message, which names code and camera', async () => {
    const id = await open({ deviceName: 'Loading bay' });
    await list();
    await row(id).focus();
    await page.keyboard.press('a');
    await eventually(said).toContain('CONN_001 of Loading bay acknowledged.');
    await page.keyboard.press('z');
    await eventually(() => statusOf(id)).toBe('active');
    await eventually(said).toContain('Undone: CONN_001 of Loading bay is active again.');
  });

  test('a selection counts its alerts that left the list, and ends when the filter changes', async () => {
    const ids = [await open({ code: 'SEC_003' }), await open(), await open()];
    await list('&status=active');
    for (const id of ids) await row(id).locator('xpath=../label/input').check();
    const bar = page.locator('.bulk strong');
    await eventually(() => bar.textContent()).toBe('3 alerts selected');
    await actOnAlert(console.world, ana, ids[0] ?? '', { kind: 'acknowledge' }, null);
    await eventually(() => bar.textContent()).toBe('3 alerts selected, 1 not in this view');
    await page.locator('.rows a').first().focus();
    await page.keyboard.press('d');
    await eventually(() => bar.textContent()).toBe('2 alerts selected');
    await page.getByRole('button', { name: 'Critical' }).click();
    await eventually(() => bar.count()).toBe(0);
  });

  test('the bar of a selection never covers the focused row', async () => {
    for (let index = 0; index < 26; index += 1) await open();
    await list();
    await page.locator('.rows a').first().focus();
    const gap = async () => {
      const [ring, bar] = [page.locator('.rows a:focus'), page.locator('.bulk')];
      const [inside, above] = [await ring.boundingBox(), await bar.boundingBox()];
      return (above?.y ?? 0) - (inside?.y ?? 0) - (inside?.height ?? 0);
    };
    for (const keys of [
      ['End', 'x'],
      ['k', 'x'],
      ['Home', 'End'],
    ]) {
      for (const key of keys) await page.keyboard.press(key);
      await eventually(gap).toBeGreaterThanOrEqual(0);
    }
  });

  test('a list that becomes shorter keeps its scroll position, even away from the focused row', async () => {
    for (let index = 0; index < 40; index += 1) await open();
    await list();
    await page.locator('.rows a').first().focus();
    const box = page.locator('.scroll');
    const top = () => box.evaluate((element) => element.scrollTop);
    await box.evaluate((element) => element.scrollTo(0, 800));
    await eventually(top).toBe(800);
    const size = page.viewportSize() ?? { width: 1366, height: 768 };
    await page.setViewportSize({ ...size, height: size.height - 80 });
    await page.waitForTimeout(300);
    expect(await top()).toBe(800);
    await page.setViewportSize(size);
  });

  test('an action on more than 25 alerts asks first, with the count by severity', async () => {
    for (let index = 0; index < 26; index += 1) await open({ code: index < 4 ? 'RES_002' : 'CONN_001' });
    await list();
    await page.locator('.pick input').first().check();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await eventually(() => page.locator('.bulk strong').textContent()).toBe('26 alerts selected');
    await page
      .locator('.bulk')
      .getByRole('button', { name: /Acknowledge/ })
      .click();
    await eventually(() => page.getByRole('dialog').textContent()).toContain('26 alerts: 22 critical, 4 warning');
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('a note typed without a connection stays until it is sent, and the message says what happens next', async () => {
    const id = await open();
    await actOnAlert(console.world, ana, id, { kind: 'acknowledge' }, null);
    await goTo(page, `alerts/${id}?groupId=${group}`);
    await page.getByRole('button', { name: /Add note/ }).click();
    await eventually(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await page.keyboard.type('Ladder needed');
    await page.route('**/notes', (route) => route.abort('connectionrefused'));
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog');
    await eventually(() => dialog.textContent()).toContain(
      'Not sent. What you typed is kept here. Nothing is sent by itself',
    );
    expect(await dialog.getByLabel('Note').inputValue()).toBe('Ladder needed');
    await page.unroute('**/notes');
    await page.keyboard.press('Escape');
    await eventually(() => dialog.textContent()).toContain('Discard what you typed?');
    await page.getByRole('button', { name: 'Keep writing' }).click();
    await dialog.getByRole('button', { name: 'Add note' }).click();
    await eventually(() => dialog.count()).toBe(0);
    await eventually(() => page.locator('.note-text').textContent()).toContain('Ladder needed');
  });

  test('a note survives a session that ends while it is sent', async () => {
    const id = await open();
    await actOnAlert(console.world, ana, id, { kind: 'acknowledge' }, null);
    await goTo(page, `alerts/${id}?groupId=${group}`);
    await page.getByRole('button', { name: /Add note/ }).click();
    await eventually(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await page.keyboard.type('The key is at the dispatcher');
    await page.route('**/notes', (route) => route.fulfill({ status: 401, json: {} }));
    await page.route(/\/token$/, (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
    await page.keyboard.press('Control+Enter');
    await eventually(() => page.locator('.gate').textContent()).toContain('Your session has ended');
    await page.unroute('**/notes');
    await page.unroute(/\/token$/);
    await signIn(page);
    const note = page.getByRole('dialog').getByLabel('Note');
    await eventually(() => note.inputValue()).toBe('The key is at the dispatcher');
    await page.getByRole('dialog').getByRole('button', { name: 'Add note' }).click();
    await eventually(() => page.locator('.note-text').textContent()).toContain('The key is at the dispatcher');
  });

  test('Esc empties the search box and the search, and the box follows the address back', async () => {
    await open({ code: 'RES_001' });
    await open({ code: 'SEC_003' });
    await list();
    const box = page.getByLabel('Search alerts');
    await box.fill('res_');
    await eventually(() => page.url()).toContain('q=res_');
    await eventually(() => page.locator('.list-count').textContent()).toBe('1 alert');
    await box.press('Escape');
    expect([await box.inputValue(), page.url().includes('q=')]).toEqual(['', false]);
    await eventually(() => page.locator('.list-count').textContent()).toBe('2 alerts');
    await goTo(page, `alerts?groupId=${group}&q=straw`);
    await eventually(() => box.inputValue()).toBe('straw');
    await goTo(page, 'devices?q=cam-7');
    await eventually(() => page.getByLabel('Search devices').inputValue()).toBe('cam-7');
    await page.goBack();
    await eventually(() => box.inputValue()).toBe('straw');
  });

  test('the resolve dialog says that the alert cannot notify again for an hour', async () => {
    const id = await open();
    await list();
    await row(id).focus();
    await page.keyboard.press('r');
    await eventually(() => page.getByRole('dialog').textContent()).toContain('you will not hear of it for an hour');
    expect(await statusOf(id)).toBe('active');
    await page.keyboard.press('Escape');
  });

  test('an alert shows who was notified', async () => {
    await giveTeam(console.world, 'gates', { emails: ['gates@example.com'] });
    const rule = {
      condition: { code: 'CONN_*', group: [group] },
      action: { team: 'gates', channels: ['email' as const] },
    };
    await giveRule(console.world, { name: 'Gates notify the gates', ...rule });
    const id = await open();
    await goTo(page, `alerts/${id}`);
    await page.getByRole('tab', { name: 'Who was notified' }).click();
    await page.getByRole('heading', { name: 'Notified', exact: true }).waitFor();
    expect(await page.locator('ul.notified').first().textContent()).toContain('gates · gates@example.com');
  });

  test('before a team is deleted, the console shows which rules use it', async () => {
    await giveTeam(console.world, 'night watch', { emails: ['night@example.com'] });
    await giveRule(console.world, {
      name: 'nights',
      condition: { code: 'CONN_*' },
      action: { escalate_to: 'night watch' },
    });
    await goTo(page, 'teams');
    expect(await violationsOn(page)).toEqual([]);
    await page.locator('.card').filter({ hasText: 'night watch' }).getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await eventually(() => dialog.textContent()).toContain('The rule nights (CONN_*) escalates to it.');
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await eventually(() => dialog.count()).toBe(0);
    expect(await page.locator('.card').filter({ hasText: 'night watch' }).count()).toBe(1);
  });

  test('an empty fleet shows the first steps instead of a percentage', async () => {
    await goTo(page, '');
    await eventually(() => page.locator('.first-steps').textContent()).toContain('No camera has reported yet');
    expect(await page.locator('.tile.online').textContent()).not.toContain('%');
    expect(await violationsOn(page)).toEqual([]);
  });

  test.each([320, 360, 700, 752, 1280])(
    'at %i px each alert row shows name and place, and the page fits',
    async (width) => {
      await page.setViewportSize({ width, height: 760 });
      const id = await open({
        deviceName: 'Gate 2',
        message: 'A message that is far too long for any row on any screen',
      });
      await list();
      for (const [part, words] of [
        ['strong', 'Gate 2'],
        ['.quiet', group],
      ] as const) {
        const shown = row(id).locator(`.where ${part}`);
        expect(await shown.textContent()).toBe(words);
        expect(await shown.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
        expect((await shown.boundingBox())?.width).toBeGreaterThan(20);
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1366, height: 768 });
    },
  );
});
