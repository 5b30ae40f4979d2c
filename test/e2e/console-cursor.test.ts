import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openBrowser, openPage, signIn } from '../support/stack/browser.ts';
import { startConsole, type Witnessed, witness } from '../support/stack/console.ts';
import { liveRun, makeLively } from '../support/stack/lively-page.ts';

/** Concurrent pages, and random runs of each page (`CURSOR_RUNS=256` is the full size). A failure names its seed. */
const lanes = 2;
const runs = Number(process.env['CURSOR_RUNS'] ?? (process.env['TEST_SET'] === 'test' ? 12 : 32));

describe.skipIf(!chromiumPath)('what a key acts on', () => {
  let console: Awaited<ReturnType<typeof startConsole>>;
  let browser: Browser;

  beforeAll(async () => {
    [console, browser] = await Promise.all([startConsole(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
  });

  test(
    `is what had the ring, or was selected by name, when it went down: ${lanes * runs} random runs of keys, clicks, arrivals, endings and filters`,
    async () => {
      const acted = await Promise.all(Array.from({ length: lanes }, (_, lane) => liveLane(lane)));
      const total = acted.reduce((sum, count) => sum + count, 0);
      // Without this check, a console that never acts would pass.
      expect(total).toBeGreaterThan((lanes * runs) / 2);
    },
    15 * 60_000,
  );

  async function liveLane(lane: number): Promise<number> {
    const { page, problems, close } = await openPage(browser, console.baseUrl);
    await page.addInitScript(makeLively);
    const testimony = await witness(page);
    await page.reload();
    await signIn(page);
    let acted = 0;
    for (let run = 0; run < runs; run += 1) {
      const seed = lane * 10_000 + run;
      await page.evaluate(liveRun, { seed, steps: 12 });
      acted += judge(await testimony(), `seed ${seed}`);
      expect(problems, `seed ${seed}`).toEqual([]);
    }
    await close();
    return acted;
  }
});

const actionKeys: Record<string, string> = { a: 'acknowledge', s: 'snooze', r: 'resolve' };

/** Compares each request with what was on the screen when its key was pressed. @returns the number of requests */
function judge(log: readonly Witnessed[], about: string): number {
  let acted = 0;
  const last: Record<string, Extract<Witnessed, { kind: 'key' }>> = {};
  for (const entry of log) {
    if (entry.kind === 'run') continue;
    if (entry.kind === 'key') {
      const action = actionKeys[entry.key];
      if (action) last[action] = entry;
      continue;
    }
    const [, one, segment] = /^\/v1\/alerts\/([^/]+)\/(\w+)$/.exec(entry.path) ?? [];
    const isMany = entry.path === '/v1/alerts/batch';
    const action = isMany ? entry.body.action : segment;
    const ids = isMany ? entry.body.alertIds : one ? [one] : null;
    const seen = last[action ?? ''];
    if (!ids || !seen) throw new Error(`${about}: ${entry.path} was asked for by no key: ${JSON.stringify(log)}`);
    acted += 1;
    const said = `${about}: ${action} of ${ids.join(', ')} after ${JSON.stringify(seen)}`;
    if (seen.barCount > 0) {
      expect(ids.length, said).toBe(seen.barCount);
      expect(ids, said).toEqual(expect.arrayContaining(seen.selected));
    } else expect(ids, said).toEqual([seen.ring ?? seen.open]);
  }
  return acted;
}
