import { readFileSync } from 'node:fs';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Response = {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: { $ref?: string }; examples?: Record<string, unknown> }>;
};
type Operation = { responses: Record<string, Response> };
type Description = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<
    string,
    { post: { parameters: { $ref: string }[]; requestBody: Required<Pick<Response, 'content'>> } }
  >;
  components: {
    responses: Record<string, Response>;
    schemas: Record<string, unknown>;
    parameters: Record<string, { name: string }>;
    examples: Record<string, { value: unknown }>;
  };
};

/** The API description that the service serves. */
export const description: Description = JSON.parse(readFileSync('shared/schema/generated/openapi.json', 'utf8'));

const paths = Object.entries(description.paths)
  .map(([path, operations]) => ({ path, operations, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  // A literal path comes before one with a parameter in the same place.
  .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);

let ajv: Ajv2020.default | undefined;
const compiled = new Map<string, ValidateFunction>();

/** The faults of a value by its schema in the description. Empty: none. */
export function misfits(ref: string, value: unknown): string[] {
  ajv ??= createAjv();
  const validate = compiled.get(ref) ?? ajv.compile({ $ref: `openapi${ref}` });
  compiled.set(ref, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function createAjv() {
  const made = new Ajv2020.default({ strict: false, discriminator: false });
  addFormats.default(made);
  made.addSchema({ $id: 'openapi', components: description.components });
  return made;
}

/** How an answer of the API differs from its description. */
export function undescribed(
  { method, path }: { method: string; path: string },
  { status, headers, body }: { status: number; headers: Headers; body: unknown },
): string[] {
  const known = paths.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''));
  const operation = known?.operations[method.toLowerCase()];
  if (!operation) return [];
  const given = operation.responses[status];
  if (!given) return [`answers ${status} ${JSON.stringify(body)}, which is not described`];
  const response = given.$ref ? (description.components.responses[given.$ref.split('/').at(-1) ?? ''] ?? given) : given;
  const [media] = Object.values(response.content ?? {});
  const faults = media?.schema.$ref ? misfits(media.schema.$ref, body) : [];
  if (status >= 400) {
    const code = (body as { code?: string } | null)?.code ?? '';
    return Object.keys(media?.examples ?? {}).includes(code) ? faults : [...faults, `${status} with the code ${code}`];
  }
  for (const name of ['ETag', 'Location']) {
    const isDescribed = name in (response.headers ?? {});
    // A dry run creates no job, so it has no `Location`.
    const isLeftOut = name === 'Location' && status === 202 && !headers.has(name);
    if (headers.has(name) !== isDescribed && !isLeftOut) faults.push(`the header ${name}`);
  }
  return faults;
}
