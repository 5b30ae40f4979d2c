import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * One step of a recipe: inserts `text` into a file after the text `behind`; null: creates the file. `refusedBy`: the step of `npm run check` that
 * fails without it, and what it says.
 */
type Step = { file: string; behind: string | null; text: string; refusedBy: [step: Check, says: string] };
type Check = 'types' | 'alert codes';

const vocabulary = 'shared/schema/vocabulary.ts';
const limits = 'shared/domain/limits.ts';
const conditions = 'shared/domain/alert/conditions.ts';
const intakeDialects = 'shared/domain/intake/dialects.ts';
const handlers = 'functions/api/handlers/devices.ts';
const senders = 'shared/adapters/channels/senders.ts';

/** By names that nobody else will use. */
const recipes: Record<string, Step[]> = {
  'An alert code.': [
    {
      file: vocabulary,
      behind: 'export const alertCatalogue = {\n',
      text: "  RES_098: { severity: 'WARNING', category: 'resource', title: 'Answers of the recipes late' },\n",
      refusedBy: ['types', `'"RES_098"'`],
    },
    {
      file: conditions,
      behind: 'const resourceConditions: readonly Condition[] = [\n',
      text: `  {
    code: 'RES_098',
    fact: 'latency',
    holds: ({ measures: { latency } }) => {
      const reading = latestReading(latency);
      if (!reading || reading.value < thresholds.latencyOfRecipes) return null;
      return { message: \`Answers of the recipes at \${reading.value} ms\`, context: { latencyMs: reading.value } };
    },
  },
`,
      refusedBy: ['alert codes', 'RES_098'],
    },
    {
      file: limits,
      behind: 'export const thresholds = {\n',
      text: '  /** RES_098 begins at or above, milliseconds. */\n  latencyOfRecipes: 90_000,\n',
      refusedBy: ['types', "'latencyOfRecipes'"],
    },
  ],
  'An alert code with a new measurement.': [
    {
      file: vocabulary,
      behind: 'export const alertCatalogue = {\n',
      text: "  RES_099: { severity: 'ERROR', category: 'resource', title: 'Fan of the recipes hot' },\n",
      refusedBy: ['types', `'"RES_099"'`],
    },
    {
      file: vocabulary,
      behind: 'export const measures = {\n',
      text: `  fan: {
    section: 'fan',
    member: 'celsius',
    range: { minimum: -100, maximum: 500 },
    title: 'Fan of the recipes',
    unit: '°C',
    reading: 'fanCelsius',
    limit: 'thresholdCelsius',
  },
`,
      refusedBy: ['types', `'"fan"'`],
    },
    {
      file: conditions,
      behind: 'const resourceConditions: readonly Condition[] = [\n',
      text: "  // RES_099\n  { code: 'RES_099', ...measuredAt('fan', 'high') },\n",
      refusedBy: ['alert codes', 'RES_099'],
    },
    {
      file: limits,
      behind: 'export const measureLimits = {\n',
      text: '  fan: { high: { above: 80, endsAt: 70 }, worse: [90] },\n',
      refusedBy: ['types', "'fan' is missing"],
    },
  ],
  'A bridge dialect.': [
    {
      file: vocabulary,
      behind: 'export const dialectNames = [',
      text: "'of-recipes', ",
      refusedBy: ['types', "'of-recipes'"],
    },
    {
      file: intakeDialects,
      behind: '{ fault: Fault }> = {\n',
      text: `  'of-recipes': ({ attributes: { client, about }, data }) => {
    if (!client) return missing('client');
    return about ? { deviceId: client, kind: about, bytes: data } : missing('about');
  },
`,
      refusedBy: ['types', `'"of-recipes"' is missing`],
    },
  ],
  'A route.': [
    {
      file: 'shared/schema/device/routes.ts',
      behind: 'export const deviceRoutes = {\n',
      text: `  readOfRecipes: {
    method: 'get',
    path: '/v1/devices/{deviceId}/of-recipes',
    scope: 'devices:read',
    summary: 'Read one device as the recipes do.',
    answer: Device,
  },
`,
      refusedBy: ['types', "'readOfRecipes'"],
    },
    {
      file: 'shared/app/devices/of-recipes.ts',
      behind: null,
      text: `import type { Device } from '../../schema/device/device.ts';
import type { Bearer } from '../bearer.ts';
import type { World } from '../ports.ts';
import { getDevice } from './devices.ts';

export async function readOfRecipes(world: World, bearer: Bearer, deviceId: string): Promise<Device> {
  return getDevice(world, bearer, deviceId);
}
`,
      refusedBy: ['types', "of-recipes.ts'"],
    },
    {
      file: handlers,
      behind: '  return {\n',
      text: '    readOfRecipes: async ({ world, params, bearer }) => ({ body: await readOfRecipes(world, bearer, params.deviceId) }),\n',
      refusedBy: ['types', "'readOfRecipes'"],
    },
    {
      file: handlers,
      behind: '',
      text: "import { readOfRecipes } from '../../../shared/app/devices/of-recipes.ts';\n",
      refusedBy: ['types', "Cannot find name 'readOfRecipes'"],
    },
  ],
  'A channel.': [
    {
      file: vocabulary,
      behind: 'export const channelTable = {\n',
      text: `  pager: {
    title: 'Pager of the recipes',
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
    notifies: [],
    updates: { acknowledged: [], resolved: [] },
  },
`,
      refusedBy: ['types', "'pager'"],
    },
    {
      file: 'shared/adapters/channels/pager/pager-sender.ts',
      behind: null,
      text: `import type { Sender } from '../../../app/ports.ts';
import type { OutboundClient } from '../../outbound/client.ts';
import { notTaken, taken } from '../outcome.ts';

export function createPagerSender({ url, client }: { url: string; client: OutboundClient }): Sender {
  return {
    async send({ target, body }) {
      if (target.kind !== 'pager') return notTaken('not_configured', 'It is no page.', { isRetryable: false });
      const message = { url: \`\${url}/\${target.address}\`, method: 'POST', headers: {}, timeoutMs: 10_000 } as const;
      const { statusCode, excerpt } = await client.send({ ...message, body: Buffer.from(body) });
      if (statusCode === 200) return taken(statusCode, excerpt);
      return notTaken('http_status', 'The pager did not answer 200.', { isRetryable: true });
    },
  };
}
`,
      refusedBy: ['types', "pager-sender.ts'"],
    },
    {
      file: senders,
      behind: 'Sender | null> = {\n',
      text: '  pager: ({ config: { smsUrl: url }, client }) => createPagerSender({ url, client }),\n',
      refusedBy: ['types', "'pager' is missing"],
    },
    {
      file: senders,
      behind: '',
      text: "import { createPagerSender } from './pager/pager-sender.ts';\n",
      refusedBy: ['types', "Cannot find name 'createPagerSender'"],
    },
  ],
};

