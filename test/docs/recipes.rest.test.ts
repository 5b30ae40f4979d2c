import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** One step of a recipe: inserts `text` into a file after the text `behind`; null: creates the file. */
type Step = { file: string; behind: string | null; text: string };

const vocabulary = 'shared/schema/vocabulary.ts';
const recipes: Record<string, Step[]> = {
  'An alert code.': [
    {
      file: vocabulary,
      behind: 'export const alertCatalogue = {\n',
      text: "  RES_005: { severity: 'WARNING', category: 'resource', title: 'Storage nearly worn out' },\n",
    },
    {
      file: 'shared/domain/alert/conditions.ts',
      behind: 'export const resourceConditions: readonly Condition[] = [\n',
      text: `  {
    code: 'RES_005',
    fact: 'storage',
    holds: (device) => {
      const reading = latestReading(device.measures.storage);
      if (!reading || reading.value > thresholds.storageWorn) return null;
      return { message: \`Only \${reading.value} MB can be written\`, context: { storageFreeMegabytes: reading.value } };
    },
  },
`,
    },
    {
      file: 'shared/domain/limits.ts',
      behind: 'export const thresholds = {\n',
      text: '  /** RES_005 begins at or under, megabytes. */\n  storageWorn: 5,\n',
    },
  ],
  'A bridge dialect.': [
    { file: vocabulary, behind: 'export const dialectNames = [', text: "'hivemq', " },
    {
      file: 'shared/domain/intake/dialects.ts',
      behind: '{ fault: Fault }> = {\n',
      text: '  hivemq: ({ attributes, data }) => {\n    const { client, kind } = attributes;\n    if (!client) return missing("client");\n    return kind ? { deviceId: client, kind, bytes: data, isLeftover: false } : missing("kind");\n  },\n',
    },
  ],
  'A route.': [
    {
      file: 'shared/schema/device/routes.ts',
      behind: 'export const deviceRoutes = {\n',
      text: `  seeDevice: {
    method: 'get',
    path: '/v1/devices/{deviceId}/seen',
    scope: 'devices:read',
    summary: 'Read one device as it was last seen.',
    answer: Device,
  },
`,
    },
    {
      file: 'shared/app/devices/see.ts',
      behind: null,
      text: `import type { Device } from '../../schema/device/device.ts';
import type { Bearer } from '../bearer.ts';
import type { World } from '../ports.ts';
import { getDevice } from './devices.ts';

export async function seeDevice(world: World, bearer: Bearer, deviceId: string): Promise<Device> {
  return getDevice(world, bearer, deviceId);
}
`,
    },
    {
      file: 'functions/api/handlers/devices.ts',
      behind: '  return {\n',
      text: '    seeDevice: async ({ world, params, bearer }) => ({ body: await seeDevice(world, bearer, params.deviceId) }),\n',
    },
    {
      file: 'functions/api/handlers/devices.ts',
      behind: '',
      text: "import { seeDevice } from '../../../shared/app/devices/see.ts';\n",
    },
  ],
  'A channel.': [
    {
      file: vocabulary,
      behind: 'export const channelTable = {\n',
      text: `  pager: {
    title: 'Pager',
    contacts: {
      member: 'pagers',
      hint: 'One a line.',
      maxLength: 12,
      pattern: '^[0-9]{5,12}$',
      isCaseless: false,
      examples: ['12345'],
    },
    form: 'sms',
    attempts: 3,
    isForNotices: false,
    notifies: ['CRITICAL'],
    updates: { acknowledged: [], resolved: ['CRITICAL'] },
  },
`,
    },
    {
      file: 'shared/adapters/channels/pager/pager-sender.ts',
      behind: null,
      text: `import type { Sender } from '../../../app/ports.ts';
import { notTaken, taken } from '../outcome.ts';

export function createPagerSender(): Sender {
  return {
    async send({ target, body }) {
      if (target.kind !== 'pager') return notTaken('not_configured', 'It is no page.', { isRetryable: false });
      return taken(null, \`\${target.address} \${body.length}\`);
    },
  };
}
`,
    },
    {
      file: 'shared/adapters/channels/senders.ts',
      behind: 'Sender | null> = {\n',
      text: '  pager: createPagerSender,\n',
    },
    {
      file: 'shared/adapters/channels/senders.ts',
      behind: '',
      text: "import { createPagerSender } from './pager/pager-sender.ts';\n",
    },
  ],
};

