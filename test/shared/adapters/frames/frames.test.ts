import { createPublicKey, createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Storage } from '@google-cloud/storage';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startStorage } from '../../../../local/cloud/storage/server.ts';
import { createFrames } from '../../../../shared/adapters/frames/frames.ts';
import { signedAddress } from '../../../../shared/adapters/frames/signed-address.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const account = 'ingest@project.iam.gserviceaccount.com';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const sign = (text: string | Buffer) => createSign('RSA-SHA256').update(text).sign(privateKey);
const names = ['a.jpg', '2026/11/20/cam 1.jpg', 'ü/人?.jpg', "a!b'c(d)*e.jpg", 'a+b&c=d%20#e.jpg', '~._-/x', 'a//b'];

describe('the address of a frame', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.each(names)('of %s is the one that the client of Cloud Storage signs', async (object) => {
    // The client signs nothing that has ended.
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    const signer = { account, sign: async (text: string) => sign(text).toString('hex') };
    const address = await signedAddress(
      new URL('https://storage.googleapis.com'),
      { bucket: 'frames', object },
      signer,
      at,
    );
    const storage = new Storage({ projectId: 'p', credentials: { client_email: account, private_key: pem } });
    const [theirs] = await storage
      .bucket('frames')
      .file(object)
      .getSignedUrl({
        version: 'v4',
        action: 'read',
        accessibleAt: at,
        expires: at.getTime() + 7 * 24 * 60 * 60 * 1000,
      });
    // The signature is deterministic, so the addresses are the same letter by letter.
    expect(address).toBe(theirs);
  });

  test('to bring one to is the one that the client of Cloud Storage signs, with every header', async () => {
    // The client signs nothing that has ended.
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    const signer = { account, sign: async (text: string) => sign(text).toString('hex') };
    const headers = {
      'content-type': 'image/jpeg',
      'x-goog-content-length-range': '0,10485760',
      'x-goog-if-generation-match': '0',
    };
    const address = await signedAddress(
      new URL('https://storage.googleapis.com'),
      { bucket: 'frames', object: 'cam-1/2026-11-20/a.jpg' },
      signer,
      at,
      { method: 'PUT', expiresSeconds: 900, headers },
    );
    const storage = new Storage({ projectId: 'p', credentials: { client_email: account, private_key: pem } });
    const { 'content-type': contentType, ...extensionHeaders } = headers;
    const [theirs] = await storage
      .bucket('frames')
      .file('cam-1/2026-11-20/a.jpg')
      .getSignedUrl({
        version: 'v4',
        action: 'write',
        accessibleAt: at,
        expires: at.getTime() + 900_000,
        contentType,
        extensionHeaders,
      });
    expect(address).toBe(theirs);
  });

  test('is signed in the cloud by the platform with the key of the function’s own account', async () => {
    const asked: { url: string; headers: Headers; body: string }[] = [];
    vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => {
      const url = String(input);
      asked.push({ url, headers: new Headers(init.headers), body: String(init.body ?? '') });
      if (url.endsWith('/email')) return new Response(`${account}\n`);
      if (url.includes('metadata.google.internal')) {
        return Response.json({ access_token: 'platform-token', expires_in: 3600, token_type: 'Bearer' });
      }
      const { payload } = JSON.parse(String(init.body));
      return Response.json({ signedBlob: sign(Buffer.from(payload, 'base64')).toString('base64') });
    });
    const frames = createFrames({ framesBucket: 'frames', storageEndpoint: null });
    const url = new URL(await frames.sign('2026/a b.jpg'));
    expect(`${url.origin}${url.pathname}`).toBe('https://storage.googleapis.com/frames/2026/a%20b.jpg');
    const [email, token, blob, ...more] = asked;
    expect([email, token].map((each) => each?.headers.get('metadata-flavor'))).toEqual(['Google', 'Google']);
    expect(blob?.url).toBe(`https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:signBlob`);
    expect(blob?.headers.get('authorization')).toBe('Bearer platform-token');
    expect(more).toEqual([]);
    const text = Buffer.from(JSON.parse(blob?.body ?? '').payload, 'base64');
    const signature = Buffer.from(url.searchParams.get('X-Goog-Signature') ?? '', 'hex');
    expect(
      createVerify('RSA-SHA256')
        .update(text)
        .verify(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), signature),
    ).toBe(true);
    expect(text.toString()).toContain(`GOOG4-RSA-SHA256\n${url.searchParams.get('X-Goog-Date')}\n`);
  });

  test('is asked for anew after the platform could not sign', async () => {
    let isDown = true;
    vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => {
      if (isDown) return new Response('', { status: 503 });
      const url = String(input);
      if (url.endsWith('/email')) return new Response(account);
      if (url.includes('metadata.google.internal')) return Response.json({ access_token: 't', expires_in: 3600 });
      return Response.json({ signedBlob: sign(String(init.body)).toString('base64') });
    });
    const frames = createFrames({ framesBucket: 'frames', storageEndpoint: null });
    await expect(frames.sign('a.jpg')).rejects.toThrow('503');
    isDown = false;
    expect(await frames.sign('a.jpg')).toContain('X-Goog-Signature=');
  });
});

