import { problemOf } from '../../shared/adapters/http/problem.ts';
import { AppError, type ErrorCode, errorTable } from '../../shared/errors.ts';
import { isFleetWide, type Route } from '../../shared/schema/route.ts';

/** Details of refusals in examples, if the title is not enough. */
const details: Partial<Record<ErrorCode, string>> = {
  'invalid-request': '/minutes must be <= 43200.',
  'not-found': 'There is no alert 7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77.',
  'invalid-transition': 'An alert that is resolved cannot be acknowledged.',
  'precondition-failed': 'The alert has changed: it is at version "4".',
};

/** Codes of all refusals of a route. Unknown paths and methods give 404 and 405 without a route. */
export function codesOf(route: Route): ErrorCode[] {
  const { method, path, scope, body, refusals = [] } = route;
  const codes: ErrorCode[] = ['invalid-request', ...refusals, 'internal', 'unavailable'];
  if (scope !== null) codes.push('unauthenticated', 'too-many-requests');
  if (scope !== null && scope !== 'any-token') codes.push('forbidden', 'no-groups');
  // The last word on a change has `shared/app/writes/may-write.ts`, whatever its route.
  if (isFleetWide(route) || (scope !== null && method !== 'get')) codes.push('limited-to-groups');
  if (path.includes('{')) codes.push('not-found');
  if (body) codes.push('request-timeout', 'payload-too-large', 'unsupported-media-type');
  return Object.keys(errorTable).filter((code) => codes.includes(code as ErrorCode)) as ErrorCode[];
}

/** The answers by status code, each a component that routes refer to. */
export function createRefusals() {
  const used: Record<string, object> = {};
  return {
    responsesOf(codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
      const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
      const entries = [...byStatus].map(([status, codes]) => {
        const name = codes.map(pascal).join('Or');
        used[name] ??= response(codes);
        return [String(status), { $ref: `#/components/responses/${name}` }];
      });
      return Object.fromEntries(entries);
    },
    used: () => used,
  };
}

function response(codes: readonly ErrorCode[]) {
  const titles = codes.map((code) => `\`${code}\`: ${errorTable[code].title}.`);
  return {
    description: titles.join(' '),
    headers: headersOf(codes),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
      },
    },
  };
}

/** A problem document as the service writes it. */
function problemExample(code: ErrorCode): unknown {
  const errors = code === 'invalid-request' ? { errors: [{ pointer: '/minutes', detail: 'must be <= 43200' }] } : {};
  const error = new AppError(code, details[code] ?? `${errorTable[code].title}.`, errors);
  return JSON.parse(problemOf(error, '0d9c6c1e-8c52-4b7a-9f07-0a4f3c1d2e5b').body);
}

function headersOf(codes: readonly ErrorCode[]): Record<string, object> {
  const names = ['XRequestId'];
  if (codes.includes('too-many-requests') || codes.includes('unavailable')) names.push('RetryAfter');
  if (codes.includes('unauthenticated') || codes.includes('forbidden')) names.push('WwwAuthenticate');
  return headerReferences(names);
}

/** Headers of answers, by component name. */
export const answerHeaders = {
  XRequestId: ['X-Request-Id', 'Names the request in the logs of the service.'],
  RetryAfter: ['Retry-After', 'Seconds to wait before another try.'],
  WwwAuthenticate: ['WWW-Authenticate', 'The permission that the token lacks (RFC 6750).'],
  ETag: ['ETag', 'Version of the record, for `If-Match`.'],
  ReleaseTag: ['ETag', 'Tag of the answer, for `If-None-Match`.'],
  Location: ['Location', 'Path of the created record.'],
} as const;

export function headerReferences(names: readonly string[]): Record<string, object> {
  const known: Record<string, readonly [string, string]> = answerHeaders;
  return Object.fromEntries(names.map((name) => [known[name]?.[0] ?? name, { $ref: `#/components/headers/${name}` }]));
}

function pascal(code: string): string {
  return code.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
