import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Storage } from '@google-cloud/storage';
import { expect, test } from 'vitest';
import { faultOfSigned } from '../../../../local/cloud/storage/signed.ts';
import { actAsAccount } from '../../../support/stores/bucket.ts';

type Vector = {
  description: string;
  method: string;
  timestamp: string;
  expectedUrl: string;
  headers: Record<string, string>;
};
type Vectors = { email: string; publicKey: string; tests: Vector[] };

const packed = readFileSync(new URL('../../../attack/vectors/cloud-storage-v4.json.gz', import.meta.url));
const { email, publicKey, tests }: Vectors = JSON.parse(gunzipSync(packed).toString());

/** A request to an address, with headers as Node reads them. */
function requestTo(address: string, method = 'GET', headers: Record<string, string> = {}) {
  const { host, pathname, search } = new URL(address);
  const named = Object.entries({ host, ...headers }).map(([name, value]) => [name.toLowerCase(), value]);
  return { method, url: `${pathname}${search}`, headers: Object.fromEntries(named) };
}

test('every signed address of Google’s test vectors is valid', () => {
  for (const { description, method, timestamp, expectedUrl, headers } of tests) {
    const fault = faultOfSigned(
      requestTo(expectedUrl, method, headers),
      { email, publicKey },
      Date.parse(timestamp) + 1000,
    );
    expect([description, fault]).toEqual([description, null]);
  }
  expect(tests).toHaveLength(29);
});

test('no signed address is valid with another key, at another time or with a changed part', () => {
  const other = actAsAccount(email);
  for (const { description, method, timestamp, expectedUrl, headers } of tests) {
    const at = Date.parse(timestamp);
    const request = requestTo(expectedUrl, method, headers);
    const statusOf = (...asked: Parameters<typeof faultOfSigned>) => faultOfSigned(...asked)?.status;
    const signer = { email, publicKey };
    expect([description, statusOf(request, other, at)]).toEqual([description, 403]);
    expect([description, statusOf(request, { ...signer, email: 'a@b' }, at)]).toEqual([description, 403]);
    expect([description, statusOf({ ...request, method: 'DELETE' }, signer, at)]).toEqual([description, 403]);
    expect([description, statusOf({ ...request, url: request.url.replace('?', 'x?') }, signer, at)]).toEqual([
      description,
      403,
    ]);
    expect([description, statusOf(request, signer, at + 3_600_000)]).toEqual([description, 400]);
    for (const name of Object.keys(request.headers)) {
      const changed = { ...request, headers: { ...request.headers, [name]: `${request.headers[name]}x` } };
      expect([description, name, statusOf(changed, signer, at)]).toEqual([description, name, 403]);
      const { [name]: _left, ...headersLeft } = request.headers;
      const without = { ...request, headers: headersLeft };
      expect([description, name, statusOf(without, signer, at)]).toEqual([description, name, 400]);
    }
  }
});

test('a signed address is valid from 15 minutes before its time until it expires, at most seven days', async () => {
  const signer = actAsAccount();
  const storage = new Storage({ projectId: 'p' });
  const signedAt = Math.floor(Date.now() / 1000) * 1000;
  const expires = signedAt + 60_000;
  const asked = { version: 'v4', action: 'read', accessibleAt: new Date(signedAt), expires } as const;
  const [address] = await storage.bucket('b').file('a b.jpg').getSignedUrl(asked);
  const at = (ms: number, change = (text: string) => text) =>
    faultOfSigned(requestTo(change(address)), signer, signedAt + ms)?.reason ?? null;
  expect([at(-900_001), at(-900_000), at(0), at(59_999), at(60_000)]).toEqual([
    'forbidden',
    null,
    null,
    null,
    'ExpiredToken',
  ]);
  expect(at(0, (text) => text.replace('Expires=60', 'Expires=604801'))).toBe('InvalidArgument');
  expect(at(0, (text) => text.replace('Expires=60', 'Expires=61'))).toBe('forbidden');
  expect(at(0, (text) => text.replace(/&X-Goog-Signature=.*$/, ''))).toBe('forbidden');
  expect(at(0, (text) => text.replace('GOOG4-RSA-SHA256', 'GOOG4-HMAC-SHA256'))).toBe('forbidden');
  expect(at(0, (text) => text.replace('SignedHeaders=host', 'SignedHeaders=accept'))).toBe('MalformedSecurityHeader');
  expect(faultOfSigned(requestTo(address), undefined, signedAt)?.status).toBe(403);
});
