import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bucket, Storage } from '@google-cloud/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crc32c } from '../../../../local/cloud/storage/crc32c.ts';
import { startStorage } from '../../../../local/cloud/storage/server.ts';
import type { Service } from '../../../../local/machine/http-server.ts';
import { startFrames } from '../../../support/stores/bucket.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchpost-storage-'));
let service: Service;
let bucket: Bucket;
let url: string;

const start = async () => {
  service = await startStorage({ port: 0, folder, buckets: ['frames'] });
  url = `http://127.0.0.1:${service.port}`;
  bucket = new Storage({ projectId: 'p', apiEndpoint: url, retryOptions: { autoRetry: false } }).bucket('frames');
};
beforeAll(start);
afterAll(() => service.stop());

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 0,
    (error: { code: number }) => error.code,
  );

test('the checksum is CRC-32C', () => {
  // Check value of the algorithm: e3069283 for "123456789".
  expect(Buffer.from(crc32c(Buffer.from('123456789')), 'base64').toString('hex')).toBe('e3069283');
});

test('returns the metadata of a bucket, and 404 for another', async () => {
  expect((await bucket.getMetadata())[0]).toMatchObject({ kind: 'storage#bucket', name: 'frames' });
  expect(await code(bucket.storage.bucket('none').getMetadata())).toBe(404);
});

test.each([
  ['multipart', false, Buffer.from([0, 13, 10, 13, 10, 45, 45, 255])],
  ['resumable', true, Buffer.alloc(700_000, 'x')],
  ['resumable, empty', true, Buffer.alloc(0)],
  ['multipart, empty', false, Buffer.alloc(0)],
])('returns the bytes of a %s upload', async (name, resumable, bytes) => {
  const file = bucket.file(`a b/${name}/ü?.jpg`);
  await file.save(bytes, { resumable, contentType: 'image/jpeg', metadata: { metadata: { session: 's1' } } });
  expect(Buffer.compare((await file.download())[0], bytes)).toBe(0);
  const [metadata] = await file.getMetadata();
  expect(metadata).toMatchObject({ contentType: 'image/jpeg', size: `${bytes.length}`, metadata: { session: 's1' } });
});

test('accepts a resumable upload in pieces and returns its progress', async () => {
  const begun = await fetch(`${url}/upload/storage/v1/b/frames/o?uploadType=resumable&name=pieces`, { method: 'POST' });
  const session = begun.headers.get('location') ?? '';
  const put = (range: string, body = '') =>
    fetch(session, { method: 'PUT', headers: { 'Content-Range': range }, body });
  expect((await put('bytes 0-4/*', 'hello')).headers.get('range')).toBe('bytes=0-4');
  expect((await put('bytes */*')).status).toBe(308);
  const finished = await put('bytes 5-10/11', ' world');
  expect(await finished.json()).toMatchObject({ name: 'pieces', size: '11' });
  expect(String((await bucket.file('pieces').download())[0])).toBe('hello world');
});

test('reads a range', async () => {
  await bucket.file('range').save('0123456789', { resumable: false });
  const chunks: Buffer[] = [];
  for await (const chunk of bucket.file('range').createReadStream({ start: 2, end: 4 })) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('234');
});

test('lists by prefix and delimiter, page by page', async () => {
  for (const name of ['list/a', 'list/b', 'list/c', 'list/deep/d'])
    await bucket.file(name).save('x', { resumable: false });
  const names = async (query: object) => (await bucket.getFiles(query))[0].map((file) => file.name);
  const [first, next] = await bucket.getFiles({ prefix: 'list/', maxResults: 3, autoPaginate: false });
  const [rest] = await bucket.getFiles(next ?? {});
  expect([...first, ...rest].map((file) => file.name)).toEqual(['list/a', 'list/b', 'list/c', 'list/deep/d']);
  expect(first).toHaveLength(3);
  expect(await names({ prefix: 'list/', delimiter: '/' })).toEqual(['list/a', 'list/b', 'list/c']);
  expect(await names({ prefix: 'list/b' })).toEqual(['list/b']);
});

test('deletes, and refuses by generation', async () => {
  const file = bucket.file('once');
  await file.save('1', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } });
  expect(await code(file.save('2', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } }))).toBe(412);
  await file.delete();
  expect((await file.exists())[0]).toBe(false);
  expect(await code(file.download())).toBe(404);
});

test('serves an object by signed address, and none without', async () => {
  const signing = await startFrames();
  const file = signing.bucket.file('frame 1.jpg');
  await file.save('jpeg', { resumable: false, contentType: 'image/jpeg' });
  const [address] = await file.getSignedUrl({ version: 'v4', action: 'read', expires: Date.now() + 60_000 });
  const response = await fetch(address);
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    'image/jpeg',
    'jpeg',
  ]);
  expect((await fetch(address.replace('frame%201', 'frame%202'))).status).toBe(403);
  expect((await fetch(address.replace(/\?.*$/, ''))).status).toBe(403);
});

test('keeps its objects between runs', async () => {
  await bucket.file('kept').save('still here', { resumable: false });
  await service.stop();
  await start();
  expect(String((await bucket.file('kept').download())[0])).toBe('still here');
});
