import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../../shared/schema/json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

test.each<[string, string]>([
  ['{"a":1,"a":2}', '/a'],
  ['{"a":1,"a":1}', '/a'],
  ['{"a":1, "b":2 , "\\u0061" : 3}', '/a'],
  ['[{"x":{"a/b":1,"~":2,"a/b":{}}}]', '/0/x/a~1b'],
  ['[0,[1,2,{"k":[],"k":[]}]]', '/1/2/k'],
  ['{"a":{"b":1,"c":{"d":1}},"a":0}', '/a'],
  ['{"__proto__":1,"__proto__":2}', '/__proto__'],
  ['{"":1,"":2}', '/'],
  ['{"a\\"":1,"a\\"":2}', '/a"'],
  ['{"a":"\\\\","a":"\\\\\\""}', '/a'],
  ['{"a\\n":1,"a\\n":2}', '/a\n'],
])('a member that is there twice is named: %s', (text, pointer) => {
  expect(parse(text)).toEqual({ fault: { pointer, detail: 'appears twice' }, syntax: null });
});

test.each([
  '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
  '["a",":"]',
  '["\\"",":",{"a":":"}]',
  '{"a:":"b:","b":"\\":","c":":"}',
  '{"a\\\\":1,"a":2}',
  '"a"',
  '[]',
  '0',
  '{"__proto__":{"a":1},"constructor":2,"toString":3}',
])('members of one name in different objects, and colons in texts, are no repetition: %s', (text) => {
  expect(parse(text)).toEqual({ value: JSON.parse(text), text });
});

test('whatever document is read as the parser has it, until one of its members is repeated', () => {
  const any = fc.oneof(
    fc.string({ maxLength: 4, unit: 'grapheme' }),
    fc.constantFrom('"', '\\', '\n', ':', '{', '__proto__'),
  );
  // No names that need escapes: how V8 parses them depends on what it has parsed before.
  const name = any.filter((each) => JSON.stringify(each) === `"${each}"`);
  const { document } = fc.letrec<{ document: unknown; object: [string, unknown][] }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(any, fc.integer(), fc.constantFrom(null, true)),
      fc.array(tie('document'), { maxLength: 3 }),
      tie('object').map((members) => Object.fromEntries(members)),
    ),
    object: fc.array(fc.tuple(name, tie('document')), { maxLength: 4 }),
  }));
  fc.assert(
    fc.property(document, document, any, fc.constantFrom(0, 1, 3), (one, other, repeated, indent) => {
      const text = JSON.stringify(one, null, indent);
      expect(parse(text)).toEqual({ value: JSON.parse(text), text });
      const [key, value] = [JSON.stringify(repeated), JSON.stringify(other)];
      const twice = `{"before":${text},${key} : ${value},"after":[{${key}:${text}, ${key}:1}]}`;
      // What cannot be seen is shown as its code in the pointer.
      if (repeated === 'before' || repeated === 'after' || /[\p{C}\p{Zl}\p{Zp}]/u.test(repeated)) return;
      const pointer = `/after/0/${repeated.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      expect(parse(twice)).toEqual({ fault: { pointer, detail: 'appears twice' }, syntax: null });
    }),
    { numRuns: 300 },
  );
});

test('a name that V8 takes for another one is seen twice all the same', () => {
  JSON.parse('{"role":1,"\\\\":2}');
  const parsed = parse('{"role":1,"\\n":2,"\\u000a":3}');
  expect(parsed).toEqual({ fault: { pointer: '/\n', detail: 'appears twice' }, syntax: null });
});

test('what nests deeper than 64 levels is refused, however deep', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`;
  expect(parse(nested(64))).toHaveProperty('value');
  for (const levels of [66, 200_000]) {
    const fault = { pointer: '', detail: 'nests deeper than 64 levels' };
    expect(parse(nested(levels))).toEqual({ fault, syntax: null });
  }
});

test('what would be slow to look through is not', () => {
  const started = performance.now();
  for (const text of [
    `"${'\\\\'.repeat(200_000)}"`,
    `["${'\\"'.repeat(200_000)}"]`,
    `[${'"",'.repeat(60_000)}""]`,
    `{"a":1,"a":"${'x'.repeat(400_000)}"}`,
    `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":${n}`).join()}}`,
  ]) {
    parse(text);
  }
  expect(performance.now() - started).toBeLessThan(5000);
});

test.each(['{"a":"\\ud800"}', '{"\\udfff":1}', '["\\ud83d"]'])('half a letter is refused: %s', (text) => {
  expect(parse(text)).toMatchObject({ fault: { detail: 'is not well-formed Unicode' }, syntax: null });
});
