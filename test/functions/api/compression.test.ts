import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let token: string;
beforeAll(async () => {
  api = await startTestApi();
  token = await api.issuer.token();
  for (let index = 0; index < 50; index += 1) await openTestAlert(api.world);
});
afterAll(() => api.stop());

async function read(path: string, acceptEncoding?: string) {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(acceptEncoding === undefined ? {} : { 'Accept-Encoding': acceptEncoding }),
  };
  const response = await api.fetch(new Request(`http://watchpost.test${path}`, { headers }));
  const encoding = response.headers.get('Content-Encoding');
  return { encoding, vary: response.headers.get('Vary'), bytes: Buffer.from(await response.arrayBuffer()) };
}

test.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, GZIP;q=0.8', 'gzip;q=0.001'])(
  'a page is compressed for a caller that accepts %s, with the same content',
  async (accepted) => {
    const plain = await read('/v1/alerts');
    const packed = await read('/v1/alerts', accepted);
    expect([plain.encoding, packed.encoding]).toEqual([null, 'gzip']);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    for (const { vary } of [plain, packed]) expect(vary).toContain('Accept-Encoding');
  },
);

test.each([undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.000, br', 'x-gzipped'])(
  'a page is sent uncompressed to a caller that accepts %s',
  async (accepted) => {
    const { encoding, bytes } = await read('/v1/alerts', accepted);
    expect(encoding).toBeNull();
    expect(JSON.parse(bytes.toString()).alerts).toHaveLength(50);
  },
);

test('a short answer is not compressed', async () => {
  expect((await read('/v1/alerts?pageSize=1', 'gzip')).encoding).toBeNull();
});

test('answers about endpoints are never compressed, because they contain secrets beside text of callers', async () => {
  const headers = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`X-Note-${index}`, 'n'.repeat(1000)]));
  const made = await api.call('POST', '/v1/webhooks', {
    body: { url: 'https://hooks.example.com/a', headers },
    headers: { 'Accept-Encoding': 'gzip' },
  });
  expect([made.status, made.headers.get('Content-Encoding')]).toEqual([201, null]);
  const { encoding, bytes } = await read('/v1/webhooks', 'gzip');
  expect(encoding).toBeNull();
  expect(bytes.length).toBeGreaterThan(4096);
});
