import type { Fault } from '../errors.ts';
import { pointerOf } from './text.ts';

/** A document that came in, or why it is none; `syntax`: what the parser says, null where it is JSON that may not come in. */
export type ParsedJson = { value: unknown; text: string } | { fault: Fault; syntax: string | null };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
/** A lone surrogate cannot stand in UTF-8; JSON can only write it as an escape. */
const escapedHalf = /\\u[dD][89a-fA-F]/;
/** Nothing of ours nests a tenth as deep; what does would exhaust the stack of whoever walks it. */
const maxDepth = 64;

/**
 * Reads JSON as it comes in at any edge: UTF-8, bounded in depth, each member once, since readers differ in which of two they take, and every
 * text and name in it well-formed Unicode, as no store and few readers take another. Never throws.
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

function faultOf(text: string, value: unknown): Fault | null {
  const members = membersOf(value, maxDepth);
  if (members === null) return { pointer: '', detail: `nests deeper than ${maxDepth} levels` };
  // Of two members of one name the parser keeps one, with all that is in it.
  const repeated = members === namesIn(text) ? null : repeatedAt(text);
  if (repeated !== null) return { pointer: repeated, detail: 'is there twice' };
  const pointer = escapedHalf.test(text) ? illFormedAt(value) : null;
  return pointer === null ? null : { pointer, detail: 'is not well-formed Unicode' };
}

/** How many members the objects of a value have; null: it nests too deep. */
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
 * How many names of members a text of JSON has: its strings that a colon follows. Null where one has an escape: V8 may take it for another
 * (`docs/gotchas.md`), so that its objects do not tell.
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

/** Where the string ends whose opening quote is at `start`. */
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

/** JSON Pointer to the first member whose name its object has had before; null: there is none. The text is known to be JSON. */
function repeatedAt(text: string): string | null {
  const open: { names: Set<string> | null; here: string | number }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const inner = open.at(-1);
    const char = text[at];
    if (char === '{') open.push({ names: new Set(), here: '' });
    else if (char === '[') open.push({ names: null, here: 0 });
    else if (char === '}' || char === ']') open.pop();
    else if (char === ',' && typeof inner?.here === 'number') inner.here += 1;
    if (char !== '"') continue;
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

/** JSON Pointer to a text or name that is not well-formed Unicode; null: there is none. Walks without recursion, however deep the value nests. */
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
