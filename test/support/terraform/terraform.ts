import { readFileSync } from 'node:fs';
import { convertFiles } from '@cdktf/hcl2json';

/** The JSON form of a Terraform folder: blocks as arrays, expressions as `${…}` texts. */
type Block = Record<string, unknown>;
type Terraform = {
  locals?: Record<string, unknown>[];
  resource: Record<string, Record<string, Block[]>>;
  module?: Record<string, Block[]>;
  variable?: Record<string, Block[]>;
};

/** Reads a folder of HCL files; no terraform is needed. */
export async function readTerraform(folder = 'terraform'): Promise<{
  whole: Terraform;
  local: (name: string) => unknown;
  resources: (type: string) => [name: string, block: Block][];
  resource: (type: string, name: string) => Block;
}> {
  const whole = (await convertFiles(folder)) as Terraform;
  const locals = Object.assign({}, ...(whole.locals ?? [])) as Record<string, unknown>;
  const resources = (type: string) =>
    Object.entries(whole.resource[type] ?? {}).map(([name, [block = {}]]) => [name, block] as [string, Block]);
  return {
    whole,
    local: (name) => {
      if (!(name in locals)) throw new Error(`There is no local ${name}`);
      return locals[name];
    },
    resources,
    resource: (type, name) => {
      const found = resources(type).find(([own]) => own === name);
      if (!found) throw new Error(`There is no ${type}.${name}`);
      return found[1];
    },
  };
}

/** Every value of members with the given name, at any depth. */
export function valuesOf(value: unknown, member: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, member));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === member ? [inner] : []),
    ...valuesOf(inner, member),
  ]);
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
