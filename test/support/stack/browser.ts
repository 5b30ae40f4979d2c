import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { findChromium } from '../../../tools/chromium.ts';

export const chromiumPath = findChromium();
const shots = join('test-output', 'console');

export const screens = {
  narrow: { width: 320, height: 640 },
  phone: { width: 390, height: 844 },
  laptop: { width: 1366, height: 768 },
  wall: { width: 2560, height: 1440 },
} as const;
export type Screen = keyof typeof screens;
export const themes = ['light', 'dark'] as const;

export function openBrowser(): Promise<Browser> {
  return chromium.connect(inject('browserAddress') ?? '');
}

type Opened = { page: Page; problems: string[]; close(): Promise<void> };

/**
 * A new window of the console. `problems` collects exceptions, violations of the Content-Security-Policy, and requests to addresses other than the
 * console and the issuer.
 */
export async function openPage(
  browser: Browser,
  baseUrl: string,
  { screen = 'laptop', theme = 'dark' }: { screen?: Screen; theme?: (typeof themes)[number] } = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: screens[screen], colorScheme: theme });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (/Content.Security.Policy|Trusted/i.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(blob:)?http:\/\/127\.0\.0\.1:\d+\//.test(request.url())) problems.push(`request to ${request.url()}`);
  });
  await page.goto(baseUrl);
  return { page, problems, close: () => context.close() };
}

/** Signs in with the one click that the local issuer asks for. */
export async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.shell').waitFor();
}

/** Waits for asynchronous results, also on a busy machine. */
export function eventually<T>(look: () => Promise<T> | T, timeout = 30_000) {
  return expect.poll(look, { timeout, interval: 50 });
}

/** Opens a page of the console and waits until all reads are done. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/${path}`);
  await page.locator('main .pane:visible').first().waitFor();
  await eventually(() => page.locator('.skeleton').count()).toBe(0);
}

/** Saves a screenshot for people. The gate does not check it. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env['CI'] === 'true') return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules of axe that depend on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * Violations of WCAG 2.2 AA and best practices that axe finds. It is injected by the debugger, so the page's own policy stays active.
 * @param rules `colours`: only those that another theme can break
 */
export async function violationsOn(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe.source });
  await session.detach();
  const found = await page.evaluate(
    async (runOnly) => {
      // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page, not of this process
      const { violations } = await (globalThis as any).axe.run({ runOnly, resultTypes: ['violations'] });
      return violations as { id: string; nodes: { html: string }[] }[];
    },
    rules === 'all' ? tags : colourRules,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`);
}
