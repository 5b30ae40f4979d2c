import type { Fault } from '../errors.ts';
import { pointerOf } from './text.ts';

/** A parsed document, or why it was refused. `syntax`: the parser's message; null where it is valid JSON that is not allowed here. */
export type ParsedJson = { value: unknown; text: string } | { fault: Fault; syntax: string | null };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
/** A lone surrogate cannot be written in UTF-8, so JSON can contain it only as an escape. */
const escapedHalf = /\\u[dD][89a-fA-F]/;
/**
 * Our own documents have less than a tenth of these levels. Many more could exhaust the stack of code that walks them.
 */
const maxDepth = 64;

/**
 * Reads JSON at any edge: UTF-8, limited depth, no member twice (because readers differ in which one they take), and well-formed Unicode in
 * every text and name, because stores and most readers refuse anything else. Never throws.
 */
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
  const fault = faultOf(text, value);
  return fault ? { fault, syntax: null } : { value, text };
}

/**
 * Reads JSON that `parseJson` refuses, as far as its meaning is clear: bytes that are not UTF-8, control characters that are not escaped, a member
 * twice (the last one counts) and values that nest too deep (omitted). Null: it is not JSON even so. Never throws.
 */
export function parseDoubtfulJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  for (const given of [text, withControlsEscaped(text)]) {
    try {
      return pruned(JSON.parse(given), maxDepth);
    } catch {}
  }
  return null;
}

const omitted = '…';

function pruned(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return omitted;
  if (Array.isArray(value)) return value.map((member) => pruned(member, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, pruned(member, levels - 1)]));
}

/** The text with each control character inside a string written as an escape. */
function withControlsEscaped(text: string): string {
  let escaped = '';
  let end = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', end)) {
    escaped += text.slice(end, at);
    end = endOfString(text, at) || text.length;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that JSON forbids in a string
    escaped += text.slice(at, end).replace(/[\u0000-\u001f]/g, (found) => JSON.stringify(found).slice(1, -1));
  }
  return escaped + text.slice(end);
}

function faultOf(text: string, value: unknown): Fault | null {
  const members = membersOf(value, maxDepth);
  if (members === null) return { pointer: '', detail: `nests deeper than ${maxDepth} levels` };
  // Of two members with the same name the parser keeps only one, so the parsed value does not show the other.
  const repeated = members === namesIn(text) ? null : repeatedAt(text);
  if (repeated !== null) return { pointer: repeated, detail: 'appears twice' };
  const pointer = escapedHalf.test(text) ? illFormedAt(value) : null;
  return pointer === null ? null : { pointer, detail: 'is not well-formed Unicode' };
}

/** The number of members in the objects of a value. Null: it nests too deep. */
function membersOf(value: unknown, levels: number): number | null {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return null;
  const each = Object.values(value);
  let sum = Array.isArray(value) ? 0 : each.length;
  for (const member of each) {
    const below = membersOf(member, levels - 1);
    if (below === null) return null;
    sum += below;
  }
  return sum;
}

/**
 * The number of member names in a JSON text: strings that are followed by a colon. Null where a name contains an
 * escape: V8 may then read a different name (`docs/gotchas.md`), so that the number of parsed members proves nothing.
 */
function namesIn(text: string): number | null {
  let names = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = endOfString(text, at);
    if (isBeforeColon(text, end)) {
      if (text.slice(at, end).includes('\\')) return null;
      names += 1;
    }
    at = text.indexOf('"', end);
  }
  return names;
}

/** The end of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text[at] === ':';
}

/** JSON Pointer to the first member whose name its object has already. Null: there is none. The text must be valid JSON. */
function repeatedAt(text: string): string | null {
  const open: JsonLevel[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const inner = open.at(-1);
    if (text[at] !== '"') {
      readSign(open, text[at]);
      continue;
    }
    const end = endOfString(text, at);
    if (inner?.names && isBeforeColon(text, end)) {
      inner.here = JSON.parse(text.slice(at, end)) as string;
      if (inner.names.has(inner.here)) return pointerOf(open.map(({ here }) => String(here)));
      inner.names.add(inner.here);
    }
    at = end - 1;
  }
  return null;
}

/** An object or a list that is not closed yet: the names of an object, and the present member. */
type JsonLevel = { names: Set<string> | null; here: string | number };

/** Follows a sign outside of strings. */
function readSign(open: JsonLevel[], sign: string | undefined): void {
  if (sign === '{') open.push({ names: new Set(), here: '' });
  else if (sign === '[') open.push({ names: null, here: 0 });
  else if (sign === '}' || sign === ']') open.pop();
  else if (sign === ',') {
    const inner = open.at(-1);
    if (typeof inner?.here === 'number') inner.here += 1;
  }
}

/**
 * JSON Pointer to a text or name that is not well-formed Unicode. Null: there is none. Walks without recursion, however deep the value
 * nests.
 */
function illFormedAt(value: unknown): string | null {
  const open: [value: unknown, path: string[]][] = [[value, []]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [each, path] = next;
    if (typeof each === 'string' && !each.isWellFormed()) return pointerOf(path);
    if (typeof each !== 'object' || each === null) continue;
    for (const [name, member] of Object.entries(each)) {
      const here = [...path, name];
      if (!name.isWellFormed()) return pointerOf(here);
      open.push([member, here]);
    }
  }
  return null;
}
