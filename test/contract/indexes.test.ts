import { readFileSync } from 'node:fs';
import { Firestore } from '@google-cloud/firestore';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/emulators.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { sweep } from '../../shared/app/sweep.ts';
import { type Route, routes } from '../../shared/schema/routes.ts';
import { startTestApi } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { createTestWorld } from '../support/world.ts';

type Field = { fieldPath: string; order?: string; arrayConfig?: string };
type Needed = { collection: string; fields: Field[] };

const projectId = 'indexes';
const missing = missingForEmulators();

/** Fields that queries order by or take ranges of, and never compare for equality: what follows the equalities of an index. */
const isOrdered = (collection: string, { fieldPath }: Field) =>
  /(At|^timestamp)$/.test(fieldPath) || (collection === 'devices' && fieldPath === 'deviceId');

/**
 * Whether the indexes serve a query, as Firestore does: equalities with one order are merged from several indexes, so long as each ends
 * in that order; equalities alone are merged from the single-field indexes.
 */
function isServed({ collection, fields }: Needed, indexes: { collectionGroup: string; fields: Field[] }[]): boolean {
  const named = fields.filter(({ fieldPath }) => fieldPath !== '__name__');
  const orderFrom = isOrdered(collection, named.at(-1) ?? { fieldPath: '' }) ? named.length - 1 : named.length;
  const equal = named.slice(0, orderFrom).map(({ fieldPath }) => fieldPath);
  const order = JSON.stringify(named.slice(orderFrom));
  if (order === '[]') return true;
  const served = indexes
    .filter(({ collectionGroup }) => collectionGroup === collection)
    .filter(({ fields: own }) => JSON.stringify(own.slice(-1)) === order)
    .map(({ fields: own }) => own.slice(0, -1).map(({ fieldPath }) => fieldPath))
    .filter((prefix) => prefix.every((field) => equal.includes(field)));
  return equal.every((field) => served.some((prefix) => prefix.includes(field)));
}

function inWords({ collection, fields }: Needed): string {
  return `${collection}: ${fields.map(({ fieldPath, order }) => (order === 'DESCENDING' ? `${fieldPath} desc` : fieldPath)).join(', ')}`;
}

/** One value that a query parameter takes, read from its schema. */
function sampleOf(
  schema: TSchema & { enum?: string[]; items?: TSchema; examples?: string[]; type?: string; format?: string },
): string {
  if (schema.items) return sampleOf(schema.items);
  if (schema.enum) return schema.enum[0] ?? '';
  if (schema.format === 'date-time') return '2026-11-20T10:00:00Z';
  if (schema.type === 'boolean') return 'true';
  return schema.examples?.[0] ?? (schema.type === 'integer' ? '1' : 'a');
}

describe.skipIf(missing)('firestore.indexes.json', () => {
  let emulator: Emulator;
  let client: Firestore;
  beforeAll(async () => {
    emulator = await startEmulator('firestore', { port: await freePort() });
    process.env['FIRESTORE_EMULATOR_HOST'] = emulator.host;
    client = new Firestore({ projectId });
  });
  afterAll(async () => {
    await client?.terminate();
    await emulator?.stop();
  });

  test('covers every query that a list of the API or a sweep makes', async () => {
    const api = await startTestApi(createTestWorld(createFirestoreStore(client)));
    const tokens = [await api.issuer.token(), await api.issuer.token({ groups: ['north', 'south'] })];
    for (const route of Object.values(routes as Record<string, Route>)) {
      // A stream has no end to wait for.
      if (route.method !== 'get' || route.path === '/v1/stream') continue;
      const path = route.path.replaceAll(/\{\w+\}/g, 'cam-1');
      const properties = Object.entries((route.query as { properties?: Record<string, TSchema> })?.properties ?? {});
      const single = properties
        .map(([name, schema]) => [name, sampleOf(schema)] as const)
        .filter(([name]) => !name.startsWith('page'));
      const queries = [
        [],
        ...single.map((one) => [one]),
        ...single.map((one) => [one, ['status', 'all'] as const]),
        single,
      ];
      const known = properties.map(([name]) => name);
      for (const query of queries) {
        if (query.some(([name]) => !known.includes(name))) continue;
        const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
        for (const token of tokens) await api.call('GET', `${path}?${search}`, { token });
      }
    }
    const url = 'https://hooks.example.com/';
    const { body: webhook } = await api.call('POST', '/v1/webhooks', { body: { url, filter: { groups: ['north'] } } });
    const since = '2026-11-20T10:00:00Z';
    for (const token of tokens) {
      for (const body of [{}, { since }])
        await api.call('POST', `/v1/webhooks/${webhook.webhookId}/explain`, { token, body });
      for (const more of [{}, { status: ['failed'] }, { eventType: 'detection' }]) {
        const answer = await api.call('POST', `/v1/webhooks/${webhook.webhookId}/replay`, {
          token,
          body: { since, ...more },
        });
        expect(answer.status).toBe(200);
      }
    }
    await sweep(api.world);
    await api.stop();

    const usage = await fetch(
      `http://${emulator.host}/emulator/v1/projects/${projectId}:indexUsage?database=projects/${projectId}/databases/(default)`,
    );
    const { reports } = (await usage.json()) as { reports: { index: { name: string; fields: Field[] } }[] };
    const needed = reports.map(({ index }) => ({
      collection: /collectionGroups\/([^/]+)/.exec(index.name)?.[1] ?? '',
      fields: index.fields,
    }));
    const { indexes } = JSON.parse(readFileSync('firestore.indexes.json', 'utf8'));
    expect(needed.length).toBeGreaterThan(10);
    expect(needed.filter((each) => !isServed(each, indexes)).map(inWords)).toEqual([]);
  });
});