/** What works when all recipes were followed, as a test that runs in the copy. */
const behaviour = `import { expect, test } from 'vitest';
import { createSenders } from '../../shared/adapters/channels/senders.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { render } from '../../shared/app/messages/render.ts';
import type { DialectName } from '../../shared/schema/vocabulary.ts';
import { giveRule, giveTeam, messagesOf, openTestAlert } from '../support/records/alerts.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { dataKeys } from '../support/world/secret-box.ts';
import { startTrustedReceiver } from '../support/world/webhooks.ts';
import { createTestWorld, type TestWorld } from '../support/world/world.ts';

async function report(world: TestWorld, body: object, bridgeDialect: DialectName, attributes: Record<string, string>) {
  const message = { messageId: 'm', publishTime: world.now(), attributes, data: Buffer.from(JSON.stringify(body)) };
  await takeMessage(world, message, { bridgeDialect, autoRegister: true, frames });
  return (await world.store.find({ in: 'alerts', limit: 10 })).map(({ data }) => data);
}
const native = { deviceId: 'cam-1', kind: 'status' };

test('a report of 99 s opens the code', async () => {
  const alerts = await report(createTestWorld(), { mqtt: { latencyMs: 99_000 } }, 'native', native);
  expect(alerts.map(({ code }) => code)).toContain('RES_098');
});

test('a report of 99 °C opens the code of the new measurement, and the route shows the reading', async () => {
  const world = createTestWorld();
  expect(await report(world, { fan: { celsius: 80 } }, 'native', native)).toEqual([]);
  const api = await startTestApi(createTestWorld());
  const [alert] = await report(api.world, { fan: { celsius: 99 } }, 'native', native);
  expect(alert).toMatchObject({
    code: 'RES_099',
    message: 'Fan of the recipes at 99 °C, limit 80 °C',
    context: { fanCelsius: 99, thresholdCelsius: 80 },
  });
  const { status, body } = await api.call('GET', '/v1/devices/cam-1/of-recipes');
  await api.stop();
  expect([status, body.deviceId, body.readings]).toEqual([200, 'cam-1', { fanCelsius: 99 }]);
});

test('a message of the dialect becomes an alert', async () => {
  const attributes = { client: 'cam-2', about: 'status' };
  const alerts = await report(createTestWorld(), { memory: { usedPercent: 95 } }, 'of-recipes', attributes);
  expect(alerts).toMatchObject([{ code: 'RES_001', deviceId: 'cam-2' }]);
});

test('the stand-in of the channel receives a message', async () => {
  const [world, receiver] = [createTestWorld(), await startTrustedReceiver()];
  await giveTeam(world, 'operations', { pagers: ['12345'] });
  await giveRule(world, { name: 'A', condition: { code: 'CONN_001' }, action: { notify: ['pager'] } });
  await openTestAlert(world);
  const message = (await messagesOf(world)).find(({ channel }) => channel === 'pager');
  if (!message) throw new Error('nobody is notified');
  const config = {
    ...{ dataKeys, webhookAllowHosts: [\`localhost:\${receiver.port}\`], smtpUrl: null, mailFrom: 'a@example.com' },
    ...{ consoleUrl: 'https://console.example.com', smsUrl: receiver.urlOf('pager'), smsAccount: null, smsToken: null },
    ...{ smsFrom: null, drillTargets: null, heartbeatUrls: [] },
  };
  const body = (await render(world, message, world.now()))?.body ?? '';
  const outcome = await createSenders(config, world.store)[message.channel]?.send({ ...message, body }, 1, null);
  await receiver.stop();
  expect(outcome).toMatchObject({ statusCode: 200 });
  expect(receiver.received).toMatchObject([{ method: 'POST', hook: 'pager/12345', body }]);
});
`;

