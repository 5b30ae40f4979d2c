import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { unlessQuick } from '../../../support/score/score.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { commandLineOf } from '../../../support/world/command-line.ts';

type Item = Record<string, unknown>;
type Configuration = {
  version: number;
  settings: Item;
  teams: Item[];
  rules: Item[];
  maintenance: Item[];
  webhooks: Item[];
};

const secrets = {
  CHAT: 'https://hooks.slack.com/services/T0/B0/planted-chat-secret-1',
  SIGNING: 'planted-signing-secret-2',
  HEADER: 'planted-header-secret-3',
};
let api: Awaited<ReturnType<typeof startTestApi>>;
let line: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  api = await startTestApi();
  line = commandLineOf(api);
});
afterAll(() => api.stop());

const exported = async () => (await line.run(['export'])).out;
const steps = async (command: 'plan' | 'apply', input: string, ...flags: string[]) => {
  const { status, out, err } = await line.run([command, '-', '--json', ...flags], { input, env: secrets });
  expect([status, err], input).toEqual([0, '']);
  return JSON.parse(out) as { action: string; kind: string; name: string; changes: unknown[] }[];
};
const fresh = (): Item => ({ version: 1 });

const name = fc.constantFrom('alpha', 'Beta 2', 'gamma', 'delta');
const group = fc.constantFrom('north', 'south', 'east');
const some = <T>(value: fc.Arbitrary<T>, maxLength = 2) => fc.uniqueArray(value, { minLength: 1, maxLength });
const team = fc.record(
  {
    name,
    emails: some(fc.constantFrom('a@example.com', 'b@example.com')),
    phones: some(fc.constantFrom('+46701234567', '+46701234568')),
    chats: fc.constant([{ kind: 'slack', url: { env: 'CHAT' } }]),
    people: fc.constant([{ personId: 'anna', name: 'Anna Berg', email: 'anna@example.com' }]),
    escalation: fc.constant({ steps: [{ afterMinutes: 0, team: 'operations' }], repeatMinutes: 20 }),
    quietHours: fc.constant({ schedule: 'night', hold: ['ERROR'] }),
  },
  { requiredKeys: ['name'] },
);
const rule = fc.record(
  {
    name,
    condition: fc.record(
      { code: fc.constantFrom('CONN_001', 'CONN_*', '*'), group: some(group) },
      { requiredKeys: ['code'] },
    ),
    action: fc.record(
      { priority: fc.constantFrom('P1', 'P4'), notify: some(fc.constantFrom('email', 'sms')) },
      { requiredKeys: ['priority'] },
    ),
    enabled: fc.boolean(),
  },
  { requiredKeys: ['name', 'condition', 'action'] },
);
const window = fc.record(
  {
    name,
    reason: fc.constantFrom('works', 'tests'),
    scope: fc.record(
      { groups: some(group), codes: some(fc.constantFrom('CONN_*', 'RES_001')) },
      { requiredKeys: ['groups'] },
    ),
    recurrence: fc.record(
      {
        weekdays: some(fc.constantFrom('mon', 'sat')),
        from: fc.constant('22:00'),
        to: fc.constant('04:00'),
        until: fc.constant('2027-01-01T00:00:00+01:00'),
      },
      { requiredKeys: ['weekdays', 'from', 'to'] },
    ),
  },
  { requiredKeys: ['name', 'scope', 'recurrence'] },
);
const webhook = fc.record(
  {
    url: fc.constantFrom('https://a.example.com/hook', 'https://b.example.com/', 'https://c.example.com:8443/x?y=1'),
    method: fc.constantFrom('POST', 'PUT'),
    events: some(fc.constantFrom('alert', 'detection', 'incident')),
    filter: fc.oneof(fc.constant(null), fc.record({ groups: some(group) })),
    headers: fc.constantFrom({}, { 'X-Place': 'hall' }, { 'X-Place': 'door', Authorization: { env: 'HEADER' } }),
    secret: fc.oneof(fc.constant({ env: 'SIGNING' }), fc.constant(null)),
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    enabled: fc.boolean(),
    description: fc.constantFrom('one', 'two', null),
  },
  { requiredKeys: ['url'] },
);
const lists = {
  teams: [team, 'name'],
  rules: [rule, 'name'],
  maintenance: [window, 'name'],
  webhooks: [webhook, 'url'],
} as const;
const edit = fc.oneof(
  ...Object.entries(lists).flatMap(([section, [item, key]]) => [
    fc.record({ section: fc.constant(section), key: fc.constant(key), put: item as fc.Arbitrary<Item> }),
    fc.record({ section: fc.constant(section), key: fc.constant(key), drop: fc.nat({ max: 3 }) }),
  ]),
  fc.record({ section: fc.constant('settings'), timeZone: fc.constantFrom('Europe/Stockholm', 'UTC', 'Asia/Tokyo') }),
);

