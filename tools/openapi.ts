import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { errorTable } from '../shared/errors.ts';
import { HealthResponse, ReadinessResponse } from '../shared/schema/probe/probe.ts';
import { Problem } from '../shared/schema/problem.ts';
import type { Route } from '../shared/schema/route.ts';
import { identifierPattern, parameterPatterns, routes } from '../shared/schema/routes.ts';

const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version;

/** The OpenAPI 3.1 document of every route, probes included. */
export function openApi(): object {
  const paths: Record<string, Record<string, unknown>> = {
    '/health': { get: probe('getHealth', 'Liveness: whether the service can run.', HealthResponse) },
    '/ready': { get: probe('getReadiness', 'Readiness: whether every dependency answers.', ReadinessResponse) },
  };
  for (const [operationId, route] of Object.entries(routes as Record<string, Route>)) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(operationId, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchpost',
      version,
      description: 'Alerts, health and webhooks of a fleet of network cameras.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function operation(operationId: string, route: Route) {
  const status = String(route.status ?? (route.answer === null ? 204 : 200));
  return {
    operationId,
    summary: route.summary,
    ...(route.scope ? { security: [{ bearer: [route.scope] }] } : { security: [] }),
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(route.body ? { requestBody: { required: true, content: { ...content(route.body), ...table(route) } } } : {}),
    responses: {
      [status]: { description: 'Done.', ...(route.answer ? { content: content(route.answer) } : {}) },
      default: {
        description: `A problem; \`code\` is one of ${Object.keys(errorTable).join(', ')}.`,
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function probe(operationId: string, summary: string, schema: TSchema) {
  return {
    operationId,
    summary,
    security: [],
    responses: {
      200: { description: 'Healthy.', content: content(schema) },
      503: { description: 'Not healthy.', content: content(schema) },
    },
  };
}

function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: parameterPatterns[name] ?? identifierPattern },
  }));
}

function queryParameters(query: TSchema | undefined) {
  const properties = ((query as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}) as Record<
    string,
    TSchema
  >;
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function table({ columns }: Route) {
  if (!columns) return {};
  const description = `A header row names the columns, in any order: ${columns.join(', ')}. An empty cell changes nothing, \`null\` clears.`;
  return { 'text/csv': { schema: { type: 'string', description } } };
}

function content(schema: TSchema) {
  return { 'application/json': { schema } };
}
