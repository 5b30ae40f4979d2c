import type { Fault } from '../errors.ts';

/** A document that came in, or why it is none; `syntax`: what the parser says, null where it is JSON that may not come in. */
export type ParsedJson = { value: unknown; text: string } | { fault: Fault; syntax: string | null };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
/** A lone surrogate cannot stand in UTF-8; JSON can only write it as an escape. */
const escapedHalf = /\\u[dD][89a-fA-F]/;

/** Reads JSON as it comes in at any edge: UTF-8, every text and name in it well-formed Unicode, as no store and few readers take another. Never throws. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  let value: unknown;
  try {
    text = strictUtf8.decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    const syntax = error instanceof Error ? error.message : String(error);
    return { fault: { pointer: '', detail: 'is not JSON' }, syntax };
  }
  const pointer = escapedHalf.test(text) ? illFormedAt(value) : null;
  return pointer === null
    ? { value, text }
    : { fault: { pointer, detail: 'is not well-formed Unicode' }, syntax: null };
}

/** JSON Pointer to a text or name that is not well-formed Unicode; null: there is none. Walks without recursion, however deep the value nests. */
export function illFormedAt(value: unknown): string | null {
  const open: [value: unknown, pointer: string][] = [[value, '']];
  for (let next = open.pop(); next; next = open.pop()) {
    const [each, pointer] = next;
    if (typeof each === 'string' && !each.isWellFormed()) return pointer.slice(0, 200).toWellFormed();
    if (typeof each !== 'object' || each === null) continue;
    for (const [name, member] of Object.entries(each)) {
      const here = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!name.isWellFormed()) return here.slice(0, 200).toWellFormed();
      open.push([member, here]);
    }
  }
  return null;
}
