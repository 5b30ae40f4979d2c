import { expect, test } from 'vitest';
import { readConfig } from '../../shared/config.ts';
import { issuersOf } from '../support/world/issuer.ts';

const entry = { name: 'people', issuer: 'https://id.example', audience: 'watchpost', signIn: true };
const machines = { name: 'machines', issuer: 'https://id.example/machines', audience: 'watchpost' };
const read = (value: unknown) =>
  readConfig({ AUTH_ISSUERS: typeof value === 'string' ? value : JSON.stringify(value) }, ['authIssuers']).authIssuers;

test('an issuer needs a name, its `iss` and an audience; the rest has defaults', () => {
  expect(
    read([entry, { ...machines, roles: true, groupsClaim: 'fleet', allGroups: 'all', scopeClaim: 'permissions' }]),
  ).toEqual([
    { ...entry, keysUrl: null, scopeClaim: null, groupsClaim: 'groups', allGroups: '*', roles: false },
    {
      ...{ ...machines, keysUrl: null, scopeClaim: 'permissions', groupsClaim: 'fleet', allGroups: 'all' },
      ...{ roles: true, signIn: false },
    },
  ]);
  expect(issuersOf({ issuer: 'https://a.example' })[0]?.signIn).toBe(true);
});

test.each([
  ['', 'is required'],
  ['{', 'must be JSON'],
  [{}, 'must be a JSON list of 1 to 4 issuers'],
  [[], 'must be a JSON list of 1 to 4 issuers'],
  [Array.from({ length: 5 }, () => entry), 'must be a JSON list of 1 to 4 issuers'],
  [['https://id.example'], '/0 must be an object'],
  [[{ ...entry, clientId: 'x' }], '/0 must have no members but name, issuer'],
  [[{ ...entry, name: undefined }], '/0/name must be a text'],
  [[{ ...entry, name: 'user' }], '/0/name must be small letters, digits and hyphens, and not user, system, device'],
  [[entry, { ...machines, name: 'System' }], '/1/name must be small letters'],
  [[entry, { ...machines, name: 'device' }], '/1/name must be small letters'],
  [[{ ...entry, issuer: 'id.example' }], '/0/issuer must be an address'],
  [[{ ...entry, keysUrl: 'file:///etc/passwd' }], '/0/keysUrl must be an address'],
  [[{ ...entry, audience: ' ' }], '/0/audience must be a text'],
  [[{ ...entry, groupsClaim: 7 }], '/0/groupsClaim must be a text'],
  [[{ ...entry, roles: 'true' }], '/0/roles must be true or false'],
  [[entry, { ...machines, issuer: entry.issuer }], '/1/issuer is the same as that of another issuer'],
  [[entry, { ...machines, name: entry.name }], '/1/name is the same as that of another issuer'],
  [[{ ...entry, signIn: false }], 'must have `signIn: true` in exactly one issuer'],
  [[entry, { ...machines, signIn: true }], 'must have `signIn: true` in exactly one issuer'],
])('%j is refused: AUTH_ISSUERS %s', (value, refusal) => {
  expect(() => read(value)).toThrow(`AUTH_ISSUERS ${refusal}`);
  expect(() => read(value)).not.toThrow(/clientId|passwd/);
});
