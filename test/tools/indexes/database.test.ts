import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lacksOf, makeLacks, stopExpiry, type Wanted } from '../../../tools/indexes/database.ts';
import { startFirestoreAdmin } from '../../support/stores/firestore-admin.ts';

const database = 'projects/p/databases/restored-1';
const wanted = JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as Wanted;
const some: Wanted = { indexes: wanted.indexes.slice(0, 3), fieldOverrides: wanted.fieldOverrides.slice(0, 12) };
const atOnce = async () => {};

let google: Awaited<ReturnType<typeof startFirestoreAdmin>>;
beforeEach(async () => {
  google = await startFirestoreAdmin(database);
});
afterEach(() => google.stop());

test('an empty database lacks every index, every field and its backups; after they are made it lacks nothing', async () => {
  const { indexes, fieldOverrides } = wanted;
  expect(await lacksOf(google.admin, database, wanted)).toHaveLength(indexes.length + fieldOverrides.length + 1);
  await makeLacks(google.admin, database, wanted, atOnce, () => {});
  expect(await lacksOf(google.admin, database, wanted)).toEqual([]);
  expect(google.indexes.every(({ state }) => state === 'READY')).toBe(true);
  expect(google.schedules).toMatchObject([{ retention: { seconds: '1209600' } }]);
});

test('what is being built is lacking, and is waited for without being asked for again', async () => {
  await google.admin.createIndex({
    parent: `${database}/collectionGroups/${some.indexes[0]?.collectionGroup}`,
    index: { queryScope: some.indexes[0]?.queryScope, fields: some.indexes[0]?.fields },
  });
  const lines: string[] = [];
  await makeLacks(google.admin, database, some, atOnce, (line) => lines.push(line));
  expect(lines.filter((line) => line.startsWith('makes index'))).toHaveLength(2);
  expect(google.calls.filter((call) => call === 'createIndex')).toHaveLength(3);
});

test('cut off after each call and called again, it makes each thing once', async () => {
  const total = some.indexes.length + some.fieldOverrides.length + 1;
  for (let cut = 0; cut < total; cut += 1) {
    const [next] = (await lacksOf(google.admin, database, some)).filter(({ make }) => make !== null);
    await next?.make?.();
  }
  await makeLacks(google.admin, database, some, atOnce, () => {});
  const made = google.calls.filter((call) => /^(create|update)/.test(call));
  expect(made).toHaveLength(total);
});

test('a policy that is missing, one too many, and another index of a field are found', async () => {
  await makeLacks(google.admin, database, some, atOnce, () => {});
  const name = (fieldPath: string, group = some.fieldOverrides[0]?.collectionGroup) =>
    `${database}/collectionGroups/${group}/fields/${fieldPath}`;
  const [first] = some.fieldOverrides;
  await google.admin.updateField({
    field: { name: name(first?.fieldPath ?? ''), ttlConfig: {} },
    updateMask: { paths: ['ttl_config'] },
  });
  expect((await lacksOf(google.admin, database, some)).map(({ what }) => what)).toEqual([
    expect.stringContaining(`${first?.collectionGroup}.${first?.fieldPath}`),
  ]);
});

test('the old database forgets nothing any more, and its indexes stay', async () => {
  await makeLacks(google.admin, database, wanted, atOnce, () => {});
  const expiring = wanted.fieldOverrides.filter(({ ttl }) => ttl).length;
  expect(expiring).toBeGreaterThan(5);
  expect(await stopExpiry(google.admin, database)).toHaveLength(expiring);
  expect([...google.fields.values()].filter(({ ttlConfig }) => ttlConfig !== null)).toEqual([]);
  expect([...google.fields.values()].every(({ indexConfig }) => indexConfig?.usesAncestorConfig === false)).toBe(true);
});

test('another database is refused by name', async () => {
  await expect(lacksOf(google.admin, 'projects/p/databases/other', some)).rejects.toThrow(/wrong parent/);
});
