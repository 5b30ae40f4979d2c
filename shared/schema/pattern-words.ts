import { alertCatalogue } from './vocabulary.ts';

/**
 * What a person must write in place of each pattern, found by how the pattern begins. A regular expression is no answer to a person.
 * `test/shared/schema/pattern-words.test.ts` holds it against all patterns.
 */
const words: [beginning: string, words: string][] = [
  [`^(${Object.keys(alertCatalogue)[0]}|`, 'is no alert code'],
  [
    '^[A-Za-z0-9][A-Za-z0-9 ._-]',
    'must begin with a letter or digit, and contain only letters, digits, blanks and ._-',
  ],
  ['^[A-Za-z0-9][A-Za-z0-9._-]', 'must begin with a letter or digit, and contain only letters, digits and ._-'],
  ['^[Hh][Tt]', 'must begin with https://; for a machine without one use "watchpost listen"'],
  ['^https://', 'must begin with https://'],
  ['^https?://', 'must begin with https:// or http://'],
  ['^(https?://', 'must be an address or begin with gs://'],
  ['^[A-Za-z0-9.!#$%&', 'must be a mail address'],
  ['^\\+[1-9]', 'must be a phone number with its country, such as +46701234567'],
  ['^\\d{4}-\\d\\d-\\d\\dT', 'must be a time with its zone, such as 2026-11-20T10:00:00Z'],
  ['^\\d{4}-\\d\\d-\\d\\d$', 'must be a date such as 2026-11-20'],
  ['^\\d{4}-\\d\\d$', 'must be a month such as 2026-11'],
  ['^([01][0-9]|2[0-3])', 'must be a time of day such as 08:30'],
  ['^[0-9a-f]{8}-', 'must be an id'],
  ['^[0-9]{', 'must contain only digits'],
  ['^[0-9]+\\.', 'must be a version such as 1.0'],
  ['^[0-9x]', 'must be the path of a tile'],
  ['^MCowBQYDK2VwAyEA', 'must be an Ed25519 public key in base64'],
  ['^[A-Za-z0-9+/]', 'must be base64'],
  ['^[A-Za-z0-9_-]', 'must contain only letters, digits and _-'],
  ['^[A-Za-z0-9._*-]', 'must contain only letters, digits and ._-, and * for any characters'],
  ['^[A-Za-z0-9!#$', 'must be the name of a header'],
  ["^[!#$%&'", 'must be the name of a header'],
  ['^[a-z][a-z0-9-]{0,31}:', 'must be a kind and an id, such as switch:sw-1'],
  ['^[a-z][a-z0-9_-]{0,62}:', 'must be a tag and a value, such as floor:2'],
  ['^[a-z][a-z0-9_]', 'must begin with a small letter, and contain only small letters, digits and _'],
  ['^[a-z][a-z0-9-]', 'must begin with a small letter, and contain only small letters, digits and -'],
  ['^[a-zA-Z_]', 'must begin with a letter or _, and contain only letters, digits and _'],
  ['^[\\t\\u0020', 'must contain only printable ASCII characters'],
  ['^[\\x2', 'must contain only printable ASCII characters'],
  ['^[^\\t\\n\\r', 'must be one line of visible characters'],
  ['^[^\\u0000', 'must contain only visible characters'],
  ['^(?=[^]*\\S)', 'must not be blank, and contain only visible characters'],
];

/** What is wrong with a text that a pattern refuses. */
export function wordsOf(pattern: string): string | null {
  return words.find(([beginning]) => pattern.startsWith(beginning))?.[1] ?? null;
}
