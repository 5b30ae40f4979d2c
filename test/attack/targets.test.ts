import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutboundClient } from '../../shared/adapters/outbound/client.ts';
import { createOutboundGuard, type Resolve } from '../../shared/adapters/outbound/guard.ts';

import { score } from '../support/score/score.ts';
import { goodTargets, hostileTargets, spelledTargets } from './hostile-targets.ts';

const address = (text: string): LookupAddress => ({ address: text, family: text.includes(':') ? 6 : 4 });
const publicly: Resolve = async () => [address('93.184.215.14')];
const request = (url: string) => ({
  url,
  method: 'POST' as const,
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 2000,
});
const all = Object.entries({ ...hostileTargets, 'a forbidden network, spelled otherwise': spelledTargets() }).flatMap(
  ([kind, urls]) => urls.map((url) => [kind, url] as const),
);

describe('a hostile target', () => {
  test('is tested in at least 400 different forms', () => {
    expect(new Set(all.map(([, url]) => url)).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(400);
    expect(goodTargets.length).toBe(50);
  });

  test.each(all)('is refused: %s, %j', async (_, url) => {
    const asked: string[] = [];
    const guard = createOutboundGuard([], async (host) => {
      asked.push(host);
      return publicly(host);
    });
    expect(await guard.check(url)).toMatchObject({ kind: 'blocked_target' });
    expect(asked).toEqual([]);
  });

  test.each(goodTargets)('does not include the public address %s', async (url) => {
    expect(await createOutboundGuard([], publicly).check(url)).toHaveProperty('addresses');
  });
});

describe('a public name', () => {
  test.each([
    ['a private address', ['10.0.0.1']],
    ['a public and a private address', ['93.184.215.14', '192.168.0.1']],
    ['a public IPv4 and a private IPv6 address', ['93.184.215.14', 'fd00::1']],
    ['a mapped address', ['::ffff:10.0.0.1']],
    ['a mapped public address', ['::ffff:93.184.215.14']],
    ['the metadata server', ['169.254.169.254']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['a NAT64 address', ['64:ff9b::a00:1']],
    ['something that is no address', ['localhost']],
    ['a short form of an address', ['127.1']],
    ['the address of nobody', ['0.0.0.0']],
    ['the IPv6 address of nobody', ['::']],
    ['this machine', ['127.0.0.53']],
    ['this machine over IPv6', ['::1']],
    ['a neighbour on the link', ['169.254.0.7']],
    ['carrier-grade translation', ['100.64.1.1']],
    ['a group of many', ['224.0.0.251']],
    ['everybody', ['255.255.255.255']],
    ['a tunnel to a private address', ['2002:a00:1::']],
    ['a tunnel through Teredo', ['2001:0:53aa:64c:0:fffe:5601:5601']],
    ['many public addresses and one private', ['8.8.8.8', '1.1.1.1', '9.9.9.9', '172.16.0.1']],
    ['a compatible address', ['::10.0.0.1']],
    ['an empty address', ['']],
  ])('that resolves to %s is refused', async (_, addresses) => {
    const guard = createOutboundGuard([], async () => addresses.map(address));
    expect(await guard.check('https://hooks.example.com/')).toMatchObject({ kind: 'blocked_target' });
  });

  test('that does not resolve is reported as a DNS error', async () => {
    const unknown: Resolve = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    expect(await createOutboundGuard([], unknown).check('https://hooks.example.com/')).toEqual({
      kind: 'dns_error',
      detail: 'The name could not be looked up (ENOTFOUND).',
    });
    expect(await createOutboundGuard([], async () => []).check('https://hooks.example.com/')).toMatchObject({
      kind: 'dns_error',
    });
  });
});

describe('a request', () => {
  let server: Server;
  let port: number;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
  });
  afterAll(() => server.close());

  test('to any hostile target opens no connection', async () => {
    const client = createOutboundClient(createOutboundGuard([], publicly));
    const through: string[] = [];
    for (const [, url] of all) {
      const answer = await client.send(request(url));
      if (answer.failure?.errorClass !== 'blocked_target') through.push(url);
    }
    score('S1', 'hostile targets', all.length, through.length);
    expect(through).toEqual([]);
    for (const url of [`https://127.0.0.1:${port}/`, `https://localhost:${port}/`, `https://0x7f.1:${port}/`]) {
      expect((await client.send(request(url))).failure?.errorClass).toBe('blocked_target');
    }
    expect(connections).toBe(0);
  });

  test('to a name that turns private between the check and the connection goes to the address that was checked', async () => {
    let calls = 0;
    const rebinding: Resolve = async () => {
      calls += 1;
      // Within 2000::/3 but not allocated: the guard accepts it as public, and no connection to it can succeed.
      return [address(calls === 1 ? '2d00::1' : '127.0.0.1')];
    };
    const client = createOutboundClient(createOutboundGuard([], rebinding));
    const answer = await client.send({ ...request(`https://rebind.example.com:${port}/`), timeoutMs: 300 });
    expect(answer.failure?.errorClass).toMatch(/timeout|connection_refused|connection_reset/);
    expect(calls).toBe(1);
    const again = await client.send(request(`https://rebind.example.com:${port}/`));
    expect(again.failure?.errorClass).toBe('blocked_target');
    expect(connections).toBe(0);
  });

  test('may go to a private host only if a local run allows this host by name', async () => {
    const local: Resolve = async () => [address('127.0.0.1')];
    const guard = createOutboundGuard([`allowed.example.com:${port}`, '127.0.0.1'], local);
    expect(await guard.check(`https://allowed.example.com:${port}/`)).toHaveProperty('addresses');
    expect(await guard.check('https://127.0.0.1:9999/')).toHaveProperty('addresses');
    expect(await guard.check('https://allowed.example.com:9999/')).toHaveProperty('kind', 'blocked_target');
    expect(await guard.check('https://other.example.com/')).toHaveProperty('kind', 'blocked_target');
    expect(await guard.check('https://127.0.0.2/')).toHaveProperty('kind', 'blocked_target');
    expect(await guard.check('http://127.0.0.1/')).toHaveProperty('kind', 'blocked_target');
  });
});