/** Each test runs compilers, and other tests may keep the machine busy. */
const patience = { timeout: 600_000 };

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'recipes-'));
  const left = new Set(['node_modules', '.git', 'dist', 'test-output']);
  cpSync('.', root, { recursive: true, filter: (path) => !path.split(sep).some((part) => left.has(part)) });
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
});
afterAll(() => rmSync(root, { recursive: true }));

/** Restores the copy, and then applies the steps to it. */
function apply(steps: readonly Step[]): void {
  const touched = new Set(Object.values(recipes).flatMap((steps) => steps.map(({ file }) => file)));
  for (const file of touched) {
    rmSync(join(root, file), { force: true });
    if (existsSync(file)) cpSync(file, join(root, file));
  }
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

/** The output of a command in the copy; empty if it succeeds. */
function run(command: string, ...args: string[]): string {
  const { TEST_SET: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', env });
  return status === 0 ? '' : `${stdout}${stderr}` || 'failed';
}
const checks: Record<Check, () => string> = {
  types: () => run('tsc', '-p', '.'),
  'alert codes': () => run('node', 'tools/alert-codes.ts'),
};
const generated = (...args: string[]) => run('node', 'tools/gen.ts', ...args);
const all = Object.values(recipes).flat();

test.each([
  ['An alert code.', 3],
  ['An alert code with a new measurement.', 3],
  ['A bridge dialect.', 2],
  ['A route.', 3],
  ['A channel.', 3],
])('the recipe names the files to change. %s %i', (name, count) => {
  const recipe = readFileSync('CONTRIBUTING.md', 'utf8').split(`**${name}**`)[1]?.split('\n\n')[0] ?? '';
  const files = [...new Set(recipes[name]?.map(({ file }) => file))];
  expect(files).toHaveLength(count);
  for (const file of files) expect(recipe).toContain(nameIn(file));
});

/** The name of a file as a recipe writes it, with placeholders. */
function nameIn(file: string): string {
  return file
    .replace('/device/', '/<noun>/')
    .replace('/devices/of-recipes.ts', '/<noun>/')
    .replace('devices.ts', '<noun>.ts')
    .replaceAll('pager', '<name>');
}

describe('after all recipes', () => {
  beforeAll(() => {
    apply(all);
    mkdirSync(join(root, 'test/recipes'));
    writeFileSync(join(root, 'test/recipes/behaviour.test.ts'), behaviour);
  });
  afterAll(() => rmSync(join(root, 'test/recipes'), { recursive: true }));

  test('the generated files are out of date until `npm run gen`', patience, () => {
    expect(generated('--check')).toContain('out of date');
    expect(generated()).toBe('');
    expect(generated('--check')).toBe('');
  });

  test.each([
    ['types', 'tsc', '-p', '.'],
    ['types of the console', 'tsc', '-p', 'console'],
    ['layers', 'node', 'tools/layers.ts'],
    ['alert codes', 'node', 'tools/alert-codes.ts'],
    ['outbound calls', 'node', 'tools/outbound.ts'],
    ['size of the house', 'node', 'tools/house.ts'],
    ['map', 'node', 'tools/map.ts'],
  ])('%s of `npm run check` succeeds', patience, (_, command, ...args) => {
    expect(run(command, ...args)).toBe('');
  });

  test('the code opens, the message arrives, the route answers and the dialect is read', patience, () => {
    writeFileSync(
      join(root, 'recipes.config.ts'),
      "export default { test: { include: ['test/recipes/*.test.ts'], testTimeout: 60_000 } };\n",
    );
    expect(run('vitest', 'run', '--config', 'recipes.config.ts')).toBe('');
  });

  test('the quick tests of the rooms that they touch succeed', patience, () => {
    const rooms = [
      'domain/alert',
      'domain/device',
      'domain/intake',
      'domain/notify',
      'domain/messages',
      'domain/settings',
    ];
    const folders = [...rooms, 'schema', 'app/notify', 'app/settings'].map((room) => `test/shared/${room}/`);
    expect(run('vitest', 'run', '--project=unit', ...folders)).toBe('');
  });
});

describe('`npm run check` fails without', () => {
  /** One step of each recipe at a time: each is refused by what only it can cause. */
  test.each([0, 1, 2, 3])('the steps at place %i of the recipes', patience, (place) => {
    const left = Object.values(recipes).flatMap((steps) => steps.slice(place, place + 1));
    apply(all.filter((step) => !left.includes(step)));
    const found = checks.types();
    for (const { refusedBy: by } of left) if (by[0] === 'types') expect(found).toContain(by[1]);
    // Runs what it checks, so that another step that is missing would stop it.
    for (const step of left.filter(({ refusedBy }) => refusedBy[0] === 'alert codes')) {
      apply(all.filter((other) => other !== step));
      expect(checks['alert codes']()).toContain(step.refusedBy[1]);
    }
  });

  test('the call by the guard: a raw fetch in a sender', patience, () => {
    const sender = 'shared/adapters/channels/pager/pager-sender.ts';
    apply(
      all.map((step) =>
        step.file === sender ? { ...step, text: step.text.replace('client.send(', 'fetch(url, ') } : step,
      ),
    );
    expect(run('node', 'tools/outbound.ts')).toContain(`${sender}:10: fetch`);
  });

  test('a condition, though a comment names the code', patience, () => {
    apply(
      all.map((step) =>
        step.text.startsWith('  // RES_099') ? { ...step, text: "  // { code: 'RES_099' }\n" } : step,
      ),
    );
    expect(checks['alert codes']()).toMatch(/RES_099: no condition[\s\S]*the measure fan: no condition/);
  });

  test('the members of a measure', patience, () => {
    const members = /^ {4}(section|member|unit|reading|limit): .*\n/gm;
    apply(all.map((step) => (step.file === vocabulary ? { ...step, text: step.text.replace(members, '') } : step)));
    expect(checks.types()).toMatch(
      /missing the following properties from type 'MeasureRow': section, member, unit, reading/,
    );
  });
});