const ofAllGroups: Item = { name: 'alpha', condition: { code: 'CONN_001' }, action: { priority: 'P1' } };

/** Applies one edit to a file, as a person would. */
function edited(
  file: Configuration,
  change: typeof edit extends fc.Arbitrary<infer Edit> ? Edit : never,
): Configuration {
  if ('timeZone' in change) return { ...file, settings: { ...file.settings, timeZone: change.timeZone } };
  const list = file[change.section as keyof typeof lists];
  if ('drop' in change)
    return {
      ...file,
      [change.section]: list.filter((item, at) => at !== change.drop || item['name'] === 'operations'),
    };
  const others = list.filter((item) => item[change.key] !== change.put[change.key]);
  return { ...file, [change.section]: [...others, change.put] };
}

test('for random edits: an export applied changes nothing, plan lists exactly what apply does, and a second apply does nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
      const before = await exported();
      expect(await steps('apply', before, '--prune')).toEqual([]);
      const text = stringify(edits.reduce(edited, parse(before) as Configuration));
      const planned = await steps('plan', text, '--prune');
      expect(await exported()).toBe(before);
      expect(await steps('apply', text, '--prune')).toEqual(planned);
      expect(await steps('apply', text, '--prune')).toEqual([]);
      const after = await exported();
      if (planned.length > 0) expect(after).not.toBe(before);
      expect(await steps('plan', after, '--prune')).toEqual([]);
      for (const secret of Object.values(secrets)) {
        for (const shown of [after, JSON.stringify(planned)]) expect(shown).not.toContain(secret);
      }
      api.world.pass(1);
    }),
    // A rule of all groups: the service writes it differently from a person.
    { numRuns: unlessQuick(6, 20), examples: [[[{ section: 'rules', key: 'name', put: ofAllGroups }]]] },
  );
});

describe('a file that does not fit', () => {
  test.each<[what: string, text: string, said: string]>([
    ['no YAML', 'version: 1\nrules: [\n', 'file:'],
    ['a member twice', 'version: 1\nversion: 1\n', ':2:1: Map keys must be unique'],
    ['another version', 'version: 2\n', ':1:10: version must be 1'],
    ['no version', 'rules: []\n', 'version must be 1'],
    ['an unknown section', 'version: 1\nrulez: []\n', ':2:8: rulez is not known here: there are teams, settings'],
    [
      'an unknown member',
      'version: 1\nrules:\n  - name: x\n    condition: {code: "*"}\n    action: {priority: P1}\n    colour: red\n',
      ':6:13: rules.0.colour is not known here',
    ],
    [
      'a value that does not fit',
      `version: 1\nrules:\n  - name: x\n    condition: {code: "*"}\n    action: {priority: ${'x'.repeat(41)}}\n`,
      ':5:24: rules.0.action.priority must NOT have more than 40 characters',
    ],
    ['a name twice', 'version: 1\nteams:\n  - name: a\n  - name: a\n', ':4:11: teams.1.name appears twice'],
    [
      'a secret in the file',
      'version: 1\nwebhooks:\n  - url: https://x.example.com/\n    secret: abc\n',
      ':4:13: webhooks.0.secret must be {env: NAME}',
    ],
    [
      'a credential in a header',
      'version: 1\nwebhooks:\n  - url: https://x.example.com/\n    headers: {X-Api-Key: abc}\n',
      'webhooks.0.headers.X-Api-Key must be {env: NAME}',
    ],
    [
      'the address of a chat',
      'version: 1\nteams:\n  - name: a\n    chats: [{kind: slack, url: "https://x.example.com"}]\n',
      'teams.0.chats.0.url must be {env: NAME}',
    ],
    [
      'a secret that is not set',
      'version: 1\nwebhooks:\n  - url: https://x.example.com/\n    secret: {env: NOT_SET}\n',
      'webhooks.0.secret needs the environment variable NOT_SET',
    ],
    [
      'an unknown id',
      'version: 1\nwebhooks:\n  - url: https://x.example.com/\n    webhookId: 00000000-0000-4000-8000-000000000001\n',
      'webhooks.0.webhookId is not the id of any of the webhooks',
    ],
    [
      'aliases that explode',
      `version: 1\nrules: [&a [x,x,x,x,x,x,x,x,x], &b [*a,*a,*a,*a,*a,*a,*a,*a,*a], &c [*b,*b,*b,*b,*b,*b,*b,*b,*b], &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]]\n`,
      'alias',
    ],
  ])('%s is named with its place, with status 2, and nothing is done', async (_, text, said) => {
    const before = await exported();
    const { status, out, err } = await line.run(['apply', '-', '--prune'], { input: text, env: secrets });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(said.replace('file:', '-:'));
    expect(await exported()).toBe(before);
  });
});

