import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The hand of a person: each click, tap and key counts, and a text that is typed counts once. */
export type Hand = {
  click(what: Locator): Promise<void>;
  tap(what: Locator): Promise<void>;
  press(key: string): Promise<void>;
  /** Types into the field that has the focus. */
  type(text: string): Promise<void>;
  count(): number;
};

export function handOn(page: Page): Hand {
  let count = 0;
  const counted =
    <T>(act: (given: T) => Promise<void>) =>
    async (given: T) => {
      count += 1;
      await act(given);
    };
  return {
    click: counted((what) => what.click()),
    tap: counted((what) => what.tap()),
    press: counted((key) => page.keyboard.press(key)),
    type: counted(async (text) => {
      const tag = () => page.evaluate(() => document.activeElement?.tagName ?? '');
      await expect.poll(tag).toMatch(/^(INPUT|TEXTAREA)$/);
      await page.keyboard.type(text);
    }),
    count: () => count,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests that read them
export type ApiAnswer = { status: number; body: any };

/** Asks the API with the token of whoever is signed in on the page. */
export function askApi(page: Page, path: string, given: { method?: string; body?: unknown } = {}): Promise<ApiAnswer> {
  const { method = 'GET', body = null } = given;
  return page.evaluate(
    async (asked) => {
      const name = Object.keys(sessionStorage).find((each) => each.startsWith('oidc.user:')) ?? '';
      const { access_token: token } = JSON.parse(sessionStorage.getItem(name) ?? '{}');
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const response = await fetch(asked.path, { method: asked.method, headers, body: asked.text });
      return { status: response.status, body: await response.json() };
    },
    { path, method, text: body === null ? null : JSON.stringify(body) },
  );
}
