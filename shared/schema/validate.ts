import type { Fault } from '../errors.ts';
import { validators } from './generated/validators.js';

export type SchemaName = keyof ReturnType<typeof validators>;

type AjvError = {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
};

/** Enough to mend a document by; a hostile one with thousands of faults is not answered in kind. */
const maxFaults = 50;

/**
 * Holds a value against a named schema.
 * @returns every member at fault, or an empty list when the value fits
 */
export function faultsOf(name: SchemaName, value: unknown): Fault[] {
  const validator = validators()[name];
  if (validator(value)) return [];
  return dedupe(telling((validator.errors ?? []) as AjvError[]).map(toFault)).slice(0, maxFaults);
}

/** That a member is not null either helps nobody who is told what else it is not. */
function telling(errors: readonly AjvError[]): AjvError[] {
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
    default:
      return message ?? 'does not fit';
  }
}

/** A union reports each of its branches; a person needs each member once. */
function dedupe(faults: Fault[]): Fault[] {
  const seen = new Map(faults.map((fault) => [`${fault.pointer} ${fault.detail}`, fault]));
  return [...seen.values()];
}
