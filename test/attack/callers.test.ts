import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPrivateEdge } from '../../shared/adapters/http/private-edge.ts';
import { score } from '../support/score/score.ts';
import { startTestIssuer } from '../support/world/issuer.ts';
import { createTestWorld } from '../support/world/world.ts';

const caller = 'push@project.iam.gserviceaccount.com';
const audience = 'https://ingest.example.com';

let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
let stranger: Awaited<ReturnType<typeof startTestIssuer>>;
let server: Server;
let handled = 0;
let send: (path: string, authorization?: string, method?: string) => Promise<number>;
beforeAll(async () => {
  issuer = await startTestIssuer();
  stranger = await startTestIssuer('RS256', true);
  const settings = {
    callerIssuer: issuer.url,
    callerKeysUrl: `${issuer.url}/jwks`,
    callerAudience: audience,
    callers: [caller],
  };
  const edge = createPrivateEdge(settings, createTestWorld().log, {
    '*': async () => {
      handled += 1;
      return null;
    },
  });
  server = createServer(edge);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  send = async (path, authorization, method = 'POST') => {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })).status;
  };
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await Promise.all([issuer.stop(), stranger.stop()]);
});

const good = { aud: audience, email: caller, email_verified: true };
const past = () => Math.floor(Date.now() / 1000) - 3600;

test('no call without the token of a known account is handled', async () => {
  const claims: object[] = [
    { ...good, aud: 'watchpost' },
    { ...good, aud: `${audience}/` },
    { ...good, aud: 'https://deliver.example.com' },
    { ...good, aud: [] },
    { ...good, aud: undefined },
    { ...good, email: 'other@project.iam.gserviceaccount.com' },
    { ...good, email: caller.toUpperCase() },
    { ...good, email: `${caller}.evil.example` },
    { ...good, email: ` ${caller}` },
    { ...good, email: [caller, 'other'] },
    { ...good, email: [caller] },
    { ...good, email: { toString: caller } },
    { ...good, email: '' },
    { ...good, email: undefined },
    { ...good, email: undefined, sub: caller },
    { ...good, email_verified: false },
    { ...good, email_verified: 'true' },
    { ...good, email_verified: 1 },
    { ...good, email_verified: undefined },
    { ...good, exp: past() },
    { ...good, exp: undefined },
    { ...good, nbf: past() + 7200 },
    { ...good, iss: stranger.url },
    { ...good, iss: 'https://accounts.google.com' },
    { scope: 'alerts:write settings:write' },
  ];
  const token = await issuer.token(good);
  const [head = '', body = '', signature = ''] = token.split('.');
  const headers: (string | undefined)[] = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer ${token} ${token}`,
    `Bearer ${head}.${body}.`,
    `Bearer ${head}.${body}.${signature.slice(0, -8)}`,
    `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
    `Bearer ${await stranger.token({ ...good, iss: issuer.url })}`,
    `Bearer ${await stranger.token(good)}`,
  ];
  for (const claim of claims) headers.push(`Bearer ${await issuer.token(claim as never)}`);
  const calls = headers.flatMap((header) =>
    ['/', '/sweep', '/dead-letter', '/unknown'].map((path) => [path, header] as const),
  );
  const through: string[] = [];
  for (const [path, header] of calls) {
    const status = await send(path, header);
    if (status !== 401 && status !== 403) through.push(`${path} ${header?.slice(0, 60)}: ${status}`);
  }
  score('S11', 'calls without or with another caller’s token', calls.length, through.length);
  expect(through).toEqual([]);
  expect(handled).toBe(0);
  expect(await send('/', `Bearer ${token}`)).toBe(204);
  expect(handled).toBe(1);
});

test('only a POST is handled, however good its token', async () => {
  const before = handled;
  const token = `Bearer ${await issuer.token(good)}`;
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) expect(await send('/', token, method)).toBe(404);
  expect(handled).toBe(before);
});
