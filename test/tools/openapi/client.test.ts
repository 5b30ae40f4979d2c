import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypes, { type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { description } from '../../support/world/described.ts';

/** A client as somebody would write it over the generated types. */
const client = `
import type { components, operations } from './api.ts';

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Answer<Op extends keyof operations> = Json<operations[Op]['responses'][keyof operations[Op]['responses'] & (200 | 201)]>;
type Body<Op extends keyof operations> = operations[Op] extends { requestBody?: infer Request } ? Json<Request> : undefined;
type Query<Op extends keyof operations> = operations[Op] extends { parameters: { query?: infer Given } } ? Given : undefined;

declare function call<Op extends keyof operations>(operation: Op, given: { query?: Query<Op>; body?: Body<Op> }): Promise<Answer<Op>>;

export async function acknowledgeTheOldest(): Promise<string | null> {
  const { alerts, nextPageToken } = await call('listAlerts', { query: { status: ['open'], severity: ['CRITICAL'], pageSize: 50 } });
  const next: string | undefined = nextPageToken;
  const [first] = alerts;
  if (!first) return next ?? null;
  const code: components['schemas']['AlertCode'] = first.code;
  const { acknowledgedBy } = await call('acknowledgeAlert', { body: { comment: code } });
  return acknowledgedBy;
}

export async function subscribe(url: string): Promise<string> {
  const made = await call('createWebhook', { body: { url, events: ['alert'], generateSecret: true } });
  return made.secret ?? made.webhookId;
}

export function nameOf(alert: components['schemas']['GuardianAlert']): string {
  switch (alert.alertCode) {
    case 'CONFIG_DRIFT': return alert.drift.maxSeverity;
    case 'CONFIG_HEALED': return alert.heal.fieldsRestored.join();
    case 'CONFIG_CONFLICT': return alert.recommendation;
  }
}
`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'client-'));
  writeFileSync(join(folder, 'api.ts'), await openapiTypes(structuredClone(description) as unknown as OpenAPI3));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @returns the compiler's errors for each source */
function compiled(sources: readonly string[]): string[] {
  const names = sources.map((_, at) => `client-${at}.ts`);
  for (const [at, source] of sources.entries()) writeFileSync(join(folder, `client-${at}.ts`), source);
  const flags = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const modules = ['--module', 'nodenext', '--allowImportingTsExtensions', '--types', '', '--ignoreConfig'];
  const { stdout } = spawnSync('tsc', [...flags, ...modules, ...names], { encoding: 'utf8', cwd: folder });
  const lines = stdout.split('\n');
  return names.map((name) => lines.filter((line) => line.startsWith(name)).join('\n'));
}

/** Mistakes in a client: each changes one expression. */
const slips = [
  ["const code: components['schemas']['AlertCode'] = first.code", "const code: 'CONN_005' = first.code"],
  ["severity: ['CRITICAL']", "severity: ['critical']"],
  ['generateSecret: true', 'generatesSecret: true'],
  ["events: ['alert']", "events: ['alerts']"],
] as const;

test('a client with the generated types compiles under strict rules, and a wrong one does not', () => {
  for (const [right] of slips) expect(client).toContain(right);
  const [said, ...notified] = compiled([client, ...slips.map(([right, wrong]) => client.replace(right, wrong))]);
  expect(said).toBe('');
  for (const each of notified) expect(each).toContain('error TS');
});
