import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A JSON Schema in the document. */
export type Schema = { [keyword: string]: unknown };

const root = 'shared/schema';

/**
 * Every schema that a module of shared/schema exports, by its exported name.
 * @throws Error if two modules export different schemas by one name
 */
export async function exportedSchemas(): Promise<Record<string, Schema>> {
  const found: Record<string, Schema> = {};
  for (const file of modules()) {
    const exported = (await import(join('../..', file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported)) {
      if (!isSchema(value)) continue;
      if (found[name] && found[name] !== value) throw new Error(`${file}: another schema is called ${name}`);
      found[name] = value;
    }
  }
  return found;
}

function modules(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .toSorted()
    .map((file) => join(root, file));
}

function isSchema(value: unknown): value is Schema {
  if (typeof value !== 'object' || value === null) return false;
  return ('type' in value && typeof value.type === 'string') || 'anyOf' in value;
}

/** Replaces named schemas by `$ref`, and records which names were used. */
export function createReferences(named: Record<string, Schema>) {
  const namesOf = Map.groupBy(Object.keys(named), (name) => canonical(named[name]));
  const used = new Map<string, Schema>();

  /** @throws Error if one schema has two names, because the reference would be ambiguous */
  function nameOf(schema: unknown): string | undefined {
    const [name, ...others] = namesOf.get(canonical(schema)) ?? [];
    if (others.length > 0) throw new Error(`${name} and ${others.join(', ')} have the same shape: keep one name`);
    return name;
  }

  /** @returns the schema with references; only `$ref` if it has a name itself */
  function referTo(schema: unknown): Schema {
    const name = nameOf(schema);
    if (name === undefined) return within(schema) as Schema;
    if (!used.has(name)) {
      used.set(name, {});
      used.set(name, withMapping(within(schema) as Schema, schema as Schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(within);
    if (typeof value !== 'object' || value === null) return value;
    return withoutIdleDefaults(
      Object.fromEntries(Object.entries(value).map(([keyword, part]) => [keyword, partOf(keyword, part)])),
    );
  }

  function partOf(keyword: string, part: unknown): unknown {
    if (keyword === 'items' || keyword === 'additionalProperties')
      return typeof part === 'object' ? referTo(part) : part;
    if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') return (part as unknown[]).map(referTo);
    if (keyword === 'properties' || keyword === 'patternProperties') {
      return Object.fromEntries(Object.entries(part as object).map(([name, each]) => [name, referTo(each)]));
    }
    return part;
  }

  return {
    referTo,
    nameOf,
    /** The used schemas, sorted by name. */
    used: () => Object.fromEntries([...used].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
export type References = ReturnType<typeof createReferences>;

/** A member that is always there has no default: code generators would make it optional. */
function withoutIdleDefaults(written: Schema): Schema {
  const { required, properties } = written as { required?: string[]; properties?: Record<string, Schema> };
  if (!required || !properties) return written;
  const kept = Object.entries(properties).map(([name, { default: idle, ...rest }]) => [
    name,
    idle === undefined || required.includes(name) ? rest : { ...rest, default: idle },
  ]);
  return { ...written, properties: Object.fromEntries(kept) };
}

/** Code generators choose the branch of a union by this table; Ajv does not need it. */
function withMapping(written: Schema, source: Schema): Schema {
  const discriminator = source['discriminator'] as { propertyName: string } | undefined;
  if (!discriminator) return written;
  const { propertyName } = discriminator;
  const branches = source['oneOf'] as { properties: Record<string, { const: string }> }[];
  const refs = written['oneOf'] as { $ref: string }[];
  const mapping = Object.fromEntries(
    branches.map(({ properties }, at) => [properties[propertyName]?.const, refs[at]?.$ref]),
  );
  return { ...written, discriminator: { propertyName, mapping } };
}

/** The same text for equal schemas. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
