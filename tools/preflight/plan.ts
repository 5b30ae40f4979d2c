import { existsSync, readFileSync } from 'node:fs';
import { convertFiles, parse } from '@cdktf/hcl2json';
import { type Issuer, issuerList } from '../../shared/settings-issuers.ts';

/** What a plan asks of the project, as far as Terraform's own files and the file of variables say. */
export type Plan = {
  project: string;
  region: string;
  domain: string | null;
  /** vCPU of all instances together, at their largest number. */
  vcpu: number;
  /** The ids of the secrets that need a version. */
  secrets: string[];
  issuers: readonly Issuer[];
  apis: string[];
  publicAccess: { functions: string; consoleReader: string };
};

type Sizes = Record<string, { cpu?: string; max_instances?: number }>;
type Values = Record<string, unknown> & {
  environment?: string;
  sizes?: Sizes;
  auth?: { issuers?: Record<string, unknown>[] };
  public_access?: { functions?: string; console_reader?: string };
};
type Terraform = {
  locals: Record<string, unknown>[];
  variable: Record<string, [{ default?: unknown }]>;
  resource: { google_project_service: { this: [{ for_each: string }] } };
};

let root: Promise<Terraform> | undefined;
const folder = new URL('../../terraform/', import.meta.url).pathname;

/**
 * Reads files of variables as `terraform plan` would, later ones over earlier ones.
 * @throws Error that names what is missing or wrong
 */
export async function readPlan(varFiles: readonly string[]): Promise<Plan> {
  root ??= convertFiles(folder) as Promise<Terraform>;
  const { locals: blocks, variable, resource } = await root;
  const given: Values = Object.assign({}, ...(await Promise.all(varFiles.map(readVariables))));
  const read = (name: string) => (name in given ? given[name] : variable[name]?.[0].default) ?? null;
  const locals = Object.assign({}, ...blocks) as Record<string, unknown>;
  const environment = textOf(read('environment'), 'environment');
  return {
    project: textOf(read('project_id'), 'project_id'),
    region: textOf(read('region'), 'region'),
    domain: read('domain') === null ? null : textOf(read('domain'), 'domain'),
    vcpu: vcpuOf(locals, environment, given.sizes ?? {}),
    secrets: [...secretsOf(locals, read), ...bridgeSecretsOf(read('cloud_bridge') as CloudBridge | null)].toSorted(),
    issuers: issuersOf(given.auth?.issuers),
    apis: apisOf(resource.google_project_service.this[0].for_each, read('domain') === null),
    publicAccess: {
      functions: given.public_access?.functions ?? 'grant',
      consoleReader: given.public_access?.console_reader ?? 'allUsers',
    },
  };
}

/** As it is given, or within the folder of Terraform. */
function pathOf(file: string): string {
  return existsSync(file) ? file : folder + file;
}

async function readVariables(file: string): Promise<Values> {
  try {
    // The parser takes files of configuration, and a file of variables has the form of a block.
    const { locals } = await parse('variables.tf', `locals {\n${readFileSync(pathOf(file), 'utf8')}\n}`);
    return (locals as [Values])[0];
  } catch (error) {
    throw new Error(`--var-file ${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`no file of variables sets ${name}`);
}

function vcpuOf(
  { max_instances: instances, shapes }: Record<string, unknown>,
  environment: string,
  own: Sizes,
): number {
  const most = (instances as Record<string, Record<string, number>>)[environment];
  if (!most) throw new Error(`there is no environment ${environment}`);
  const vcpu = Object.entries(most).map(
    ([name, count]) =>
      (own[name]?.max_instances ?? count) * Number(own[name]?.cpu ?? (shapes as Sizes)[name]?.cpu ?? 1),
  );
  return vcpu.reduce((sum, each) => sum + each, 0);
}

/** A group of secrets in the expression of Terraform, with the variable that switches it on. */
const group = /(?:var\.(\w+)(?: == null)? \? (?:\{\} : )?)?\{\n?\s*((?:[A-Z_]+\s*= "[^"]*"\s*)+)\}/g;

function secretsOf(locals: Record<string, unknown>, read: (name: string) => unknown): string[] {
  const common = [...String(locals['secrets']).matchAll(group)].flatMap(([, variable, block = '']) => {
    const isOn = variable === undefined || ![null, false].includes(read(variable) as null | false);
    return isOn ? Array.from(block.matchAll(/^\s*([A-Z_]+)\s*=/gm), ([, name = '']) => name) : [];
  });
  const own = Object.keys(locals['own_secrets'] as object);
  return [...common, ...own].map((name) => name.toLowerCase().replaceAll('_', '-')).toSorted();
}

type CloudBridge = { parts?: number; files?: string[] };

/** The ids of the secrets of our bridges on Cloud Run, as `terraform/bridge.tf` names them. */
function bridgeSecretsOf(bridge: CloudBridge | null): string[] {
  if (bridge === null) return [];
  const { parts = 1, files = [] } = bridge;
  const variables = ['MQTT_URL', ...files].map((name) => name.toLowerCase().replaceAll('_', '-'));
  return Array.from({ length: parts }, (_, index) => `bridge-${index + 1}-of-${parts}`).flatMap((bridge) =>
    variables.map((variable) => `${bridge}-${variable}`),
  );
}

function issuersOf(entries: Record<string, unknown>[] | undefined): readonly Issuer[] {
  if (!entries) throw new Error('no file of variables sets auth.issuers');
  const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const given = entries.map((entry) =>
    Object.fromEntries(Object.entries(entry).map(([name, value]) => [camel(name), value])),
  );
  try {
    return issuerList(JSON.stringify(given));
  } catch (error) {
    throw new Error(`auth.issuers ${error instanceof Error ? error.message : error}`);
  }
}

/** The APIs that Terraform enables; those of Firebase only without a domain. */
function apisOf(expression: string, needsHosting: boolean): string[] {
  const names = Array.from(expression.matchAll(/"([a-z]+\.googleapis\.com)"/g), ([, name = '']) => name);
  return names.filter(
    (name) => needsHosting || (!name.startsWith('firebase.') && !name.startsWith('firebasehosting.')),
  );
}
