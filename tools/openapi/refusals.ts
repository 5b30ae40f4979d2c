import { problemOf } from '../../shared/adapters/http/problem.ts';
import { AppError, type ErrorCode, errorTable } from '../../shared/errors.ts';
import { isFleetWide, type Route } from '../../shared/schema/route.ts';

/** What a refusal says in the examples, where its title is not enough. */
const details: Partial<Record<ErrorCode, string>> = {
  'invalid-request': '/minutes must be <= 43200.',
  'not-found': 'There is no alert 7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77.',
  'invalid-transition': 'An alert that is resolved cannot be acknowledged.',
  'precondition-failed': 'The alert has changed: it is at version "4".',
};

/** Codes of all refusals that a route can give. Paths that are unknown or know other methods are 404 and 405 without a route. */
export function codesOf(route: Route): ErrorCode[] {
  const { path, scope, body, refusals = [] } = route;
  const codes: ErrorCode[] = ['invalid-request', ...refusals, 'internal', 'unavailable'];
  if (scope !== null) codes.push('unauthenticated', 'forbidden', 'too-many-requests');
  if (isFleetWide(route)) codes.push('limited-to-groups');
  if (path.includes('{')) codes.push('not-found');
  if (body) codes.push('request-timeout', 'payload-too-large', 'unsupported-media-type');
  return Object.keys(errorTable).filter((code) => codes.includes(code as ErrorCode)) as ErrorCode[];
}

/** The answers to codes by their status, each a component of its own that routes refer to. */
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

/** What the service itself would write. */
function problemExample(code: ErrorCode): unknown {
  const errors = code === 'invalid-request' ? { errors: [{ pointer: '/minutes', detail: 'must be <= 43200' }] } : {};
  const error = new AppError(code, details[code] ?? `${errorTable[code].title}.`, errors);
  return JSON.parse(problemOf(error, '0d9c6c1e-8c52-4b7a-9f07-0a4f3c1d2e5b').body);
}

function headersOf(codes: readonly ErrorCode[]): Record<string, object> {
  const names = ['XRequestId'];
  if (codes.includes('too-many-requests')) names.push('RetryAfter');
  if (codes.includes('unauthenticated') || codes.includes('forbidden')) names.push('WwwAuthenticate');
  return headerReferences(names);
}

/** Headers of answers, by the names of their components. */
export const answerHeaders = {
  XRequestId: ['X-Request-Id', 'Names the request in the logs of the service.'],
  RetryAfter: ['Retry-After', 'Seconds after which it is worth another try.'],
  WwwAuthenticate: ['WWW-Authenticate', 'What a token lacks (RFC 6750).'],
  ETag: ['ETag', 'Version of the record, for `If-Match`.'],
  ReleaseTag: ['ETag', 'Tag of the answer, for `If-None-Match`.'],
  Location: ['Location', 'Path of the record that was made.'],
} as const;

export function headerReferences(names: readonly string[]): Record<string, object> {
  const known: Record<string, readonly [string, string]> = answerHeaders;
  return Object.fromEntries(names.map((name) => [known[name]?.[0] ?? name, { $ref: `#/components/headers/${name}` }]));
}

function pascal(code: string): string {
  return code.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
