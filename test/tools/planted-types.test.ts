import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const service = "import type { Handlers } from '../../functions/api/handler.ts';\n";
const client = "import { ask } from '../../console/src/client/api.ts';\n";
const vocabulary = "import type { Route } from '../../shared/schema/route.ts';\n";
const may = "import { useMay } from '../../console/src/client/auth.ts';\n";
const rule = "{ name: 'one', condition: { code: '*' }, action: { priority: 'P1' } }";

/** Code that `npm run check` must refuse, and the same code without the mistake, which it must accept. */
const planted: [title: string, project: '.' | 'console', wrong: string, right: string, error: RegExp][] = [
  [
    'a handler that takes a member of the body for another type',
    '.',
    `${service}export const planted: Handlers['snoozeAlert'] = async ({ body }) => Promise.reject(body.minutes?.trim());`,
    `${service}export const planted: Handlers['snoozeAlert'] = async ({ body }) => Promise.reject(body.minutes?.toFixed());`,
    /'trim' does not exist on type 'number'/,
  ],
  [
    'a handler that reads a body where there is none',
    '.',
    `${service}export const planted: Handlers['getAlert'] = async ({ body }) => Promise.reject(body.comment);`,
    `${service}export const planted: Handlers['resolveAlert'] = async ({ body }) => Promise.reject(body.comment);`,
    /'body' is possibly 'undefined'|'comment' does not exist/,
  ],
  [
    'a handler that reads a parameter which its path has not',
    '.',
    `${service}export const planted: Handlers['getAlert'] = async ({ params }) => Promise.reject(params.deviceId);`,
    `${service}export const planted: Handlers['getAlert'] = async ({ params }) => Promise.reject(params.alertId);`,
    /'deviceId' does not exist/,
  ],
  [
    'a handler that reads a query parameter which its schema has not',
    '.',
    `${service}export const planted: Handlers['listDevices'] = async ({ query }) => Promise.reject(query.severity);`,
    `${service}export const planted: Handlers['listDevices'] = async ({ query }) => Promise.reject(query.groupId);`,
    /'severity' does not exist/,
  ],
  [
    'a handler whose answer is not the one of its route',
    '.',
    `${service}export const planted: Handlers['listTeams'] = async () => ({ body: { teams: [{ name: 'one' }] } });`,
    `${service}export const planted: Handlers['listTeams'] = async () => ({ body: { teams: [] } });`,
    /missing the following properties.*emails/s,
  ],
  [
    'a route whose scope there is not',
    '.',
    `${vocabulary}export const planted: Pick<Route, 'scope'> = { scope: 'alerts:delete' };`,
    `${vocabulary}export const planted: Pick<Route, 'scope'> = { scope: 'alerts:write' };`,
    /'"alerts:delete"' is not assignable/,
  ],
  [
    'a severity in the console that there is not',
    'console',
    `${client}export const planted = ask('get', '/v1/alerts', { query: { severity: ['FATAL'] } });`,
    `${client}export const planted = ask('get', '/v1/alerts', { query: { severity: ['CRITICAL'] } });`,
    /'"FATAL"' is not assignable/,
  ],
  [
    'a scope in the console that no route has',
    'console',
    `${may}export const planted = () => useMay('alerts:delete');`,
    `${may}export const planted = () => useMay('alerts:write');`,
    /'"alerts:delete"' is not assignable/,
  ],
  [
    'a call with a parameter that its path has not',
    'console',
    `${client}export const planted = ask('put', '/v1/rules/{ruleId}', { params: { id: 'a' }, body: ${rule} });`,
    `${client}export const planted = ask('put', '/v1/rules/{ruleId}', { params: { ruleId: 'a' }, body: ${rule} });`,
    /'id' does not exist/,
  ],
  [
    'a call with a body that does not fit',
    'console',
    `${client}export const planted = ask('post', '/v1/rules', { body: { ...${rule}, enabled: 'yes' } });`,
    `${client}export const planted = ask('post', '/v1/rules', { body: { ...${rule}, enabled: true } });`,
    /'string' is not assignable to type 'boolean'/,
  ],
  [
    'a call without the body that it needs',
    'console',
    `${client}export const planted = ask('post', '/v1/rules', {});`,
    `${client}export const planted = ask('post', '/v1/webhooks/{webhookId}/test', { params: { webhookId: 'a' } });`,
    /'body' is missing/,
  ],
  [
    'a call of a path that does not know the method',
    'console',
    `${client}export const planted = ask('delete', '/v1/rules', {});`,
    `${client}export const planted = ask('get', '/v1/rules', {});`,
    /'"\/v1\/rules"' is not assignable/,
  ],
  [
    'an answer that is taken for another',
    'console',
    `${client}export const planted = async () => (await ask('get', '/v1/fleet', {})).data.rules;`,
    `${client}export const planted = async () => (await ask('get', '/v1/rules', {})).data.rules;`,
    /'rules' does not exist/,
  ],
];

let folder: string;
let errors: string[];
beforeAll(async () => {
  mkdirSync('test-output', { recursive: true });
  folder = mkdtempSync('test-output/planted-');
  for (const [index, [, , wrong, right]] of planted.entries()) {
    writeFileSync(join(folder, `wrong-${index}.ts`), `${wrong}\n`);
    writeFileSync(join(folder, `right-${index}.ts`), `${right}\n`);
  }
  cpSync('shared/schema', join(folder, 'schema'), { recursive: true, filter: (path) => !path.includes('generated') });
  cpSync('shared/errors.ts', join(folder, 'errors.ts'));
  const words = join(folder, 'schema/scopes.ts');
  writeFileSync(words, readFileSync(words, 'utf8').replace("'alerts:read',", "'alerts:read', 'alerts:dream',"));
  errors = (await Promise.all([errorsOf('.', ['schema/routes.ts']), errorsOf('console')])).flat();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The compiler's errors in the planted files under the options of a project, each with its details. */
function errorsOf(project: '.' | 'console', more: string[] = []): Promise<string[]> {
  const own = planted.flatMap(([, of], index) => (of === project ? [`wrong-${index}.ts`, `right-${index}.ts`] : []));
  const path = join(folder, `${project === '.' ? 'service' : project}.json`);
  const config = { extends: join('../..', project, 'tsconfig.json'), files: [...own, ...more], include: [] };
  writeFileSync(path, JSON.stringify(config));
  return new Promise((resolve) =>
    execFile('tsc', ['-p', path], (_, stdout) => resolve(stdout.split(/\n(?=\S)/).filter(Boolean))),
  );
}

test.each(planted)('%s is refused', (title, _, _wrong, _right, error) => {
  const index = planted.findIndex(([each]) => each === title);
  const found = errors.filter((each) => each.includes(`/wrong-${index}.ts(`));
  expect(found).toEqual([expect.stringMatching(error)]);
});

test('a scope that no route uses is refused and named', () => {
  const found = errors.filter((each) => each.includes('/schema/'));
  expect(found).toEqual([expect.stringMatching(/schema\/routes\.ts.*alerts:dream/s)]);
});

test('the same code without the mistake compiles', () => {
  expect(errors.filter((each) => !/\/(wrong-\d+|schema\/routes)\.ts\(/.test(each))).toEqual([]);
});
