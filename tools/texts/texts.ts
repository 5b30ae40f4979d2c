import { parseSync, Visitor } from 'oxc-parser';

/** Attributes of elements and properties of components whose values people read or hear. */
const read = new Set([
  'label',
  'title',
  'placeholder',
  'hint',
  'alt',
  'aria-label',
  'legend',
  'action',
  'text',
  'name',
  'what',
]);

/** The texts of one file of the console that people read, in their order. Inserted values are shown as `…`. */
export function textsOf(file: string, source: string): string[] {
  const found: { at: number; text: string }[] = [];
  const add = (at: number, text: string) => {
    const plain = text.replaceAll(/\s+/g, ' ').trim();
    if (/\p{L}/u.test(plain)) found.push({ at, text: plain });
  };
  const { program } = parseSync(file, source);
  const attributes = new Set<number>();
  new Visitor({
    JSXText: ({ start, value }) => add(start, value),
    JSXAttribute: ({ name, value }) => {
      if (value?.type !== 'Literal' || typeof value.value !== 'string') return;
      attributes.add(value.start);
      if (name.type === 'JSXIdentifier' && read.has(name.name)) add(value.start, value.value);
    },
    Literal: ({ start, value }) => {
      if (typeof value === 'string' && isWords(value) && !attributes.has(start)) add(start, value);
    },
    TemplateLiteral: ({ start, quasis }) => {
      const text = quasis.map(({ value }) => value.cooked ?? '').join('…');
      if (isWords(text)) add(start, text);
    },
  }).visit(program);
  return found.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
}

/** A sentence, or a word with a capital letter: not a class, a path or the name of a member. */
function isWords(text: string): boolean {
  if (/^[/#.]|[{};]|^\.\.?\/|https?:\/\/|application\//.test(text)) return false;
  return /^\p{Lu}\p{Ll}/u.test(text) || /\p{L}{2,} \p{L}+ \p{L}/u.test(text);
}
