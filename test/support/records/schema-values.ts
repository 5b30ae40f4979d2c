import fc from 'fast-check';
import type { TSchema } from 'typebox';

type Schema = TSchema & {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  pattern?: string;
  format?: string;
  examples?: string[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
};

/** Arbitrary values that match a schema. Identifiers are sometimes taken from `ids`, so that some identify an existing record. */
export function fitting(given: TSchema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const schema = given as Schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => fitting(each, ids)));
  switch (schema.type) {
    case 'string':
      return fittingText(schema, ids);
    case 'integer':
    case 'number':
      return fittingNumber(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const items = fitting(schema.items ?? ({} as Schema), ids);
      const size = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 3, 3) };
      return schema.uniqueItems
        ? fc.uniqueArray(items, { ...size, selector: (item) => JSON.stringify(item) })
        : fc.array(items, size);
    }
    case 'object':
      return fittingObject(schema, ids);
    default:
      return fc.jsonValue();
  }
}

function fittingObject(
  { properties, patternProperties, required = [] }: Schema,
  ids: readonly string[],
): fc.Arbitrary<unknown> {
  const [pattern] = Object.entries(patternProperties ?? {});
  if (!properties && pattern) {
    return fc.dictionary(fc.stringMatching(new RegExp(pattern[0])), fitting(pattern[1], ids), {
      maxKeys: 3,
      noNullPrototype: true,
    });
  }
  const members = Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, member]) => [name, fitting(member, ids)]),
  );
  return fc.record(members, { requiredKeys: required, noNullPrototype: true });
}

function fittingNumber({ type, minimum, exclusiveMinimum, maximum = 1e9 }: Schema): fc.Arbitrary<unknown> {
  const min = minimum ?? exclusiveMinimum ?? -1e9;
  if (type === 'integer') return fc.integer({ min, max: maximum });
  return fc.double({ min, max: maximum, noNaN: true, minExcluded: exclusiveMinimum !== undefined });
}

function fittingText(
  { format, pattern, examples, minLength = 0, maxLength = 200 }: Schema,
  ids: readonly string[],
): fc.Arbitrary<unknown> {
  if (format === 'uuid') return oneOfOrKnown(fc.uuid(), ids);
  if (format === 'date-time') return fittingTime;
  if (pattern?.includes('Tt')) return fittingUrl;
  // The generator does not support patterns with top-level alternatives or lookaround; it uses their examples, or filters.
  if (pattern?.includes('$|^') && examples) return fc.constantFrom(...examples);
  if (pattern && /\(\?[=!<]/.test(pattern)) {
    const whole = new RegExp(pattern, 'u');
    if (examples) return fc.constantFrom(...examples);
    return fc
      .string({ unit: 'grapheme', minLength, maxLength })
      .filter((text) => whole.test(text) && text.length <= maxLength);
  }
  if (pattern) {
    // By code points (`u`), like the validator.
    const whole = new RegExp(pattern, 'u');
    const hasLength = (text: string) => text.length >= minLength && text.length <= maxLength;
    return oneOfOrKnown(
      fc.stringMatching(whole).filter(hasLength),
      ids.filter((id) => whole.test(id)),
    );
  }
  return fc.string({ minLength, maxLength: Math.min(maxLength, 40), unit: 'binary' });
}

function oneOfOrKnown(made: fc.Arbitrary<string>, known: readonly string[]): fc.Arbitrary<string> {
  return known.length > 0 ? fc.oneof(made, fc.constantFrom(...known)) : made;
}

const fittingUrl = fc.oneof(
  fc.webUrl({ validSchemes: ['https'] }),
  fc.constantFrom('https://hooks.example.com/x', 'https://a/', 'https://['),
);

/** Ordinary times and times at the limits of the calendar. */
const fittingTime = fc.oneof(
  fc
    .date({ min: new Date('2026-11-01'), max: new Date('2026-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '0001-01-01T00:00:00Z',
    '0000-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59.999999999Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00+23:59',
    '2024-02-29T23:59:59.5+05:30',
    '1970-01-01T00:00:00-00:00',
  ),
);

/** Values that match hardly any schema, including those that an attacker would send. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    'a'.repeat(3000),
    '🎥',
    '../..',
    '%00',
    "' OR 1=1",
    '*',
    '***',
  ),
  fc.constantFrom<unknown>(0, -0, -1, 1e308, -1e308, 2 ** 53, 1e-320, null, true, [], {}, [[]], [null], { length: -1 }),
);

/** Junk, or a matching value with one change: a member is junk, missing, or not in the schema. */
export function broken(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    junk,
    fc.tuple(arbitrary, junk, fc.nat(), fc.constantFrom('change', 'remove', 'add')).map(([value, bad, index, how]) => {
      if (typeof value !== 'object' || value === null) return bad;
      const names = Object.keys(value);
      const name = names[index % Math.max(1, names.length)] ?? 'unknown';
      if (how === 'remove') return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
      return { ...value, [how === 'add' ? 'unknown' : name]: bad };
    }),
  );
}
