import { describe, expect, test, vi } from 'vitest';
import { faultOfSigned } from '../../../../local/cloud/storage/signed.ts';
import { createFrames } from '../../../../shared/adapters/frames/frames.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { endpoint, sentDeliveries } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { startFrames } from '../../../support/stores/bucket.ts';
import { startPlatform } from '../../../support/stores/platform.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const account = 'ingest@project.iam.gserviceaccount.com';
const names = ['a.jpg', '2026/11/20/cam 1.jpg', 'ü/人?.jpg', "a!b'c(d)*e.jpg", 'a+b&c=d%20#e.jpg', '~._-/x', 'a//b'];

describe('in the cloud the address of a frame', () => {
  const inTheCloud = () => createFrames({ framesBucket: 'frames', storageEndpoint: null, projectId: 'p' });

  test('is signed by the platform with the key of the function’s own account', async () => {
    const platform = await startPlatform(account);
    const frames = inTheCloud();
    for (const name of names) {
      const { host, pathname, search } = new URL(await frames.sign(name));
      expect([host, pathname.split('/').slice(2).map(decodeURIComponent).join('/')]).toEqual([
        'storage.googleapis.com',
        name,
      ]);
      const request = { method: 'GET', url: `${pathname}${search}`, headers: { host } };
      expect([name, faultOfSigned(request, platform.signer, Date.now() + 604_790_000)]).toEqual([name, null]);
      expect([name, faultOfSigned(request, platform.signer, Date.now() + 604_800_000)?.reason]).toEqual([
        name,
        'ExpiredToken',
      ]);
    }
    const { address, bearer } = platform.asked.at(-1) ?? {};
    expect(address).toBe(`iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:signBlob`);
    expect(bearer).toBe('Bearer platform-token');
    const notified = platform.asked.filter((each) => each.address.includes('/computeMetadata/v1/'));
    expect(new Set(notified.map(({ flavor }) => flavor))).toEqual(new Set(['Google']));
    // All requests share one access token.
    expect(notified.filter((each) => each.address.includes('/token'))).toHaveLength(1);
  });

  test('for an upload allows one new frame of this type, at most 10 MiB, for 15 minutes', async () => {
    const { signer } = await startPlatform(account);
    const { url, headers, expiresAt } = await inTheCloud().signUpload('cam-1/2026-11-20/a b.jpg', 'image/jpeg');
    expect(headers).toEqual({
      'content-type': 'image/jpeg',
      'x-goog-content-length-range': '0,10485760',
      'x-goog-if-generation-match': '0',
    });
    const { host, pathname, search } = new URL(url);
    const request = { method: 'PUT', url: `${pathname}${search}`, headers: { host, ...headers } };
    const endsAt = Date.parse(expiresAt);
    expect(faultOfSigned(request, signer, endsAt - 1)).toBeNull();
    expect(faultOfSigned(request, signer, endsAt)?.reason).toBe('ExpiredToken');
    expect(endsAt - Date.now()).toBeGreaterThan(890_000);
  });

  test('is requested again after a refusal of the platform, which is reported without the token', async () => {
    const platform = await startPlatform(account);
    const frames = inTheCloud();
    platform.signing = 'refuses';
    const refused = await frames.sign('a.jpg').catch((error: unknown) => error);
    expect(String(refused)).toContain('denied by the platform');
    expect(JSON.stringify(refused, Object.getOwnPropertyNames(refused))).not.toContain('platform-token');
    platform.signing = 'works';
    expect(await frames.sign('a.jpg')).toContain('X-Goog-Signature=');
  });

  test('is given up after ten seconds where the platform does not answer', async () => {
    const platform = await startPlatform(account);
    platform.signing = 'hangs';
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const signed = inTheCloud().sign('a.jpg');
      await vi.waitFor(() => expect(platform.asked.at(-1)?.address).toContain(':signBlob'), { timeout: 20_000 });
      vi.advanceTimersByTime(10_000);
      await expect(signed).rejects.toThrow('did not answer within 10000 ms');
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a delivered detection names an address at which its frame can be read', async () => {
  const { frames, bucket } = await startFrames();
  const world = createTestWorld();
  const { webhookId } = endpoint();
  await world.store.commit([{ kind: 'create', in: 'webhooks', id: webhookId, data: endpoint() }]);
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  // What a device may not name is refused: an empty segment, and what is percent-encoded.
  for (const [index, object] of names
    .filter((name) => name !== 'a//b' && !name.includes('%'))
    .map((name) => `cam-1/${name}`)
    .entries()) {
    const bytes = Buffer.from(`frame ${index}`);
    await bucket.file(object).save(bytes, { resumable: false, contentType: 'image/jpeg' });
    const image = index % 2 ? { imageUrl: `gs://frames/${object}` } : { imageUrl: undefined, frame: object };
    await takeMessage(world, message('detection', { ...detection(`s-${index}`), ...image }), intake);
    const found = (await sentDeliveries(world.store)).find(({ eventId }) => eventId === `s-${index}`);
    const { imageUrl } = JSON.parse(found?.body ?? '{}');
    const response = await fetch(imageUrl);
    expect([object, response.status, response.headers.get('content-type')]).toEqual([object, 200, 'image/jpeg']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  }
  const { origin, pathname } = new URL(await frames.sign('a.jpg'));
  expect((await fetch(`${origin}${pathname}`)).status).toBe(403);
});

test('an upload address accepts one upload with the signed headers, and nothing else', async () => {
  const { frames } = await startFrames();
  const bring = (url: string, headers: Record<string, string>, size = 3, method = 'PUT') =>
    fetch(url, { method, headers, ...(method === 'PUT' ? { body: Buffer.alloc(size, 'x') } : {}) }).then(
      ({ status }) => status,
    );
  const object = 'cam-1/2026-11-20/a b.jpg';
  const { url, headers, expiresAt } = await frames.signUpload(object, 'image/jpeg');
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(890_000);
  const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
  const wrong: [what: string, status: Promise<number>, refused?: number][] = [
    ['another type', bring(url, { ...headers, 'content-type': 'text/html' })],
    ['a larger range', bring(url, { ...headers, 'x-goog-content-length-range': '0,99999999' })],
    ['no range', bring(url, without('x-goog-content-length-range')), 400],
    ['no generation', bring(url, without('x-goog-if-generation-match')), 400],
    ['another generation', bring(url, { ...headers, 'x-goog-if-generation-match': '1' })],
    ['a header that was not signed', bring(url, { ...headers, 'x-goog-acl': 'public-read' })],
    ['another object', bring(url.replace('a%20b.jpg', 'c.jpg'), headers)],
    ['another device', bring(url.replace('cam-1', 'cam-2'), headers)],
    ['a longer time', bring(url.replace('Expires=900', 'Expires=9000'), headers)],
    ['reading', bring(url, headers, 0, 'GET')],
    ['writing where reading is permitted', frames.sign(object).then((read) => bring(read, {}))],
  ];
  for (const [what, status, refused = 403] of wrong) expect([what, await status]).toEqual([what, refused]);
  expect(await bring(url, headers, 10 * 1024 * 1024 + 1)).toBe(400);
  expect(await bring(url, headers)).toBe(200);
  expect(await bring(url, headers)).toBe(412);
  const read = await fetch(await frames.sign(object));
  expect([read.headers.get('content-type'), await read.text()]).toEqual(['image/jpeg', 'xxx']);
});

test('the time at which a frame was made is known, and that there is none', async () => {
  const { frames, bucket } = await startFrames();
  const before = new Date().toISOString();
  await bucket.file('cam-1/a b.jpg').save('x', { resumable: false });
  const madeAt = await frames.madeAt('cam-1/a b.jpg');
  expect([
    madeAt && madeAt >= before && madeAt <= new Date().toISOString(),
    await frames.madeAt('cam-1/b.jpg'),
  ]).toEqual([true, null]);
});

test('frames of a device are erased in steps, and none of a device whose id has the same beginning', async () => {
  const { endpoint: storageEndpoint, frames, bucket } = await startFrames();
  for (const object of ['cam-1/a b.jpg', 'cam-1/d/ü?.jpg', 'cam-1/c#.jpg', 'cam-10/a.jpg', 'cam-2/cam-1/a.jpg'])
    await bucket.file(object).save(Buffer.from('x'), { resumable: false });
  expect(await frames.erase('cam-1/', 2)).toEqual({ erased: 2, isMore: true });
  expect(await frames.erase('cam-1/', 2)).toEqual({ erased: 1, isMore: false });
  expect(await frames.erase('cam-1/', 2)).toEqual({ erased: 0, isMore: false });
  const [left] = await bucket.getFiles();
  expect(left.map(({ name }) => name)).toEqual(['cam-10/a.jpg', 'cam-2/cam-1/a.jpg']);
  // Two concurrent erasures list the same objects, and each finds some already deleted.
  for (const object of ['cam-3/a.jpg', 'cam-3/b.jpg'])
    await bucket.file(object).save(Buffer.from('x'), { resumable: false });
  const both = await Promise.all([frames.erase('cam-3/', 2), frames.erase('cam-3/', 2)]);
  expect(both.map(({ erased }) => erased)).toEqual([2, 2]);
  const missing = createFrames({ framesBucket: 'none', storageEndpoint, projectId: 'p' });
  await expect(missing.erase('cam-1/', 2)).rejects.toThrow('The specified bucket does not exist.');
});
