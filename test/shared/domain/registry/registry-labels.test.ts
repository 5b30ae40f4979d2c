import { expect, test } from 'vitest';
import { beginningLabel, hasWord, labelsOf, wordsOf } from '../../../../shared/domain/registry/registry.ts';

const camera = {
  deviceId: 'gbg-12',
  name: 'Norra entrén 2',
  site: 'Gbg-Central',
  parents: [{ kind: 'switch', id: 'sw-1' }],
  tags: { floor: '2' },
};
const labels = labelsOf(camera);

test.each(['g', 'gbg-1', '12', 'NORRA', 'entre\u0301n', '2', 'gbg-cent', 'central'])('is found by %s', (text) => {
  const [word = ''] = wordsOf(text);
  expect(labels).toContain(beginningLabel(word));
  expect(hasWord(camera, word)).toBe(true);
});

test.each(['bg', 'ntrén', '22', 'sw-1', 'floor', 'norra entrén'])('is not found by %s as one word', (word) => {
  expect(labels).not.toContain(beginningLabel(word));
  expect(hasWord(camera, word)).toBe(false);
});

test('a parent and a tag are labels of their own, whatever the words are', () => {
  expect(labels.filter((label) => !label.startsWith('word '))).toEqual(['parent switch:sw-1', 'tag floor:2']);
});

test('a long word is labelled by its beginning and told apart by its end; letters beyond the basic plane stay whole', () => {
  const long = { ...camera, deviceId: `a${'b'.repeat(40)}`, name: '𝒜'.repeat(20), site: null, parents: [], tags: {} };
  const found = labelsOf(long);
  expect(found).toHaveLength(32);
  expect(found.every((label) => label.isWellFormed())).toBe(true);
  expect(found).toContain(beginningLabel(`a${'b'.repeat(40)}`));
  expect(hasWord(long, `a${'b'.repeat(39)}c`)).toBe(false);
});
