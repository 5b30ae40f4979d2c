import type { TSchema } from 'typebox';
import { HealthResponse, ReadinessResponse } from '../../shared/schema/probe/probe.ts';
import type { Route } from '../../shared/schema/route.ts';
import { identifierPattern, parameterPatterns } from '../../shared/schema/routes.ts';
import type { References, Schema } from './components.ts';
import { codesOf, type createRefusals, headerReferences } from './refusals.ts';

/** What all operations share: names of schemas, examples, and the components used so far. */
export type Shared = {
  references: References;
  exampleOf: (schema: unknown) => unknown;
  refusals: ReturnType<typeof createRefusals>;
  parameters: Record<string, object>;
  examples: Record<string, { value: unknown }>;
};

const requestHeaders = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` that was read. If the record has changed since, the call is refused.',
    schema: { type: 'string', examples: ['"3"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of a stored answer. If it has not changed, the answer is 304.',
    schema: { type: 'string', examples: ['W/"Ku7oHJ0dAZxLZ0IQmnhXe2QMEQYQWZZ4hKR0jGSCsZc"'] },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The last event that was read: the stream continues after it.',
    schema: { type: 'string' },
  },
};

export function operation(operationId: string, tag: string, route: Route, shared: Shared): object {
  const { scope, orScope, summary, status, answer, body, media, refusals, isOfRelease } = route;
  const code = String(status ?? (answer === null ? 204 : 200));
  return {
    operationId,
    tags: [tag],
    summary: summary.split('. ')[0]?.replace(/\.$/, ''),
    description: summary,
    security: [scope, orScope].flatMap((each) => (each ? [{ bearer: each === 'any-token' ? [] : [each] }] : [])),
    parameters: [
      ...pathParameters(route.path, shared),
      ...queryParameters(route.query, shared),
      ...(refusals?.includes('precondition-failed') ? [parameter('IfMatch', requestHeaders.IfMatch, shared)] : []),
      ...(isOfRelease ? [parameter('IfNoneMatch', requestHeaders.IfNoneMatch, shared)] : []),
      ...(media === 'text/event-stream' ? [parameter('LastEventId', requestHeaders.LastEventId, shared)] : []),
    ],
    ...(body
      ? { requestBody: { required: isAsked(body), content: { ...content(body, shared), ...table(route) } } }
      : {}),
    responses: {
      ...answers(route, code, shared),
      ...shared.refusals.responsesOf(codesOf(route)),
    },
  };
}

/** Whether a body is required. An action without required members may omit it. */
function isAsked(body: Schema | Route['body']): boolean {
  const { required = [], minProperties = 0 } = body as { required?: string[]; minProperties?: number };
  return required.length > 0 || minProperties > 0;
}

/** Whether the answer names a started job. */
function isJob(answer: Route['answer']): boolean {
  return 'jobId' in ((answer as { properties?: object } | null)?.properties ?? {});
}

/** Descriptions and examples of answers that are text or bytes. */
const texts: Record<NonNullable<Route['media']>, { description: string; example: string }> = {
  'text/event-stream': { description: 'A stream of events.', example: 'event: changed\ndata: {}\n\n' },
  'text/plain': { description: 'The metrics.', example: 'watchpost_incidents_open{kind="outage"} 1\n' },
  'text/plain; charset=utf-8': { description: 'A signed note.', example: 'watchpost.example.com/ledger\n1\n…' },
  'application/octet-stream': { description: 'Hashes of 32 bytes each.', example: '…' },
};

function inFormats(formats: NonNullable<Route['formats']>): object {
  return Object.fromEntries(formats.map((format) => [format, { schema: { type: 'string' }, example: '…' }]));
}

function answers(
  { answer, media, formats = [], isVersioned, isOfRelease, method, status, path }: Route,
  code: string,
  shared: Shared,
) {
  const headers = ['XRequestId', ...(isVersioned ? ['ETag'] : []), ...(isOfRelease ? ['ReleaseTag'] : [])];
  const response = (names: readonly string[]) => ({
    description: media
      ? texts[media].description
      : answer
        ? 'The requested content, or the present state of the record.'
        : 'It is done.',
    headers: headerReferences(names),
    ...(media ? { content: { [media]: { schema: { type: 'string' }, example: texts[media].example } } } : {}),
    ...(answer && !media ? { content: { ...content(answer, shared), ...inFormats(formats) } } : {}),
  });
  // An entry that is added to a record has no own address, so the answer has no `Location`.
  if (status === 201) return { 201: response(path.includes('{') ? headers : [...headers, 'Location']) };
  return {
    // A started job has an address that shows its progress.
    [code]: response(status === 202 && isJob(answer) ? [...headers, 'Location'] : headers),
    ...(isOfRelease ? { 304: { description: 'It has not changed.', headers: headerReferences(headers) } } : {}),
    // PUT may create the record.
    ...(method === 'put' && isVersioned ? { 201: response([...headers, 'Location']) } : {}),
  };
}

/** The health probes, which are not routes of the API. */
export function probes(tag: string, { references, exampleOf, refusals }: Shared): Record<string, object> {
  const answer = (schema: TSchema, description: string, value: unknown) => ({
    description,
    content: { 'application/json': { schema: references.referTo(schema), example: value } },
  });
  const probe = (operationId: string, description: string, schema: TSchema, bad: object) => ({
    get: {
      operationId,
      tags: [tag],
      summary: description.split(':')[0],
      description,
      security: [],
      responses: {
        200: answer(schema, 'All is well.', exampleOf(schema)),
        503: answer(schema, 'It is not.', { ...(exampleOf(schema) as object), ...bad }),
        ...refusals.responsesOf(['method-not-allowed']),
      },
    },
  });
  return {
    '/health': probe('getHealth', 'Liveness: whether the service can run.', HealthResponse, { status: 'unhealthy' }),
    '/ready': probe('getReadiness', 'Readiness: whether every dependency answers.', ReadinessResponse, {
      status: 'not_ready',
    }),
  };
}

function pathParameters(path: string, shared: Shared) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const pattern = parameterPatterns[name] ?? identifierPattern;
    return parameter(name, { name, in: 'path', required: true, schema: { type: 'string', pattern } }, shared);
  });
}

function queryParameters(query: Route['query'], shared: Shared) {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, given]) => {
    const { description, ...schema } = given;
    const said = { name, in: 'query', required: required.includes(name), ...(description ? { description } : {}) };
    return parameter(name, { ...said, schema: shared.references.referTo(schema) }, shared);
  });
}

/** A parameter as a reference if all parameters of its name are equal, else inline. */
function parameter(name: string, said: object, { parameters }: Shared): object {
  parameters[name] ??= said;
  const isSame = JSON.stringify(parameters[name]) === JSON.stringify(said);
  return isSame ? { $ref: `#/components/parameters/${name}` } : said;
}

/** The same body as CSV, if the route accepts it. */
function table({ columns }: Route): object {
  if (!columns) return {};
  const description = `A header row names the columns, in any order: ${columns.join(', ')}. An empty cell changes nothing, \`null\` clears.`;
  return { 'text/csv': { schema: { type: 'string', description }, example: `${columns[0]}\ncam-0012\n` } };
}

/**
 * The content of a named schema, with its example.
 * @throws Error for a schema that no module exports
 */
export function content(schema: TSchema, { references, exampleOf, examples }: Shared) {
  const name = references.nameOf(schema);
  if (name === undefined) throw new Error(`Export the schema of each body: ${JSON.stringify(schema).slice(0, 200)}`);
  examples[name] ??= { value: exampleOf(schema) };
  const example = { [name]: { $ref: `#/components/examples/${name}` } };
  return { 'application/json': { schema: references.referTo(schema), examples: example } };
}
