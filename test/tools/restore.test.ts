import { expect, test } from 'vitest';
import { differences } from '../../tools/restore/databases.ts';

test('a missing, additional or changed record makes its collection differ', () => {
  const one = { records: 1, digest: 'a' };
  expect(differences({ devices: one, alerts: one }, { devices: one, alerts: one })).toEqual([]);
  expect(differences({ devices: one }, { devices: { records: 1, digest: 'b' }, alerts: one })).toEqual([
    'alerts',
    'devices',
  ]);
  expect(differences({ devices: one }, {})).toEqual(['devices']);
});