test('apply leaves lists alone that the file does not name, and deletes nothing without --prune', async () => {
  await steps('apply', stringify({ ...fresh(), teams: [], rules: [] }), '--prune');
  const rules = [{ name: 'kept', condition: { code: '*' }, action: { priority: 'P1' } }];
  await steps('apply', stringify({ ...fresh(), rules }));
  expect(await steps('apply', stringify({ ...fresh(), teams: [] }), '--prune')).toEqual([]);
  expect(await steps('apply', stringify({ ...fresh(), rules: [] }))).toEqual([]);
  expect(await steps('apply', stringify({ ...fresh(), rules: [] }), '--prune')).toMatchObject([
    { action: 'delete', name: 'kept' },
  ]);
});

test('chats and endpoints get their secrets from the environment, and keep them if the environment has none', async () => {
  const teams = [{ name: 'night', chats: [{ kind: 'slack', url: { env: 'CHAT' } }] }];
  const webhooks = [
    { url: 'https://x.example.com/', secret: { env: 'SIGNING' }, headers: { Authorization: { env: 'HEADER' } } },
  ];
  await steps('apply', stringify({ ...fresh(), teams, webhooks }));
  const after = await exported();
  const without = await line.run(['plan', '-', '--json', '--prune'], { input: after });
  expect([without.status, JSON.parse(without.out)]).toEqual([0, []]);
  const moved = after.replace('https://x.example.com/', 'https://elsewhere.example.com/');
  const refused = await line.run(['plan', '-', '--prune'], { input: moved });
  expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('which is not set')]);
});

test('the example file of the README is valid', async () => {
  const [, text = ''] = /```yaml\n([\s\S]+?)```/.exec(readFileSync('cli/README.md', 'utf8')) ?? [];
  const env = { WEBHOOK_SECRET: 's', WEBHOOK_TOKEN: 't' };
  const { status, out } = await line.run(['plan', '-', '--json'], { input: text, env });
  expect([status, JSON.parse(out)]).toMatchObject([
    0,
    [{ name: 'Gates first' }, { name: 'https://hooks.example.com/watchpost' }],
  ]);
});

test('two endpoints with the same address are distinguished by their ids', async () => {
  const body = { url: 'https://twin.example.com/', events: ['alert'] };
  for (const description of ['one', 'two']) await api.call('POST', '/v1/webhooks', { body: { ...body, description } });
  const text = await exported();
  expect(text.match(/webhookId/g)).toHaveLength(2);
  expect(await steps('plan', text, '--prune')).toEqual([]);
  const { status, err } = await line.run(['plan', '-'], {
    input: stringify({ ...fresh(), webhooks: [{ url: body.url }] }),
  });
  expect([status, err]).toEqual([2, expect.stringContaining('say which by webhookId')]);
});

test('apply does not overwrite what somebody else has changed since the plan', async () => {
  const rules = [{ name: 'raced', condition: { code: '*' }, action: { priority: 'P1' } }];
  await steps('apply', stringify({ ...fresh(), rules }));
  const racing = commandLineOf({
    issuer: api.issuer,
    fetch: async (request) => {
      if (request.method === 'PUT') {
        const { rules: found } = (await api.call('GET', '/v1/rules')).body;
        const { ruleId } = found.find((each: { name: string }) => each.name === 'raced');
        await api.call('PUT', `/v1/rules/${ruleId}`, { body: { ...rules[0], action: { priority: 'P2' } } });
      }
      return api.fetch(request);
    },
  });
  const changed = [{ ...rules[0], action: { priority: 'P3' } }];
  const { status, err } = await racing.run(['apply', '-'], { input: stringify({ ...fresh(), rules: changed }) });
  expect([status, err]).toEqual([1, expect.stringContaining('precondition-failed')]);
  expect(err).toContain('change of rules "raced" was refused; 0 of 1 steps are done.');
});

test('a team is created before the teams that escalate to it', async () => {
  const escalation = { steps: [{ afterMinutes: 0, team: 'z-last' }], repeatMinutes: 30 };
  const teams = [{ name: 'a-first', escalation }, { name: 'z-last' }];
  const made = await steps('apply', stringify({ ...fresh(), teams }));
  expect(made.map(({ action, name }) => `${action} ${name}`)).toEqual(['create z-last', 'create a-first']);
  expect(await steps('plan', stringify({ ...fresh(), teams }))).toEqual([]);
});
