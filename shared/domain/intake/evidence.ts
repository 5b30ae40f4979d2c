import { reportSchemas, type StatusReport } from '../../schema/device/report.ts';
import { linePattern, visible } from '../../schema/text.ts';
import { faultsOf } from '../../schema/validate.ts';
import type { ReportKind } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';

/*
 * Doubt the text, not the fact: whoever chooses a host name, a reason or a value on a camera must not be able to suppress the alert about it by choosing
 * one that cannot be stored or shown. Texts are cut and made visible. What else is wrong in a message that opens a security alert is left out, or
 * filled in where its schema requires it. All of it is noted as a fault.
 */

const securityEvents: ReadonlySet<unknown> = new Set([
  'certificate_validation_failed',
  'unauthorized_broker_attempt',
  'guardian_heal_failed',
]);
const securityAlerts: ReadonlySet<unknown> = new Set(['CONFIG_DRIFT', 'CONFIG_CONFLICT']);

/** Whether a message tells of something that opens a security alert, whatever else it contains. */
export function isEvidence(kind: ReportKind, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  switch (kind) {
    case 'event':
      return securityEvents.has((body as { type?: unknown }).type);
    case 'guardian':
      return securityAlerts.has((body as { alertCode?: unknown }).alertCode);
    case 'status': {
      const { certificate, auth } = body as Partial<StatusReport>;
      return certificate?.valid === false || (auth?.failedAttempts ?? 0) > 0;
    }
    default:
      return false;
  }
}

/** Characters that are kept of a value of a message that is larger than is read otherwise. */
const keptOfValue = 1024;

/** The parts of a JSON Schema that matter here. */
type Schema = {
  type?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  discriminator?: { propertyName: string };
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
};

/**
 * How strictly a body is fitted. `now`: the time of the cloud, for evidence: what is missing is then filled in. Null: only texts are mended. `isLarge`:
 * values of any type are cut, and unknown members left out.
 */
type ClockFit = { now: Instant | null; isLarge: boolean };

/**
 * A body that fits the schema of its kind as far as its texts can be mended: they are cut to their length and to one line, and one that is no text is
 * left out. Evidence fits completely.
 */
export function fitted(kind: ReportKind, body: unknown, fitting: ClockFit): unknown {
  // The ids in a detection are identities: a shorter one would be another's.
  return kind === 'detection' ? body : fitValue(reportSchemas[kind] as Schema, body, fitting);
}

function fitValue(schema: Schema, value: unknown, fitting: ClockFit): unknown {
  if (schema.oneOf) return fitBranch(schema, value, fitting);
  if (schema.const !== undefined || schema.enum) return value;
  if (schema.anyOf) {
    const some = schema.anyOf.find(({ type }) => type !== 'null') ?? {};
    return value === null ? null : fitValue(some, value, fitting);
  }
  switch (schema.type) {
    case 'string':
      return fitText(schema, value, fitting);
    case 'object':
      return fitObject(schema, value, fitting);
    case 'array':
      return fitList(schema, value, fitting);
    case 'integer':
    case 'number':
      return fitting.now === null || isNumber(schema, value) ? value : undefined;
    default:
      return fitting.isLarge ? shortened(value, keptOfValue) : value;
  }
}

function fitBranch({ oneOf = [], discriminator }: Schema, value: unknown, fitting: ClockFit): unknown {
  const name = discriminator?.propertyName ?? '';
  const tag = isRecord(value) ? value[name] : undefined;
  const branch = oneOf.find(({ properties }) => properties?.[name]?.const === tag);
  return branch ? fitValue(branch, value, fitting) : value;
}

/** A text. Undefined: it cannot be one. */
function fitText({ format, pattern, minLength = 0, maxLength }: Schema, value: unknown, { now }: ClockFit): unknown {
  if (format === 'date-time') return isTime(value) ? value : undefined;
  const isNone = value === undefined || value === null;
  const text = typeof value === 'string' ? value : now === null || isNone ? undefined : JSON.stringify(value);
  if (text === undefined || text.length < minLength) return undefined;
  return shortened(pattern === linePattern ? visible(text) : text, maxLength);
}

function fitObject({ properties = {}, required = [] }: Schema, value: unknown, fitting: ClockFit): unknown {
  if (!isRecord(value) && fitting.now === null) return value;
  const given = isRecord(value) ? value : {};
  const members: Record<string, unknown> = fitting.isLarge ? {} : { ...given };
  for (const [name, schema] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    if (!(name in given) && !(isRequired && fitting.now !== null)) continue;
    const member = fitValue(schema, given[name], fitting);
    if (member !== undefined) members[name] = member;
    else if (!isRequired) delete members[name];
    else if (fitting.now !== null) members[name] = filledIn(schema, fitting.now, fitting);
  }
  return members;
}

function fitList({ items = {}, minItems = 0, maxItems }: Schema, value: unknown, fitting: ClockFit): unknown {
  if (fitting.now === null) return Array.isArray(value) ? value.map((item) => fitValue(items, item, fitting)) : value;
  const list = (Array.isArray(value) ? value : []).map((item) => fitValue(items, item, fitting) ?? '');
  while (list.length < minItems) list.push(fitValue(items, undefined, fitting) ?? '');
  return maxItems !== undefined && list.length > maxItems ? gravestFirst(list).slice(0, maxItems) : list;
}

/** What is cut off a list must not be what makes it evidence. */
function gravestFirst(list: readonly unknown[]): unknown[] {
  const isGrave = (item: unknown) => isRecord(item) && item['severity'] === 'CRITICAL';
  return [...list.filter(isGrave), ...list.filter((item) => !isGrave(item))];
}

/** What stands for a required member that is missing: the time of the cloud, or that it is not known. */
function filledIn(schema: Schema, now: Instant, fitting: ClockFit): unknown {
  if (schema.format === 'date-time') return now;
  if (schema.anyOf?.some(({ type }) => type === 'null')) return null;
  if (schema.type === 'string') return schema.minLength ? 'unknown' : '';
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 0;
  return fitValue(schema, undefined, fitting) ?? null;
}

function isTime(value: unknown): boolean {
  return faultsOf('EventReport', { type: 'any', timestamp: value }).length === 0;
}

function isNumber({ type, minimum = Number.NEGATIVE_INFINITY }: Schema, value: unknown): boolean {
  return typeof value === 'number' && value >= minimum && (type === 'number' || Number.isInteger(value));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value whose text is at most as long. */
function shortened(value: unknown, maxLength = Number.POSITIVE_INFINITY): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= maxLength ? value : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}
