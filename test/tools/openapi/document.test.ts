import { createConfig, lint } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { fleetWideScopes } from '../../../shared/schema/scopes.ts';
import { canonical } from '../../../tools/openapi/components.ts';
import { description, misfits } from '../../support/world/described.ts';

const path = 'shared/schema/generated/openapi.json';
type Node = { [member: string]: unknown };

/** Every schema within a value, outermost first, with the number of objects around it. */
function* schemasIn(value: unknown, at: string, depth = 0): Generator<{ schema: Node; at: string; depth: number }> {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Node;
  const isObject = schema['type'] === 'object' && 'properties' in schema;
  yield { schema, at, depth };
  for (const [name, part] of Object.entries(schema)) {
    if (name !== 'examples' && name !== 'enum') yield* schemasIn(part, `${at}/${name}`, depth + (isObject ? 1 : 0));
  }
}
const objects = Object.entries(description.components.schemas)
  .flatMap(([name, schema]) => [...schemasIn(schema, name)])
  .filter(({ schema }) => schema['type'] === 'object' && 'properties' in schema);

test('the strict rules of Redocly give no warning', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lint({ ref: path, config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

test('an unnamed object contains no other object, and none is repeated', () => {
  expect(objects.length).toBeGreaterThan(100);
  expect(objects.filter(({ depth }) => depth > 1).map(({ at }) => at)).toEqual([]);
  const twins = Map.groupBy(objects, ({ schema }) => canonical(schema)).values();
  expect([...twins].filter((each) => each.length > 1).map((each) => each.map(({ at }) => at))).toEqual([]);
});

test('no member that is always there has a default, because generators would make it optional', () => {
  const found = objects.flatMap(({ schema, at }) => {
    const { required = [], properties } = schema as { required?: string[]; properties: Record<string, object> };
    return required.filter((name) => 'default' in (properties[name] ?? {})).map((name) => `${at}/${name}`);
  });
  expect(found).toEqual([]);
});

test('each request and each answer is a named schema with an example that fits it', () => {
  const { components } = description;
  const bodies = [...schemasIn({ paths: description.paths, webhooks: description.webhooks }, '')].flatMap(
    ({ schema }) => {
      const json = (schema['content'] as Record<string, Node> | undefined)?.['application/json'];
      return json ? [json] : [];
    },
  );
  expect(bodies.length).toBeGreaterThan(100);
  for (const { schema, examples, example } of bodies) {
    const { $ref } = schema as { $ref: string };
    const named = Object.keys(examples ?? {}).map((name) => components.examples[name]?.value);
    const given = example === undefined ? named : [example];
    expect(given, $ref).toHaveLength(1);
    expect(misfits($ref, given[0]), $ref).toEqual([]);
  }
});

test('an example that does not match its schema is found', () => {
  expect(misfits('#/components/schemas/NoteRequest', { text: 1 })).toEqual(['/text must be string']);
});

test('an operation names its scope, and every refusal that its scope, path and body can cause', () => {
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const { security, requestBody, responses } = operation as unknown as {
        security: { bearer: string[] }[];
        requestBody?: object;
        responses: object;
      };
      if (!path.startsWith('/v1/')) continue;
      const scope = security[0]?.bearer[0];
      const expected = ['400', ...(scope ? ['401', '403', '429'] : []), ...(path.includes('{') ? ['404'] : [])];
      if (requestBody) expected.push('408', '413', '415');
      expect(Object.keys(responses), `${method} ${path}`).toEqual(expect.arrayContaining(expected));
      const forbidden = JSON.stringify((responses as Record<string, unknown>)['403'] ?? '');
      const isForAll = security.every(({ bearer: [each] }) => fleetWideScopes.has(each as never));
      if (isForAll && scope && !/^\/v1\/(maintenance-windows|reports)/.test(path))
        expect(forbidden).toContain('LimitedToGroups');
    }
  }
});
