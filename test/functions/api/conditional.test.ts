import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

function read(headers: Record<string, string> = {}): Promise<Response> | Response {
  return api.fetch(new Request('http://watchpost.test/v1/openapi.json', { headers }));
}

test('an answer with changing data has no ETag and is never cached', async () => {
  const headers = { Authorization: `Bearer ${await api.issuer.token()}`, 'If-None-Match': '*' };
  const answer = await api.fetch(new Request('http://watchpost.test/v1/alerts', { headers }));
  expect([answer.status, answer.headers.get('ETag'), answer.headers.get('Cache-Control')]).toEqual([
    200,
    null,
    'no-store',
  ]);
});

test('the API description has the same ETag compressed or not, and may be cached', async () => {
  const plain = await read();
  const packed = await read({ 'Accept-Encoding': 'gzip' });
  expect([plain.status, plain.headers.get('Cache-Control')]).toEqual([200, 'no-cache']);
  expect(plain.headers.get('ETag')).toMatch(/^W\/"[\w-]{43}"$/);
  expect(packed.headers.get('ETag')).toBe(plain.headers.get('ETag'));
  expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe(await plain.text());
});

test.each<[string, (tag: string) => string, number]>([
  ['its tag', (tag) => tag, 304],
  ['its tag as a strong one', (tag) => tag.slice(2), 304],
  ['its tag among others', (tag) => `"other", ${tag} , W/"another"`, 304],
  ['any tag', () => '*', 304],
  ['another tag', () => 'W/"other"', 200],
  ['a part of its tag', (tag) => `${tag.slice(0, -2)}"`, 200],
  ['nothing', () => '', 200],
])('a client that knows %s', async (_, known, status) => {
  const tag = (await read()).headers.get('ETag') ?? '';
  const answer = await read({ 'If-None-Match': known(tag), 'Accept-Encoding': 'gzip' });
  expect([answer.status, answer.headers.get('ETag')]).toEqual([status, tag]);
  if (status === 304) {
    expect(await answer.text()).toBe('');
    expect(answer.headers.get('Content-Type')).toBeNull();
    expect(answer.headers.get('Vary')).toContain('Accept-Encoding');
  }
});