test('a delivered detection names an address at which its frame can be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-frames-'));
  const service = await startStorage({ port: 0, folder, buckets: ['frames'] });
  const storageEndpoint = `http://127.0.0.1:${service.port}`;
  try {
    const storage = new Storage({ projectId: 'p', apiEndpoint: storageEndpoint, retryOptions: { autoRetry: false } });
    const world = createTestWorld();
    const { webhookId } = endpoint();
    await world.store.commit([{ kind: 'create', in: 'webhooks', id: webhookId, data: endpoint() }]);
    const frames = createFrames({ framesBucket: 'frames', storageEndpoint });
    const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
    for (const [index, object] of names
      .filter((name) => name !== 'a//b')
      .map((name) => `cam-1/${name}`)
      .entries()) {
      const bytes = Buffer.from(`frame ${index}`);
      await storage.bucket('frames').file(object).save(bytes, { resumable: false, contentType: 'image/jpeg' });
      const image = index % 2 ? { imageUrl: `gs://frames/${object}` } : { imageUrl: undefined, frame: object };
      await takeMessage(world, message('detection', { ...detection(`s-${index}`), ...image }), intake);
      const found = await world.store.find({
        in: 'deliveries',
        where: [{ field: 'eventId', is: '==', value: `s-${index}` }],
        limit: 1,
      });
      const { imageUrl } = JSON.parse(found[0]?.data.body ?? '{}');
      const response = await fetch(imageUrl);
      expect([object, response.status, response.headers.get('content-type')]).toEqual([object, 200, 'image/jpeg']);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    }
    const { origin, pathname } = new URL(await frames.sign('a.jpg'));
    expect((await fetch(`${origin}${pathname}`)).status).toBe(403);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what is brought to an address is taken once, as it was signed, and nothing else is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-uploads-'));
  const service = await startStorage({ port: 0, folder, buckets: ['frames'] });
  const frames = createFrames({ framesBucket: 'frames', storageEndpoint: `http://127.0.0.1:${service.port}` });
  const bring = (url: string, headers: Record<string, string>, size = 3, method = 'PUT') =>
    fetch(url, { method, headers, ...(method === 'PUT' ? { body: Buffer.alloc(size, 'x') } : {}) }).then(
      ({ status }) => status,
    );
  try {
    const object = 'cam-1/2026-11-20/a b.jpg';
    const { url, headers, expiresAt } = await frames.signUpload(object, 'image/jpeg');
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(890_000);
    const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
    const wrong: [what: string, status: Promise<number>][] = [
      ['another type', bring(url, { ...headers, 'content-type': 'text/html' })],
      ['a larger range', bring(url, { ...headers, 'x-goog-content-length-range': '0,99999999' })],
      ['no range', bring(url, without('x-goog-content-length-range'))],
      ['no generation', bring(url, without('x-goog-if-generation-match'))],
      ['a header that was not signed', bring(url, { ...headers, 'x-goog-acl': 'public-read' })],
      ['another object', bring(url.replace('a%20b.jpg', 'c.jpg'), headers)],
      ['another device', bring(url.replace('cam-1', 'cam-2'), headers)],
      ['a longer time', bring(url.replace('Expires=900', 'Expires=9000'), headers)],
      ['reading', bring(url, headers, 0, 'GET')],
      ['writing where reading is permitted', frames.sign(object).then((read) => bring(read, {}))],
    ];
    for (const [what, status] of wrong) expect([what, await status]).toEqual([what, 403]);
    expect(await bring(url, headers, 10 * 1024 * 1024 + 1)).toBe(400);
    expect(await bring(url, headers)).toBe(200);
    expect(await bring(url, headers)).toBe(412);
    const read = await fetch(await frames.sign(object));
    expect([read.headers.get('content-type'), await read.text()]).toEqual(['image/jpeg', 'xxx']);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
