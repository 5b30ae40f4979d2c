/*
 * The rule for all text that enters at any edge: well-formed Unicode without characters that are invisible or that change the displayed
 * order of others. A text may have line breaks and tabs, a line may not. People are refused other texts. Those of devices are made visible, because
 * whoever chooses a text on a device must not thereby hide what happens to it.
 */

/**
 * Control characters of C0 and C1 except tab and line breaks; soft hyphen; direction marks, embeddings, overrides and
 * isolates; line separators; characters without width; marks of annotations; tags.
 */
const unseen =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';

/** Patterns for schemas: one line, and text with line breaks. */
export const linePattern = `^[^\\t\\n\\r${unseen}]*$`;
export const textPattern = `^[^${unseen}]*$`;

const unwanted = new RegExp(`[${unseen}]|${joinerAstray()}`, 'u');
const unwantedAnywhere = new RegExp(unwanted, 'gu');
const unwantedOrBreak = new RegExp(`[\\t\\n\\r${unseen}]|${joinerAstray()}`, 'gu');

/**
 * Joiners are needed after a letter of a joining script, a mark or an emoji. After any other character they only make two different names
 * look the same.
 */
function joinerAstray(): string {
  return '(?<![\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{scx=Arabic}\\p{scx=Syriac}\\p{scx=Mongolian}\\p{scx=Nko}])[\\u200c\\u200d]';
}

/** JSON text without these characters (non-ASCII and escapes) can contain only allowed texts, so it needs no check. */
const suspect = /[\\\u007f-\uffff]/;

type TextFault = { pointer: string; detail: string };

/** The fault of a text. Null: the text is allowed. */
function faultOf(text: string): string | null {
  if (!text.isWellFormed()) return 'is not well-formed Unicode';
  const found = unwanted.exec(text);
  return found && `holds ${codeOf(found[0])}, which cannot be seen`;
}

/**
 * Checks every text and member name in a value. Does not recurse, so deeply nested values are safe.
 * @param json the JSON text of the value, if known: most values then need no walk
 */
export function faultOfTexts(value: unknown, json: string | null): TextFault | null {
  if (json !== null && !suspect.test(json)) return null;
  const open: [value: unknown, path: string[]][] = [[value, []]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [each, path] = next;
    const fault = faultAt(each, path);
    if (fault) return fault;
    if (typeof each !== 'object' || each === null) continue;
    for (const [name, member] of Object.entries(each)) open.push([member, [...path, name]]);
  }
  return null;
}

/** The fault of a text, or of the names of an object, but not of its members. */
function faultAt(value: unknown, path: readonly string[]): TextFault | null {
  if (typeof value === 'string') {
    const detail = faultOf(value);
    return detail === null ? null : { pointer: pointerOf(path), detail };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  for (const name of Object.keys(value)) {
    const detail = faultOf(name);
    if (detail !== null) return { pointer: pointerOf([...path, name]), detail: `is a name that ${detail}` };
  }
  return null;
}

/** A text from anybody with all characters made visible: an invisible one is written as its code, `<U+202E>`. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(unwantedAnywhere, markOf);
}

/** The same on one line: a tab becomes a blank, and a line break its code. */
export function visible(text: string): string {
  return text.toWellFormed().replace(unwantedOrBreak, (found) => (found === '\t' ? ' ' : markOf(found)));
}

/** At most this many faults of texts are returned for one value. */
const maxFaults = 50;

/**
 * A value with all texts and member names made visible, and the fault of each text that had to be changed. Recursive: the value may nest as deep as
 * `parseJson` allows.
 * @param json the JSON text of the value, if known: most values then need no walk
 */
export function withVisibleTexts(value: unknown, json: string | null): { value: unknown; faults: TextFault[] } {
  if (json !== null && !suspect.test(json)) return { value, faults: [] };
  const faults: TextFault[] = [];
  const textAt = (text: string, path: readonly string[], what = '') => {
    const detail = faultOf(text);
    if (detail === null) return text;
    if (faults.length < maxFaults) faults.push({ pointer: pointerOf(path), detail: `${what}${detail}` });
    return visibleText(text);
  };
  const walk = (each: unknown, path: readonly string[]): unknown => {
    if (typeof each === 'string') return textAt(each, path);
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map((member, index) => walk(member, [...path, `${index}`]));
    const members = Object.entries(each).map(([name, member]) => {
      const here = [...path, name];
      return [textAt(name, here, 'is a name that '), walk(member, here)];
    });
    return Object.fromEntries(members);
  };
  return { value: walk(value, []), faults };
}

function markOf(character: string): string {
  return `<${codeOf(character)}>`;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** JSON Pointer (RFC 6901) of a path of names, shortened and made well-formed, so that it can be shown to anybody. */
export function pointerOf(path: readonly string[]): string {
  const whole = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return visibleText(whole.slice(0, 200));
}
