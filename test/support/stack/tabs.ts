import type { Browser, CDPSession, Page } from 'playwright-core';
import { handleDue } from '../../../shared/app/due/due.ts';
import type { TestWorld } from '../world/world.ts';
import { eventually, screens, signIn } from './browser.ts';
import { measure, watchNetwork } from './page-figures.ts';

/** A tab that measures itself. */
export type Tab = { page: Page; session: CDPSession; network: Awaited<ReturnType<typeof watchNetwork>> };

/** Prints figures of a run, a line for each. */
export const say = (what: string, figures: unknown) => console.log(`${what}: ${JSON.stringify(figures)}`);

/** A new tab in the only window of a browser, signed in. */
export async function openTab(browser: Browser, baseUrl: string): Promise<Tab> {
  const [known] = browser.contexts();
  const page = await (known ?? (await browser.newContext({ viewport: screens.laptop }))).newPage();
  await measure(page);
  const session = await page.context().newCDPSession(page);
  const network = await watchNetwork(session);
  await page.goto(baseUrl);
  const isAsked = page.getByRole('button', { name: 'Sign in' });
  await eventually(async () => (await isAsked.count()) + (await page.locator('.shell').count())).toBeGreaterThan(0);
  if (await isAsked.isVisible()) await signIn(page);
  await eventually(() => page.locator('.live').textContent()).toBe('Live');
  return { page, session, network };
}

/** The number of alerts that a list shows in its heading. */
export const countOf = ({ page }: Tab) => page.locator('.list-count').textContent();

/** The requests of tabs in a quiet minute. The service ends each stream after ten minutes: such a minute is not counted. */
export async function aMinuteAtRest(tabs: readonly Tab[]) {
  for (;;) {
    for (const { network } of tabs) network.take();
    await tabs[0]?.page.waitForTimeout(60_000);
    const seen = tabs.map(({ network }) => network.take());
    if (seen.every(({ streams }) => streams === 0)) return seen;
  }
}

/** Makes a tab report itself as hidden, because a headless browser treats every tab as visible. */
export function hide(page: Page): Promise<void> {
  return page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
}

/** Goes through the list of alerts, filters, devices and the palette by keys and clicks, as quick as a person. */
export async function workThrough(page: Page): Promise<void> {
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(400);
    }
  };
  await page.locator('[data-alert]').first().focus();
  await press('j', 'j', 'x', 'j', 'X', 'End', 'k', 'x', 'Home', 'Escape', 'j', 'Enter', 'Escape');
  await page.getByRole('button', { name: 'Error', exact: true }).click();
  await page.waitForTimeout(1500);
  await press('g', 'c');
  await page.locator('.device-group').first().waitFor();
  await page.locator('.device-group .expand').first().click();
  await page.waitForTimeout(2000);
  await page.keyboard.press('Control+k');
  await page.waitForTimeout(600);
  await page.keyboard.type('Site 12 camera 3', { delay: 60 });
  await page.waitForTimeout(1500);
  await press('Escape', 'g', 'n');
  await page.waitForTimeout(2500);
}

/** The duration of a Firestore commit, milliseconds. Commits in memory take no time, so no progress would be visible. */
const commitMs = 25;

/** Handles one due wake of a job, with slow commits. Removes the wakes of all other kinds. */
export async function answerJobs(world: TestWorld): Promise<void> {
  const wake = world.wakes.find(({ in: kind, dueAt }) => kind === 'jobs' && dueAt <= world.now());
  world.wakes.splice(0, world.wakes.length, ...world.wakes.filter((each) => each.in === 'jobs' && each !== wake));
  const commit: typeof world.store.commit = async (writes) => {
    await new Promise((resolve) => setTimeout(resolve, commitMs));
    return world.store.commit(writes);
  };
  if (wake) await handleDue({ ...world, store: { ...world.store, commit } }, 'jobs', wake.id);
}
