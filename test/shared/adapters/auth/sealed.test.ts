import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { createSecretBox } from '../../../../shared/adapters/auth/secret-box.ts';
import { createCanarySeal } from '../../../../shared/adapters/sight/canary-seal.ts';

const key = (byte: number) => Buffer.alloc(32, byte);
/** The token with the character at `at` changed. */
const changed = (sealed: string, at: number) =>
  `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;

test('a page token is valid only for its own list, and only unchanged', () => {
  const tokens = createPageTokens(key(1));
  const token = tokens.seal('alerts', ['a', 7]);
  expect(tokens.open('alerts', token)).toEqual(['a', 7]);
  const [body = '', signature = ''] = token.split('.');
  expect(Buffer.from(signature, 'base64url')).toHaveLength(16);
  const wrong = [
    ...[`${token}.`, `${token}.x`, body, `${body}.`, `.${signature}`, ''],
    ...[changed(token, 0), changed(token, body.length + 1)],
    `${body}.${Buffer.from(signature, 'base64url').subarray(0, 15).toString('base64url')}`,
    `${body}.${Buffer.concat([Buffer.from(signature, 'base64url'), Buffer.of(0)]).toString('base64url')}`,
  ];
  for (const each of wrong)
    expect(() => tokens.open('alerts', each), each).toThrow(expect.objectContaining({ code: 'invalid-request' }));
  expect(() => tokens.open('devices', token)).toThrow('does not belong to this list');
  expect(() => createPageTokens(key(2)).open('alerts', token)).toThrow('does not belong to this list');
});

test('a canary is valid only with the complete signature of its text', () => {
  const seal = createCanarySeal(key(1));
  const signature = seal.sign('canary 1');
  expect(seal.verify('canary 1', signature)).toBe(true);
  expect(seal.verify('canary 2', signature)).toBe(false);
  expect(seal.verify('canary 1', createCanarySeal(key(2)).sign('canary 1'))).toBe(false);
  for (const other of ['', signature.slice(0, -3), `${signature}AAAA`])
    expect(seal.verify('canary 1', other)).toBe(false);
});

test('keys of page tokens and canaries are rotated by way of a list: the first signs, all verify', () => {
  type Keys = [Buffer, ...Buffer[]];
  const before: Keys = [key(1)];
  const between: Keys = [key(1), key(2)];
  const after: Keys = [key(2), key(1)];
  const tokens = createPageTokens(...before);
  const canaries = createCanarySeal(...before);
  for (const keys of [between, after]) {
    expect(createPageTokens(...keys).open('alerts', tokens.seal('alerts', [7]))).toEqual([7]);
    expect(createCanarySeal(...keys).verify('canary 1', canaries.sign('canary 1'))).toBe(true);
    // An instance with the list of one step and one with that of the next understand each other.
    expect(createCanarySeal(...between).verify('canary 2', createCanarySeal(...keys).sign('canary 2'))).toBe(true);
  }
  expect(createCanarySeal(key(2)).verify('canary 3', createCanarySeal(...after).sign('canary 3'))).toBe(true);
  expect(createCanarySeal(key(1)).verify('canary 3', createCanarySeal(...after).sign('canary 3'))).toBe(false);
});

test('an encrypted secret can be opened only for its owner, with any known key', () => {
  const old = createSecretBox([{ id: 'k1', key: key(1) }]);
  const both = createSecretBox([
    { id: 'k2', key: key(2) },
    { id: 'k1', key: key(1) },
  ]);
  const sealed = old.seal('s3cret ü', 'webhooks/1');
  expect(sealed).toMatch(/^v1\.k1\.[\w-]+$/);
  expect(both.open(sealed, 'webhooks/1')).toBe('s3cret ü');
  expect(both.seal('s3cret', 'webhooks/1')).toMatch(/^v1\.k2\./);
  expect(() => old.open(both.seal('s3cret', 'webhooks/1'), 'webhooks/1')).toThrow('no data key k2');
  expect(() => both.open(sealed, 'webhooks/2')).toThrow();
  expect(() => both.open(sealed.replace('v1.', 'v2.'), 'webhooks/1')).toThrow('no data key k1');
  expect(() => both.open(sealed.replace('.k1.', '.k2.'), 'webhooks/1')).toThrow();
  for (const at of [6, sealed.length - 3]) expect(() => both.open(changed(sealed, at), 'webhooks/1')).toThrow();
  expect(() => both.open('v1.k1', 'webhooks/1')).toThrow();
  expect(() => createSecretBox([])).toThrow('at least one key');
});

test('encryption uses a new nonce of 12 bytes and a tag of 16 bytes each time', () => {
  const box = createSecretBox([{ id: 'k', key: key(1) }]);
  const [one = '', two = ''] = [box.seal('abc', 'x'), box.seal('abc', 'x')];
  expect(Buffer.from(one.split('.')[2] ?? '', 'base64url')).toHaveLength(12 + 3 + 16);
  expect(one).not.toBe(two);
});
