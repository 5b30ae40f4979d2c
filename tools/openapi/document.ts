import { readdirSync, readFileSync } from 'node:fs';
import { Problem } from '../../shared/schema/problem.ts';
import type { Route, Routes } from '../../shared/schema/route.ts';
import { routes } from '../../shared/schema/routes.ts';
import { scopes } from '../../shared/schema/scopes.ts';
import { createReferences, exportedSchemas } from './components.ts';
import { createExamples } from './examples.ts';
import { operation, probes, type Shared } from './operations.ts';
import { answerHeaders, createRefusals } from './refusals.ts';
import { webhooks } from './webhooks.ts';
import { nouns, scopeWords } from './words.ts';

const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version;

const about = `Alerts, health and webhooks of a fleet of network cameras.

Answers of 400 and above are problem documents (RFC 9457) with a stable \`code\`. An unknown path gives 404, and a
method that a path does not support gives 405 with \`Allow\`. Lists are paged: pass \`nextPageToken\` of one page as \`pageToken\` to get the next.`;

/** The OpenAPI 3.1 description of every route, the probes and the requests of webhooks. */
export async function openApi(): Promise<object> {
  const references = createReferences(await exportedSchemas());
  const exampleOf = createExamples(references.nameOf);
  const shared: Shared = { references, exampleOf, refusals: createRefusals(), parameters: {}, examples: {} };
  references.referTo(Problem);
  const nounOf = await nounsOfOperations();
  const paths: Record<string, object> = probes(wordsOf('probe').name, shared);
  for (const [operationId, route] of Object.entries(routes as Routes) as [string, Route][]) {
    const { name } = wordsOf(nounOf.get(operationId) ?? '');
    paths[route.path] = { ...paths[route.path], [route.method]: operation(operationId, name, route, shared) };
  }
  const events = webhooks(wordsOf('webhook').name, shared);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchpost',
      version,
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The deployment that serves this description.' }],
    tags: Object.values(nouns),
    paths,
    webhooks: events,
    components: {
      schemas: references.used(),
      responses: shared.refusals.used(),
      parameters: shared.parameters,
      examples: shared.examples,
      headers: Object.fromEntries(
        Object.entries(answerHeaders).map(([name, [, description]]) => [
          name,
          { description, schema: { type: 'string' } },
        ]),
      ),
      securitySchemes: { bearer: bearer() },
    },
  };
}

function bearer(): object {
  const lines = scopes.map((scope) => `- \`${scope}\`: ${scopeWords[scope]}`);
  const description = `An access token of the deployment's issuer. Its scopes determine what it may do:\n\n${lines.join('\n')}`;
  return { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description };
}

/** The noun of each operation: the folder with its routes. */
async function nounsOfOperations(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const file of readdirSync('shared/schema', { recursive: true, encoding: 'utf8' })) {
    const [noun, name] = file.split('/');
    if (noun === undefined || name !== 'routes.ts') continue;
    const tables = Object.values(await import(`../../shared/schema/${file}`)) as Routes[];
    for (const operationId of tables.flatMap(Object.keys)) found.set(operationId, noun);
  }
  return found;
}

/** @throws Error for a noun without a description */
function wordsOf(noun: string) {
  const words = nouns[noun];
  if (!words) throw new Error(`tools/openapi/words.ts says nothing of ${noun}`);
  return words;
}
