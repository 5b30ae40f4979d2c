import type { Fault } from '../errors.ts';
import { validators } from './generated/validators.js';
import { wordsOf } from './pattern-words.ts';

export type SchemaName = keyof ReturnType<typeof validators>;

type AjvError = {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
};

/** Maximum number of faults in an answer: enough to correct a document. A hostile document with thousands of faults must not cause a huge answer. */
const maxFaults = 50;

/**
 * Checks a value with a named schema. The schemas of queries also convert the texts in the value to their types, in
 * place.
 * @returns each faulty member, or an empty list when the value is valid
 */
export function faultsOf(name: SchemaName, value: unknown): Fault[] {
  const validator = validators()[name];
  if (validator(value)) return [];
  return dedupe(mostSpecific((validator.errors ?? []) as AjvError[]).map(toFault)).slice(0, maxFaults);
}

/**
 * Drops "must be null" and "no branch of a union matches" where the same member, or one inside it, has another fault,
 * because they do not help the reader.
 */
function mostSpecific(errors: readonly AjvError[]): AjvError[] {
  const isHollow = ({ keyword, params }: AjvError) =>
    keyword === 'anyOf' || (keyword === 'type' && params['type'] === 'null');
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  const solid = errors.filter((error) => !isHollow(error));
  return errors.filter(
    (error) => !isHollow(error) || !solid.some(({ instancePath }) => isWithin(instancePath, error.instancePath)),
  );
}

function toFault({ instancePath, keyword, message, params }: AjvError): Fault {
  if (keyword === 'discriminator') {
    return { pointer: `${instancePath}/${params['tag']}`, detail: detailOf(keyword, message, params) };
  }
  const member = params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName'];
  const pointer =
    member === undefined
      ? instancePath
      : `${instancePath}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { pointer, detail: detailOf(keyword, message, params) };
}

function detailOf(keyword: string, message: string | undefined, params: Record<string, unknown>): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not known here';
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'discriminator':
      return 'must name a known shape';
    case 'pattern':
      return wordsOf(String(params['pattern'])) ?? 'does not have the right form';
    default:
      return message ?? 'does not fit';
  }
}

/** Removes duplicates: a union reports a fault for each of its branches, and a person needs each member once. */
function dedupe(faults: Fault[]): Fault[] {
  const seen = new Map(faults.map((fault) => [`${fault.pointer} ${fault.detail}`, fault]));
  return [...seen.values()];
}
