import { expect, test } from 'vitest';
import { noteKeyOf, openNote, readCheckpoint, signedNote, verifierKey } from '../../../../shared/domain/ledger/note.ts';

const key = noteKeyOf('example.com/ledger', Buffer.alloc(32, 1));
const other = noteKeyOf('example.com/ledger', Buffer.alloc(32, 2));
const checkpoint = { origin: 'example.com/ledger', size: 3, root: Buffer.alloc(32, 5), at: '2026-11-20T10:00:00.000Z' };

test('a checkpoint is a signed note: origin, size, root, a line of ours, and a signature of each key', () => {
  const lines = signedNote(checkpoint, [key, other]).split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'example.com/ledger',
    '3',
    Buffer.alloc(32, 5).toString('base64'),
    'time 2026-11-20T10:00:00.000Z',
    '',
  ]);
  expect(lines[5]).toMatch(/^— example\.com\/ledger [A-Za-z0-9+/=]+$/);
  expect(Buffer.from(lines[5]?.split(' ')[2] ?? '', 'base64')).toHaveLength(68);
  expect(lines).toHaveLength(8);
  expect(verifierKey(key)).toMatch(/^example\.com\/ledger\+[0-9a-f]{8}\+AYqI/);
});

test('whoever knows one of the keys can open it, and nobody else', () => {
  const note = signedNote(checkpoint, [key, other]);
  expect(openNote(note, [other])).toEqual(checkpoint);
  expect(() => openNote(note, [noteKeyOf('example.com/ledger', Buffer.alloc(32, 3))])).toThrow('not signed by any');
  expect(() => openNote(note.replace('\n3\n', '\n4\n'), [key])).toThrow('not signed by any');
  expect(() => openNote('', [key])).toThrow('not signed by any');
});

test('the key of a note is that of RFC 8032 and the hash that of signed-note', () => {
  // RFC 8032, section 7.1, test 1.
  const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
  const { publicKey } = noteKeyOf('x', seed);
  expect(publicKey.toString('hex')).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
});

test('a signature counts only with the name and the id of its key', () => {
  const note = signedNote(checkpoint, [key]);
  const [text = '', line = ''] = note.split('\n\n');
  const bytes = Buffer.from(line.trim().split(' ')[2] ?? '', 'base64');
  const withId = (id: Buffer) =>
    `${text}\n\n— ${key.name} ${Buffer.concat([id, bytes.subarray(4)]).toString('base64')}\n`;
  expect(openNote(withId(bytes.subarray(0, 4)), [key])).toEqual(checkpoint);
  expect(() => openNote(withId(Buffer.alloc(4)), [key])).toThrow('not signed by any');
  expect(() => openNote(note.replace('— example', '— xample'), [key])).toThrow('not signed by any');
  expect(() => openNote(note.replace('\n\n', '\n'), [key])).toThrow('not signed by any');
  expect(() => openNote(note, [])).toThrow('not signed by any');
  expect(openNote(`${note}— somebody c29tZXRoaW5n\n`, [key])).toEqual(checkpoint);
});

test.each([
  ['a size of zero', '0', 0],
  ['a large size', '9007199254740991', 9_007_199_254_740_991],
])('%s can be read', (_, size, wanted) => {
  expect(readCheckpoint(`x\n${size}\n\ntime y\n`)).toMatchObject({ size: wanted, at: 'y' });
});

test.each([
  'x\n-1\n\ntime y\n',
  'x\n01\n\ntime y\n',
  'x\n\n\ntime y\n',
  'x\n12345678901234567\n\ntime y\n',
  'x\n1\n\ny\n',
  'x\n1',
  '',
])('what is no checkpoint is refused: %j', (note) => {
  expect(() => readCheckpoint(note)).toThrow('cannot be read');
});
