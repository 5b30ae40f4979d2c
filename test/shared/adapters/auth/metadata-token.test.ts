import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const { signal } = new AbortController();
let answers: (() => Response)[] = [];
let asked: { address: string; headers: unknown }[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: new Date('2026-11-20T10:00:00.000Z') });
  vi.resetModules();
  [answers, asked] = [[], []];
  vi.stubGlobal('fetch', async (address: string, { headers }: RequestInit) => {
    asked.push({ address, headers });
    return answers.shift()?.();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const token = (text: string, seconds: number) => () => Response.json({ access_token: text, expires_in: seconds });
/** The module caches the token, so each test loads a fresh copy of it. */
const load = async () => (await import('../../../../shared/adapters/auth/metadata-token.ts')).readAccessToken;

test('a token of the platform is cached until a minute before it expires, also if the clock is set back', async () => {
  const readAccessToken = await load();
  answers = [token('first', 600), token('second', 600)];
  expect(await readAccessToken(signal)).toBe('first');
  vi.advanceTimersByTime(539_999);
  vi.setSystemTime(new Date('2026-11-20T09:00:00.000Z'));
  expect(await readAccessToken(signal)).toBe('first');
  vi.advanceTimersByTime(1);
  expect(await readAccessToken(signal)).toBe('second');
  expect(asked).toHaveLength(2);
  expect(asked[0]).toEqual({
    address: 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token',
    headers: { 'Metadata-Flavor': 'Google' },
  });
});

test('a refusal is reported, and not cached', async () => {
  const readAccessToken = await load();
  answers = [() => new Response('', { status: 503 }), token('later', 600)];
  await expect(readAccessToken(signal)).rejects.toThrow('the metadata server answered 503');
  expect(await readAccessToken(signal)).toBe('later');
});
