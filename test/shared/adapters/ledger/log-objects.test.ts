import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startStorage } from '../../../../local/cloud/storage/server.ts';
import { createLedger, createLogObjects } from '../../../../shared/adapters/ledger/log-objects.ts';
import type { LogObjects } from '../../../../shared/app/ledger/objects.ts';
import { createTestObjects } from '../../../support/ledger/objects.ts';
import { freePort } from '../../../support/net/free-port.ts';

let service: Awaited<ReturnType<typeof startStorage>>;
let folder: string;
let endpoint: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
  service = await startStorage({ port: await freePort(), folder, buckets: ['ledger'] });
  endpoint = `http://127.0.0.1:${service.port}`;
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const stores: [string, () => LogObjects | null][] = [
  [
    'Cloud Storage, as it is spoken here',
    () => createLogObjects({ ledgerBucket: 'ledger', storageEndpoint: endpoint }),
  ],
  ['the one of tests', createTestObjects],
];

describe.each(stores)('objects of the log in %s', (_name, create) => {
  test('are written only if they have not changed since they were read', async () => {
    const objects = create();
    if (!objects) throw new Error('a bucket is set');
    const text = async () => Buffer.from((await objects.read('tile/0/x001/234.p/7'))?.bytes ?? []).toString();
    expect(await objects.read('tile/0/x001/234.p/7')).toBeNull();
    expect(await objects.write('tile/0/x001/234.p/7', Buffer.from('one'), null)).toBe(true);
    expect(await objects.write('tile/0/x001/234.p/7', Buffer.from('two'), null)).toBe(false);
    const read = await objects.read('tile/0/x001/234.p/7');
    expect(await text()).toBe('one');
    expect(await objects.write('tile/0/x001/234.p/7', Buffer.from('three'), read?.generation ?? '')).toBe(true);
    expect(await objects.write('tile/0/x001/234.p/7', Buffer.from('four'), read?.generation ?? '')).toBe(false);
    expect(await text()).toBe('three');
  });
});

test('an unreachable log is an error, and not an empty log', async () => {
  const away = createLogObjects({ ledgerBucket: 'elsewhere', storageEndpoint: 'http://127.0.0.1:1' });
  await expect(away?.read('checkpoint')).rejects.toThrow();
});

test('a ledger is written only with a bucket and a key', () => {
  const config = {
    ledgerBucket: 'ledger',
    storageEndpoint: endpoint,
    ledgerOrigin: 'x/ledger',
    ledgerKeys: [{ id: 'a', key: Buffer.alloc(32) }],
    ledgerWitnesses: [],
  };
  expect(createLedger(config)?.keys.map(({ name }) => name)).toEqual(['x/ledger']);
  expect(createLedger({ ...config, ledgerKeys: [] })).toBeNull();
  expect(createLedger({ ...config, ledgerBucket: null })).toBeNull();
});
