import { expect, test } from 'vitest';
import { faultsOfHeaders, hidesValue } from '../../../../shared/domain/delivery/webhook-headers.ts';

test.each([
  'Host',
  'CONNECTION',
  'Content-Type',
  'content-length',
  'Transfer-Encoding',
  'Webhook-Id',
  'X-Service-Signature',
  'X-CloudTasks-TaskName',
  'x-goog-iam',
  'User-Agent',
  'Proxy-Authorization',
])('%s may not be set', (name) => {
  expect(faultsOfHeaders({ [name]: 'a' })).toEqual([
    { pointer: `/headers/${name}`, detail: 'is not a header that can be set' },
  ]);
});

test.each(['Authorization', 'X-Api-Key', 'X-Webhook-Id', 'X-Content-Kind', 'Accept'])('%s may be set', (name) => {
  expect(faultsOfHeaders({ [name]: 'a' })).toEqual([]);
});

test('a name that is no member of an object like others is refused all the same', () => {
  expect(faultsOfHeaders(JSON.parse('{"__proto__":"a"}'))).toHaveLength(1);
});

test('a name that stands twice but for its case is refused once, and pointed at as JSON Pointer writes it', () => {
  expect(faultsOfHeaders({ 'x~a': '1', 'X~A': '2' })).toEqual([{ pointer: '/headers/X~0A', detail: 'appears twice' }]);
});

test.each([
  ['Authorization', true],
  ['X-API-KEY', true],
  ['Cookie', true],
  ['X-Auth-User', true],
  ['My-Password', true],
  ['x-session', true],
  ['X-Signature', true],
  ['X-Team', false],
  ['Accept', false],
])('the value of %s is hidden: %s', (name, isHidden) => {
  expect(hidesValue(name)).toBe(isHidden);
});
