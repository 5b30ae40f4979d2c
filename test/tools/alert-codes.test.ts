import { expect, test } from 'vitest';
import { conditions } from '../../shared/domain/alert/conditions.ts';
import { alertCodes } from '../../shared/schema/vocabulary.ts';
import { codesGiven, faultsOf } from '../../tools/alert-codes.ts';

const informational = new Set(['CONN_004', 'RES_004', 'CFG_004']);

test('every code is opened, and every measure is read', () => {
  expect(faultsOf(alertCodes, conditions, informational)).toEqual([]);
});

test('a code is named that no condition opens, though it stands elsewhere', () => {
  const others = conditions.filter(({ code }) => code !== 'RES_003');
  expect(faultsOf(alertCodes, others, new Set([...informational, 'RES_003']))).toEqual([
    'RES_003: no condition in shared/domain/alert/conditions.ts opens it',
    'the measure storage: no condition in shared/domain/alert/conditions.ts reads it',
  ]);
});

test('an informational code is named that no decision gives to an alert', () => {
  expect(faultsOf(alertCodes, conditions, new Set(['CONN_004', 'CFG_004']))).toEqual([
    'RES_004: no condition in shared/domain/alert/conditions.ts opens it',
  ]);
});

test.each([
  ['an alert', "found.push({ code: 'RES_004', message });", ['RES_004']],
  ['a constant', "const updated = { code: 'CFG_004', message: 'x' } as const;", ['CFG_004']],
  ['a comment', "// { code: 'RES_004' }", []],
  ['a text', 'const text = "{ code: \'RES_004\' }";', []],
  ['a comparison', "if (seed.code === 'RES_004') open();", []],
  ['a type', "type Seed = { code: 'RES_004' };", []],
])('%s gives the codes that it opens', (_, source, codes) => {
  expect(codesGiven('shared/domain/x.ts', source)).toEqual(codes);
});
