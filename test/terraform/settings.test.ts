import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { localOnly, type SettingName, settingsTable } from '../../shared/config.ts';
import { functionNames } from '../../tools/build/bundle.ts';
import { compileCacheFolder } from '../../tools/build/compile-cache.ts';
import { readJson, readTerraform } from '../support/terraform/terraform.ts';

const functions = functionNames('.');
const given = readJson<Record<string, string[]>>('terraform/settings.json');
/** Terraform sets none of these: the zip contains its version; the issuer of Google and the address of Twilio are defaults. */
const alwaysLeftToTheCode = ['SERVICE_VERSION', 'CALLER_ISSUER', 'CALLER_KEYS_URL', 'SMS_URL'];
let root: Awaited<ReturnType<typeof readTerraform>>;
beforeAll(async () => {
  root = await readTerraform();
});

test.each(functions)('%s is given exactly the settings that its code reads', async (name) => {
  const { settings } = (await import(`../../functions/${name}/settings.ts`)) as { settings: SettingName[] };
  const inTheCloud = settings.filter((setting) => !localOnly.includes(setting));
  const variables = inTheCloud.map((setting) => settingsTable[setting].variable);
  expect(given[name]).toEqual([...new Set(['ENVIRONMENT', ...variables])].toSorted());
});

test('the environment of a function comes only from settings.json', () => {
  expect(root.local('reads')).toBe('$' + '{jsondecode(file("$' + '{path.module}/settings.json"))}');
  const [call] = root.whole.module?.['function'] ?? [];
  expect(call?.['for_each']).toBe('$' + '{local.reads}');
  expect(call?.['environment']).toMatch(
    /^\$\{\{\s+for name in each\.value : name => local\.settings\[each\.key\]\[name\]/,
  );
  expect(call?.['secrets']).toMatch(/^\$\{\{\s+for name in each\.value : name =>/);
});

test('NODE_COMPILE_CACHE is the folder that the build of a function fills', () => {
  const module = readFileSync('terraform/modules/function/main.tf', 'utf8');
  expect(module).toContain(`NODE_COMPILE_CACHE = "/workspace/${compileCacheFolder}"`);
});

test('Terraform knows a value or a secret for every setting of the cloud', () => {
  const known = new Set([...valuesKnown(), ...secretsKnown(), ...alwaysLeftToTheCode]);
  const names = Object.keys(settingsTable) as SettingName[];
  const missing = names.filter((name) => !localOnly.includes(name) && !known.has(settingsTable[name].variable));
  expect(missing).toEqual([]);
});

test('every setting that Terraform leaves out has a default in the code', () => {
  expect(root.local('left_to_the_code')).toContain(alwaysLeftToTheCode.map((name) => `"${name}"`).join(', '));
  for (const variable of quotedIn(root.local('left_to_the_code'))) {
    const setting = Object.values(settingsTable).find((each) => each.variable === variable);
    expect(() => setting?.read(undefined), variable).not.toThrow();
  }
});

test('exactly the secret settings come from Secret Manager', () => {
  const secret = Object.values(settingsTable).flatMap((setting) => ('secret' in setting ? [setting.variable] : []));
  expect(secretsKnown().toSorted()).toEqual(secret.toSorted());
  expect(valuesKnown().filter((variable) => secret.includes(variable))).toEqual([]);
});

test('Terraform names no setting that the code does not know, and none that is for local runs', () => {
  const names = Object.keys(settingsTable) as SettingName[];
  const ofTheCloud = names.filter((name) => !localOnly.includes(name)).map((name) => settingsTable[name].variable);
  expect([...valuesKnown(), ...secretsKnown()].filter((variable) => !ofTheCloud.includes(variable))).toEqual([]);
});

test('each environment has its own audience, so that the others refuse its tokens', () => {
  const audiences = ['dev', 'staging', 'production'].map(
    (name) => /audience\s*=\s*"([^"]+)"/.exec(readFileSync(`terraform/environments/${name}.tfvars`, 'utf8'))?.[1],
  );
  expect(audiences).not.toContain(undefined);
  expect(new Set(audiences).size).toBe(3);
  const [auth] = root.whole.variable?.['auth'] ?? [];
  expect(String(auth?.['type'])).toMatch(/audience\s*=\s*string/);
});

function valuesKnown(): string[] {
  return namesIn(root.local('settings'));
}

function secretsKnown(): string[] {
  return namesIn(root.local('secrets'));
}

function quotedIn(expression: unknown): string[] {
  return [...String(expression).matchAll(/"([A-Z][A-Z_]+)"/g)].map(([, name]) => name ?? '');
}

/** Names to which an expression assigns values: `NAME = …`. */
function namesIn(expression: unknown): string[] {
  return [...String(expression).matchAll(/\b([A-Z][A-Z_]+)\s+=[^=>]/g)].map(([, name]) => name ?? '');
}
