import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Reads the members of one object of the configuration file. Each fault is collected under the member's dotted name. */
export type Reader = {
  raw: (name: string) => unknown;
  names: () => string[];
  fault: (name: string, problem: string) => void;
  object: (name: string) => Reader;
  /** A required text that matches the pattern. After a fault: the empty text. */
  text: (name: string, pattern: RegExp) => string;
  optionalText: (name: string, pattern: RegExp) => string | null;
  whole: (name: string, min: number, max: number, fallback: number) => number;
  url: (name: string, protocols: readonly string[]) => URL;
  /**
   * Content of the file that an optional member names. Null: the member is missing, or the file has a fault. `check`
   * throws an Error if the content is invalid.
   */
  fileContent: (name: string, check: (content: string) => unknown) => string | null;
};

/** @param at dotted name of the object, empty for the file itself */
export function readMembers(value: unknown, at: string, folder: string, faults: string[]): Reader {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const source: Record<string, unknown> = isObject ? (value as Record<string, unknown>) : {};
  const nameOf = (name: string) => (at === '' ? name : `${at}.${name}`);
  const fault = (name: string, problem: string) => {
    faults.push(`${nameOf(name)} ${problem}`);
  };
  if (!isObject) faults.push(`${at || 'the file'} must be an object`);

  const text = (name: string, pattern: RegExp): string => {
    const member = source[name];
    if (member === undefined || member === null) fault(name, 'is missing');
    else if (typeof member !== 'string') fault(name, 'must be text');
    else if (!pattern.test(member)) fault(name, `does not fit: ${JSON.stringify(member.slice(0, 80))}`);
    else return member;
    return '';
  };
  const optionalText = (name: string, pattern: RegExp) =>
    source[name] === undefined || source[name] === null ? null : text(name, pattern);

  return {
    raw: (name) => source[name],
    names: () => Object.keys(source),
    fault,
    object: (name) => readMembers(source[name], nameOf(name), folder, faults),
    text,
    optionalText,
    whole(name, min, max, fallback) {
      const member = source[name] ?? fallback;
      if (Number.isInteger(member) && Number(member) >= min && Number(member) <= max) return Number(member);
      fault(name, `must be a whole number from ${min} to ${max}`);
      return fallback;
    },
    url(name, protocols) {
      const address = text(name, /./);
      const url = URL.canParse(address) ? new URL(address) : null;
      if (url && protocols.includes(url.protocol) && url.hostname !== '' && url.username === '' && url.password === '')
        return url;
      if (address !== '')
        fault(name, `must be an address that begins with ${protocols.join('// or ')}//, without user and password`);
      return new URL('http://invalid');
    },
    fileContent(name, check) {
      const path = optionalText(name, /./);
      if (path === null) return null;
      try {
        const content = readFileSync(resolve(folder, path), 'utf8');
        check(content);
        return content;
      } catch (error) {
        fault(name, `cannot be used: ${(error as Error).message}`);
        return null;
      }
    },
  };
}

/** An unknown member is probably a spelling mistake, which would otherwise have no effect without a warning. */
export function faultsOfMembers(reader: Reader, known: readonly string[]): void {
  for (const name of reader.names()) {
    if (!known.includes(name)) reader.fault(name, `is not known here; known are ${known.join(', ')}`);
  }
}
