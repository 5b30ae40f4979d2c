import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { importDevices } from '../../shared/app/devices/import.ts';
import { ana, giveTeam } from '../support/records/alerts.ts';
import { endpoint } from '../support/records/deliveries.ts';
import {
  chromiumPath,
  eventually,
  goTo,
  openBrowser,
  openPage,
  shoot,
  signIn,
  themes,
  violationsOn,
} from '../support/stack/browser.ts';
import { startConsole } from '../support/stack/console.ts';
import { askApi } from '../support/stack/hand.ts';
import { giveNight } from '../support/stack/night.ts';

/** 400 % zoom of a window of 1,280 × 1,024. */
const zoomed = { width: 320, height: 256 };
const laptop = { width: 1366, height: 768 };

describe.skipIf(!chromiumPath)('the console without a mouse, in strong colours and at 400 % zoom', () => {
  const hook = endpoint({ url: 'https://hooks.example.com/a', events: ['alert'] });
  let console_: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let night: Awaited<ReturnType<typeof giveNight>>;

  beforeAll(async () => {
    [console_, browser] = await Promise.all([startConsole(), openBrowser()]);
    const { world } = console_;
    night = await giveNight(world);
    await importDevices(world, ana, { devices: [{ deviceId: 'cam-1', groupId: 'north', site: 'yard' }] }, false);
    await world.store.commit([{ kind: 'create', in: 'webhooks', id: hook.webhookId, data: hook }]);
    await giveTeam(world, 'night', {
      emails: ['night@example.com'],
      phones: ['+46701234567'],
      people: [
        { personId: 'ana', name: 'Ana', phone: '+46701234567' },
        { personId: 'bo', name: 'Bo', email: 'bo@example.com' },
      ],
      rotations: [{ people: ['ana', 'bo'], handover: { weekday: 'mon', time: '08:00' }, timeZone: 'Europe/Stockholm' }],
      escalation: { steps: [{ afterMinutes: 0, onCall: true }], repeatMinutes: 30 },
    });
    ({ page, problems } = await openPage(browser, console_.baseUrl, { theme: 'light' }));
    await signIn(page);
    const { body } = await askApi(page, '/v1/rules', {
      method: 'POST',
      body: { name: 'Quiet', condition: { code: 'CFG_*', group: [] }, action: { suppress: true } },
    });
    ruleId = body.ruleId;
  });
  afterAll(async () => {
    await browser?.close();
    await console_?.stop();
  });

  let ruleId = '';
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click();

  /** Every dialog: where it is, and what opens it. */
  const dialogs: [name: string, path: () => string, open: () => Promise<unknown>][] = [
    ['keys', () => '', () => page.keyboard.press('?')],
    ['palette', () => '', () => page.keyboard.press('Control+k')],
    ['sound', () => '', () => button(/^Sound and notifications/)],
    ['snooze', () => `alerts/${night.alertIds.at(-1)}`, () => button(/^Snooze/)],
    ['resolve', () => `alerts/${night.alertIds.at(-1)}`, () => button(/^Resolve/)],
    ['incident', () => `incidents/${night.incidentId}`, () => button(/^Snooze/)],
    ['new team', () => 'teams', () => button('New team')],
    ['change team', () => 'teams', () => button('Change night')],
    ['hand-off', () => 'teams', () => button('Add a hand-off to night')],
    ['delete team', () => 'teams', () => button('Delete')],
    ['stand-ins', () => 'teams', () => button('Stand-ins of rotation 1 of night')],
    ['edit camera', () => 'devices/cam-1', () => button('Edit')],
    ['decommission', () => 'devices/cam-1', () => button('Decommission')],
    ['mailed report', () => 'reports', () => button('Mail a report')],
    ['rotate secret', () => `webhooks/${hook.webhookId}`, () => button('Rotate secret')],
    ['delete endpoint', () => `webhooks/${hook.webhookId}`, () => button('Delete')],
    ['delete rule', () => `rules/${ruleId}`, () => button('Delete')],
  ];

  test.each(dialogs.map(([name, path, open]) => ({ name, path, open })))(
    'the dialog $name fits a window at 400 % zoom; axe finds nothing in it in both themes',
    async ({ name, path, open }) => {
      for (const theme of themes) {
        for (const size of [laptop, zoomed]) {
          await page.setViewportSize(laptop);
          await page.emulateMedia({ colorScheme: theme });
          await goTo(page, path());
          await open();
          const dialog = page.getByRole('dialog');
          await dialog.waitFor();
          await page.setViewportSize(size);
          await shoot(page, `dialog-${name.replaceAll(' ', '-')}-${theme}-${size.width}`);
          expect(await violationsOn(page, theme === 'dark' ? 'colours' : 'all'), `${theme} ${size.width}`).toEqual([]);
          const inside = await dialog.evaluate((box) => {
            const { left, right, top, bottom } = box.getBoundingClientRect();
            return (
              left >= 0 &&
              right <= innerWidth &&
              top >= 0 &&
              bottom <= innerHeight &&
              box.scrollWidth <= box.clientWidth
            );
          });
          expect(inside, `${theme} ${size.width}: inside the window`).toBe(true);
          expect(await dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true);
          await page.keyboard.press('Escape');
          await eventually(() => dialog.count()).toBe(0);
        }
      }
    },
  );

  // A dialog that failed must not stand above the next one.
  afterEach(async () => {
    if ((await page.getByRole('dialog').count()) === 0) return;
    await page.reload();
    await page.locator('.shell').waitFor();
  });

  const places = [
    ['a', 'Alerts'],
    ['c', 'Cameras'],
    ['i', 'Incidents'],
    ['p', 'Reports'],
    ['w', 'Webhooks'],
    ['r', 'Rules'],
    ['m', 'Maintenance'],
    ['t', 'Who is told'],
    ['s', 'Settings'],
    ['q', 'Quarantine'],
    ['u', 'Audit'],
    ['n', 'Now'],
  ] as const;

  test('after g and a letter the focus is on the new page, which a reader reads out by its name', async () => {
    await page.setViewportSize(laptop);
    for (const [key, name] of places) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      const focused = () =>
        page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.getAttribute('aria-label')}`);
      await eventually(focused).toBe(`MAIN ${name}`);
      await eventually(() => page.title()).toContain(name);
    }
  });

  test('the focus is on the page that a click in the rail or a row opened', async () => {
    await goTo(page, '');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Incidents' }).click();
    await page.locator('.incident-row').first().click();
    await page.getByRole('button', { name: /^Acknowledge/ }).waitFor();
    await eventually(() => page.evaluate(() => document.querySelector('main')?.contains(document.activeElement))).toBe(
      true,
    );
  });

  test('forced colours keep strips, bars and squares apart from their ground', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    for (const [path, parts] of [
      ['', ['.size-bar > span', '.day-strip .part-offline', '.square-CRITICAL', '.mark']],
      ['teams', ['.turn']],
      ['devices', ['.meter > *, .part-online, .part-offline']],
    ] as const) {
      await goTo(page, path);
      for (const part of parts) {
        const found = page.locator(part).first();
        if (path === 'devices' && (await found.count()) === 0) continue;
        await found.waitFor({ state: 'attached' });
        const colours = await found.evaluate((one) => {
          const ground = getComputedStyle(document.body).backgroundColor;
          const own = getComputedStyle(one);
          const before = getComputedStyle(one, '::before');
          const seen = [
            own.backgroundColor,
            before.backgroundColor,
            own instanceof CSSStyleDeclaration ? own.fill : '',
          ];
          return {
            ground,
            seen: one instanceof SVGElement ? [own.fill] : seen.slice(0, 2),
            border: own.borderTopStyle,
          };
        });
        const isApart = colours.seen.some((each) => each !== colours.ground && !/rgba\(.*, 0\)/.test(each));
        expect(isApart || colours.border !== 'none', `${part}: ${JSON.stringify(colours)}`).toBe(true);
      }
    }
    await shoot(page, 'forced-colours');
    await page.emulateMedia({ forcedColors: 'none' });
    expect(problems).toEqual([]);
  });
});
