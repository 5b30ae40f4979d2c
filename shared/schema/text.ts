/*
 * The one rule for text that enters at any edge: well-formed Unicode without characters that nobody sees or that show the others in another
 * order. A text may have line breaks and tabs, a line may not.
 */

/** Controls of C0 and C1 but tab and line breaks; soft hyphen; marks, embeddings, overrides and isolates of direction; separators of lines; what has no width; tags. */
const unseen =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';

/** Patterns for schemas: of one line, and of text with breaks. */
export const linePattern = `^[^\\t\\n\\r${unseen}]*$`;
export const textPattern = `^[^${unseen}]*$`;

const unwanted = new RegExp(`[${unseen}]|${joinerAstray()}`, 'u');
const unwantedOrBreak = new RegExp(`[\\t\\n\\r${unseen}]|${joinerAstray()}`, 'gu');

/** Joiners belong behind a letter of a script that joins, a mark or an emoji; behind any other they only make two names out of one. */
function joinerAstray(): string {
  return '(?<![\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{scx=Arabic}\\p{scx=Syriac}\\p{scx=Mongolian}\\p{scx=Nko}])[\\u200c\\u200d]';
}

/** What JSON text of such texts only cannot have: letters beyond ASCII, and escapes. */
const telling = /[\\\u007f-\uffff]/;

type Found = { pointer: string; detail: string };

/** What is wrong with a text; null: nothing. */
function faultOf(text: string): string | null {
  if (!text.isWellFormed()) return 'is not well-formed Unicode';
  const found = unwanted.exec(text);
  return found && `holds ${codeOf(found[0])}, which cannot be seen`;
}

/**
 * Holds every text and name in a value against the rule. Walks without recursion, however deep it nests.
 * @param json the JSON text that the value was read from, where there is one: most needs no walk
 * @param free names of members whose value may be any well-formed text
 */
export function faultOfTexts(value: unknown, json: string | null, free: readonly string[] = []): Found | null {
  if (json !== null && !telling.test(json)) return null;
  const open: [value: unknown, path: string[], isFree: boolean][] = [[value, [], false]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [each, path, isFree] = next;
    if (typeof each === 'string') {
      const detail = isFree ? (each.isWellFormed() ? null : 'is not well-formed Unicode') : faultOf(each);
      if (detail !== null) return { pointer: pointerOf(path), detail };
    }
    if (typeof each !== 'object' || each === null) continue;
    const isList = Array.isArray(each);
    for (const [name, member] of Object.entries(each)) {
      const here = [...path, name];
      const detail = isList || isFree ? null : faultOf(name);
      if (detail !== null) return { pointer: pointerOf(here), detail: `is a name that ${detail}` };
      open.push([member, here, isFree || (!isList && free.includes(name))]);
    }
  }
  return null;
}

/** A text of anybody's in which everything can be seen: what cannot is written as its code. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(new RegExp(unwanted, 'gu'), codeOf);
}

/** The same as one line. */
export function visible(text: string): string {
  return text.toWellFormed().replace(unwantedOrBreak, (found) => (found === '\t' ? ' ' : codeOf(found)));
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** JSON Pointer (RFC 6901) of a path of names, short and well-formed enough to be told to anybody. */
export function pointerOf(path: readonly string[]): string {
  const whole = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return whole.slice(0, 200).toWellFormed();
}