/** Each test runs compilers, and other tests may keep the machine busy. */
const patience = { timeout: 300_000 };

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'recipes-'));
  for (const part of [
    'functions',
    'shared',
    'console',
    'sdk',
    'tools',
    'terraform',
    'docs',
    'package.json',
    'firestore.indexes.json',
  ]) {
    cpSync(part, join(root, part), { recursive: true });
  }
  const config = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ ...config, include: ['functions', 'shared'] }));
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
});
afterAll(() => rmSync(root, { recursive: true }));

/** Restores the copy, and then applies the steps to it. */
function apply(steps: readonly Step[]): void {
  const touched = new Set(Object.values(recipes).flatMap((steps) => steps.map(({ file }) => file)));
  for (const file of touched) rmSync(join(root, file), { force: true });
  for (const file of touched) cpSync(file, join(root, file), { force: true, errorOnExist: false, filter: exists });
  for (const { file, behind, text } of steps) {
    const path = join(root, file);
    if (behind === null) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      continue;
    }
    const source = readFileSync(path, 'utf8');
    const at = source.indexOf(behind);
    expect(at, `${file} holds ${behind}`).toBeGreaterThanOrEqual(0);
    writeFileSync(path, source.slice(0, at + behind.length) + text + source.slice(at + behind.length));
  }
}

function exists(file: string): boolean {
  return !Object.values(recipes).some((steps) => steps.some((step) => step.behind === null && step.file === file));
}

/** The output of a check of `npm run check` in the copy; empty if it passes. */
function check(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}
const types = () => check('tsc', '-p', '.');
const codes = () => check('node', 'tools/alert-codes.ts');
const generated = (...args: string[]) => check('node', 'tools/gen.ts', ...args);
/** The files in which the compiler found errors. */
const complained = (said: string) => [...new Set([...said.matchAll(/^([\w./-]+)\(\d+,/gm)].map(([, file]) => file))];

test('the recipes name the files to change: code 3, dialect 2, route 3, channel 3', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  const counts = Object.entries(recipes).map(([name, steps]) => {
    const recipe = page.split(`**${name}**`)[1]?.split('\n\n')[0] ?? '';
    const files = [...new Set(steps.map(({ file }) => file))];
    for (const file of files)
      expect(recipe, name).toContain(file.includes('/devices/see') ? 'shared/app/' : nameIn(file));
    return [name, files.length];
  });
  expect(counts).toEqual([
    ['An alert code.', 3],
    ['A bridge dialect.', 2],
    ['A route.', 3],
    ['A channel.', 3],
  ]);
});

/** The name of a file as a recipe writes it, with placeholders. */
function nameIn(file: string): string {
  return file
    .replace('/device/', '/<noun>/')
    .replace('devices.ts', '<noun>.ts')
    .replace('resource.ts', '<category>.ts')
    .replaceAll('pager', '<name>');
}

test('after all recipes and `npm run gen`, the types, alert codes and generated files have no fault', patience, () => {
  apply(Object.values(recipes).flat());
  expect(generated('--check')).toContain('out of date');
  expect(generated()).toBe('');
  expect([types(), check('tsc', '-p', 'console'), codes(), generated('--check')]).toEqual(['', '', '', '']);
});

test('`npm run check` fails if a step of a recipe is left out', patience, () => {
  const all = Object.values(recipes);
  const without = (isLeftOut: (step: Step) => boolean) =>
    all.flatMap((steps) => steps.filter((step) => !isLeftOut(step)));
  // Only the first steps: the vocabulary and the table of routes.
  apply(all.flatMap(([first]) => (first ? [first] : [])));
  const [afterFirst, opened] = [types(), codes()];
  expect(complained(afterFirst)).toEqual(
    expect.arrayContaining([
      'shared/domain/intake/dialects.ts',
      'functions/api/handlers/devices.ts',
      'shared/adapters/channels/senders.ts',
    ]),
  );
  expect(opened).toContain('RES_005');
  // All but the first steps.
  apply(all.flatMap(([, ...others]) => others));
  expect(complained(types())).toEqual(
    expect.arrayContaining([
      'shared/domain/alert/conditions.ts',
      'shared/domain/intake/dialects.ts',
      'functions/api/handlers/devices.ts',
      'shared/adapters/channels/senders.ts',
    ]),
  );
  // All but steps in between: the threshold of the code, the use case of the route and the folder of the channel.
  apply(without(({ file, behind }) => behind === null || file.endsWith('/limits.ts')));
  expect(complained(types())).toEqual(
    expect.arrayContaining([
      'shared/domain/alert/conditions.ts',
      'functions/api/handlers/devices.ts',
      'shared/adapters/channels/senders.ts',
    ]),
  );
});
