import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { startTestApi } from '../../../support/world/api.ts';
import { commandLineOf } from '../../../support/world/command-line.ts';

type Item = Record<string, unknown>;
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
  await api.call('PUT', '/v1/devices', { body: { devices: [{ deviceId: 'cam-1', groupId: 'north' }] } });
});
afterAll(() => api.stop());

const exported = async () => (await line.run(['export'])).out;
const steps = async (command: 'plan' | 'apply', input: string, ...flags: string[]) => {
  const { status, out, err } = await line.run([command, '-', '--json', ...flags], { input, env: secrets });
  expect([status, err], input).toEqual([0, '']);
  return JSON.parse(out) as { action: string; kind: string; name: string; changes: unknown[] }[];
};
const fresh = (): Item => ({ version: 1 });

describe('a file that does not fit', () => {
  test.each<[what: string, text: string, said: string]>([
    ['no YAML', 'version: 1\nrules: [\n', 'file:'],
    ['a member twice', 'version: 1\nversion: 1\n', ':2:1: Map keys must be unique'],
    ['another version', 'version: 2\n', ':1:10: version must be 1'],
    ['no version', 'rules: []\n', 'version must be 1'],
    ['an unknown section', 'version: 1\nrulez: []\n', ':2:8: rulez is not known here: there are settings, teams'],
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
      'a member that cannot be removed',
      'version: 1\nsettings:\n  timeZone: null\n',
      ':3:13: settings.timeZone cannot be removed with null',
    ],
    [
      'an unknown member of the settings',
      'version: 1\nsettings: {quietHurs: {}}\n',
      'settings.quietHurs is not known here',
    ],
    [
      'a version that is no number',
      'version: 1\nwebhooks:\n  - url: https://x.example.com/\n    secret: {env: S, version: two}\n',
      ':4:13: webhooks.0.secret must be {env: NAME}',
    ],
    [
      'the credential of a hand-off',
      'version: 1\nteams:\n  - name: a\n    handoffs: [{kind: pagerduty, name: x, credential: abc}]\n',
      'teams.0.handoffs.0.credential must be {env: NAME}',
    ],
    [
      'an environment variable for a header that is shown',
      'version: 1\nwebhooks:\n  - url: https://x.example.com/\n    headers: {X-Place: {env: PLACE}}\n',
      'webhooks.0.headers.X-Place must be the value itself',
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

describe('a partial section', () => {
  const settings = async () => (await api.call('GET', '/v1/settings')).body;

  test('of the settings leaves quiet hours, escalation, other response times and other schedules as they were', async () => {
    const before = await settings();
    const night = { periods: [{ days: ['mon'], from: '01:00', to: '02:00' }] };
    await steps('apply', stringify({ ...fresh(), settings: { schedules: { first: night } } }));
    const given = { responseSeconds: { CRITICAL: 240 }, schedules: { second: night } };
    await steps('apply', stringify({ ...fresh(), settings: given }));
    expect(await settings()).toEqual({
      ...before,
      responseSeconds: { ...before.responseSeconds, CRITICAL: 240 },
      schedules: { ...before.schedules, first: night, second: night },
    });
    await steps('apply', stringify({ ...fresh(), settings: { schedules: { first: null, second: null } } }));
    expect((await settings()).schedules).toEqual(before.schedules);
  });
  test('of a team and of an endpoint leaves what it does not name, and null removes', async () => {
    const quietHours = { schedule: 'night', hold: ['ERROR'] };
    const url = 'https://partial.example.com/';
    const teams = [{ name: 'partial', emails: ['a@example.com'], quietHours }];
    const webhooks = [{ url, description: 'first', headers: { 'X-Place': 'hall', Authorization: { env: 'HEADER' } } }];
    await steps('apply', stringify({ ...fresh(), teams, webhooks }));
    await steps('apply', stringify({ ...fresh(), teams: [{ name: 'partial', phones: ['+46701234567'] }] }));
    expect((await api.call('GET', '/v1/teams/partial')).body).toMatchObject({ emails: ['a@example.com'], quietHours });
    const changed = { url, headers: { 'X-Place': 'door' }, description: null };
    await steps(
      'apply',
      stringify({ ...fresh(), teams: [{ name: 'partial', quietHours: null }], webhooks: [changed] }),
    );
    expect((await api.call('GET', '/v1/teams/partial')).body).not.toHaveProperty('quietHours');
    const found = (await api.call('GET', '/v1/webhooks')).body.webhooks.find((each: Item) => each['url'] === url);
    expect(found).toMatchObject({ headers: { 'X-Place': 'door', Authorization: '***' }, description: null });
  });
  test('never enables or disables an endpoint that it does not say so of', async () => {
    const url = 'https://disabled.example.com/';
    const { webhookId } = (await api.call('POST', '/v1/webhooks', { body: { url, enabled: false } })).body;
    await steps('apply', stringify({ ...fresh(), webhooks: [{ url, timeoutSeconds: 7 }] }));
    expect((await api.call('GET', `/v1/webhooks/${webhookId}`)).body).toMatchObject({
      enabled: false,
      timeoutSeconds: 7,
    });
  });
  test('of a condition is the whole condition, because what it leaves out has a meaning', async () => {
    const rule = { name: 'whole', condition: { code: '*', group: ['north'] }, action: { priority: 'P1' } };
    await steps('apply', stringify({ ...fresh(), rules: [rule] }));
    await steps('apply', stringify({ ...fresh(), rules: [{ name: 'whole', condition: { code: 'CONN_*' } }] }));
    const found = (await api.call('GET', '/v1/rules')).body.rules.find((each: Item) => each['name'] === 'whole');
    expect(found).toMatchObject({ condition: { code: 'CONN_*', group: [] }, action: { priority: 'P1' } });
  });
});

describe('names', () => {
  const refusal = async (sections: Item, ...flags: string[]) => {
    const before = await exported();
    const said = await line.run(['plan', '-', ...flags], {
      input: stringify({ ...fresh(), ...sections }),
      env: secrets,
    });
    expect(await exported()).toBe(before);
    return [said.status, said.err];
  };
  const rule = (part: Item, condition: Item = {}) => ({
    ...{ name: 'named', condition: { code: '*', ...condition }, action: { priority: 'P1', ...part } },
  });

  test.each<[what: string, sections: Item, said: string]>([
    [
      'a team of a rule',
      { rules: [rule({ team: 'nobody' })] },
      'rules.0.action.team names a team that does not exist: "nobody"',
    ],
    [
      'a misspelt team',
      { rules: [rule({ escalate_to: 'operatons' })] },
      'rules.0.action.escalate_to names a team that does not exist: "operatons": did you mean "operations"?',
    ],
    [
      'a schedule of a rule',
      { rules: [rule({}, { schedule: 'nigt' })] },
      'rules.0.condition.schedule names a schedule that does not exist: "nigt": did you mean "night"?',
    ],
    [
      'a schedule of an endpoint',
      { webhooks: [{ url: 'https://n.example.com/', filter: { schedule: 'never' } }] },
      'webhooks.0.filter.schedule names a schedule',
    ],
    [
      'a schedule of quiet hours',
      { settings: { quietHours: { schedule: 'never' } } },
      'settings.quietHours.schedule names a schedule',
    ],
    ['the escalation team', { settings: { escalationTeam: 'nobody' } }, 'settings.escalationTeam names a team'],
    [
      'a team of a policy',
      { teams: [{ name: 'a', escalation: { steps: [{ afterMinutes: 0, team: 'nobody' }] } }] },
      'teams.0.escalation.steps.0.team names a team',
    ],
    [
      'a person of a policy',
      { teams: [{ name: 'a', escalation: { steps: [{ afterMinutes: 0, personId: 'eve' }] } }] },
      'teams.0.escalation.steps.0.personId names nobody of the people of the team: "eve"',
    ],
    [
      'whoever is on call without a rotation',
      { teams: [{ name: 'a', escalation: { steps: [{ afterMinutes: 0, onCall: true }] } }] },
      'teams.0.escalation.steps.0.onCall needs `rotations`',
    ],
  ])('that do not exist are found by plan: %s', async (_, sections, said) => {
    expect(await refusal(sections)).toEqual([2, expect.stringContaining(said)]);
  });
  test('that a plan would leave dangling are found, also in records that the file does not contain', async () => {
    const teams = [{ name: 'leaving' }];
    await steps('apply', stringify({ ...fresh(), teams, rules: [rule({ team: 'leaving' })] }));
    const others = (await api.call('GET', '/v1/teams')).body.teams.filter((each: Item) => each['name'] !== 'leaving');
    const without = { teams: others.map((each: Item) => ({ name: each['name'] })) };
    expect(await refusal(without, '--prune')).toEqual([
      2,
      expect.stringContaining('would leave rules "named" with action.team "leaving": there would be no such team'),
    ]);
    await steps('apply', stringify({ ...fresh(), rules: [rule({ team: 'operations' })] }));
  });
  test('of groups without devices are told to a person, and are no fault', async () => {
    const scope = { groups: ['sout'] };
    const recurrence = { weekdays: ['mon'], from: '01:00', to: '02:00' };
    const sections = {
      rules: [rule({}, { group: ['north', 'nroth'] })],
      maintenance: [{ name: 'm', scope, recurrence }],
    };
    const { status, err } = await line.run(['plan', '-'], { input: stringify({ ...fresh(), ...sections }) });
    expect([status, err.split('\n')]).toEqual([
      0,
      [
        '-:8:11: rules.0.condition.group.1 names a group without devices: "nroth"',
        '-:15:11: maintenance.0.scope.groups.0 names a group without devices: "sout"',
        '',
      ],
    ]);
  });
});

test('plan --exit-code ends with 0 without changes, 2 with changes, and 1 for every error', async () => {
  const status = async (text: string, ...flags: string[]) =>
    (await line.run(['plan', '-', '--exit-code', ...flags], { input: text })).status;
  expect(await status(await exported(), '--prune')).toBe(0);
  expect(await status('version: 1\nsettings: {timeZone: Asia/Tokyo}\n')).toBe(2);
  expect(await status('version: 2\n')).toBe(1);
  expect(await status('version: 1\n', '--prnue')).toBe(1);
  expect((await line.run(['plan', 'none.yaml', '--exit-code'])).status).toBe(1);
  expect((await line.run(['plan', '-', '--exit-code'], { env: { WATCHPOST_TOKEN: 'no' } })).status).toBe(1);
  expect((await line.run(['plan', '-'], { input: 'version: 1\nsettings: {timeZone: Asia/Tokyo}\n' })).status).toBe(0);
});

test('a credential is sent again when its version changes, and a signing secret is then rotated', async () => {
  const url = 'https://rotated.example.com/';
  const file = (secret: Item, header: Item) =>
    stringify({
      ...fresh(),
      webhooks: [{ url, secret: { env: 'SIGNING', ...secret }, headers: { 'X-Key': { env: 'HEADER', ...header } } }],
    });
  const shown = async () =>
    (await api.call('GET', '/v1/webhooks')).body.webhooks.find((each: Item) => each['url'] === url) as Item;
  await steps('apply', file({}, {}));
  expect(await steps('plan', file({}, {}))).toEqual([]);
  expect((await steps('apply', file({ version: 2 }, {}))).map(({ action, changes }) => [action, changes])).toEqual([
    ['rotate', [{ member: 'secret', before: { hidden: true }, after: { hidden: true, version: 2 } }]],
  ]);
  expect(await shown()).toMatchObject({ credentialVersions: { secret: 2 }, secretPromotesAt: expect.any(String) });
  expect(await steps('plan', file({ version: 2 }, {}))).toEqual([]);
  expect((await steps('apply', file({ version: 3 }, { version: 7 }))).map(({ action }) => action)).toEqual([
    'change',
    'rotate',
  ]);
  expect(await shown()).toMatchObject({ credentialVersions: { secret: 3, headers: { 'X-Key': 7 } } });
  expect(await steps('plan', file({ version: 3 }, { version: 7 }))).toEqual([]);
  // Somebody writes a secret by hand: the version of the file is no longer that of the service.
  await api.call('POST', `/v1/webhooks/${(await shown())['webhookId']}/rotate-secret`, { body: {} });
  expect((await steps('plan', file({ version: 3 }, { version: 7 }))).map(({ action }) => action)).toEqual(['rotate']);
  const unset = await line.run(['plan', '-'], { input: file({ version: 4 }, { version: 7 }) });
  expect([unset.status, unset.err]).toEqual([
    2,
    expect.stringContaining('webhooks.0.secret needs the environment variable SIGNING'),
  ]);
});

test('the credential of a hand-off comes from the environment, and again with another version', async () => {
  const env = { KEY: '0123456789abcdef0123456789abcdef' };
  const file = (version: number) =>
    stringify({
      ...fresh(),
      teams: [{ name: 'desk', handoffs: [{ kind: 'pagerduty', name: 'Desk', credential: { env: 'KEY', version } }] }],
    });
  const applied = async (version: number) => {
    const { out, err } = await line.run(['apply', '-', '--json'], { input: file(version), env });
    return [JSON.parse(out).length, err];
  };
  expect([await applied(1), await applied(1), await applied(2), await applied(2)]).toEqual([
    [1, ''],
    [0, ''],
    [1, ''],
    [0, ''],
  ]);
  expect((await api.call('GET', '/v1/teams/desk')).body.handoffs).toMatchObject([
    { hasCredential: true, credentialVersion: 2 },
  ]);
});

test('an endpoint that moves to another address needs all its credentials, because the service keeps none', async () => {
  const url = 'https://moving.example.com/';
  const headers = { Authorization: { env: 'HEADER' } };
  await steps('apply', stringify({ ...fresh(), webhooks: [{ url, headers, secret: { env: 'SIGNING' } }] }));
  const { webhookId } = (await api.call('GET', '/v1/webhooks')).body.webhooks.find((each: Item) => each['url'] === url);
  const moved = { webhookId, url: 'https://moved.example.com/' };
  const input = stringify({ ...fresh(), webhooks: [moved] });
  const refused = await line.run(['plan', '-'], { input });
  expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('must be given as {env: NAME}')]);
  await steps('apply', stringify({ ...fresh(), webhooks: [{ ...moved, headers, secret: { env: 'SIGNING' } }] }));
  expect((await api.call('GET', `/v1/webhooks/${webhookId}`)).body).toMatchObject({
    hasSecret: true,
    headers: { Authorization: '***' },
  });
});

describe('a window that has ended', () => {
  const scope = { groups: ['north'] };
  const times = (day: string) => ({ startsAt: `${day}T01:00:00+01:00`, endsAt: `${day}T02:00:00+01:00` });
  const file = (day: string, more: Item = {}) =>
    stringify({ ...fresh(), maintenance: [{ name: 'Patch', scope, ...times(day), ...more }] });

  test('fits an item that says the same, and stays as it was when the file plans the next one under its name', async () => {
    await steps('apply', file('2020-01-01'));
    expect(await steps('plan', file('2020-01-01'), '--prune')).toEqual([]);
    expect(await exported()).not.toContain('2020-01-01');
    expect((await steps('apply', file('2099-01-01'))).map(({ action }) => action)).toEqual(['create']);
    const windows = async () => (await api.call('GET', '/v1/maintenance-windows')).body.windows as Item[];
    const starts = (await windows()).flatMap(({ name, startsAt }) => (name === 'Patch' ? [startsAt] : []));
    expect(starts.toSorted()).toEqual(['2020-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z']);
    expect((await steps('apply', file('2099-02-01'))).map(({ action }) => action)).toEqual(['change']);
    const old = (await windows()).find(({ startsAt }) => startsAt === '2020-01-01T00:00:00.000Z');
    const named = await line.run(['plan', '-'], { input: file('2099-03-01', { windowId: old?.['windowId'] }) });
    expect([named.status, named.err]).toEqual([
      2,
      expect.stringContaining('is the id of one of the maintenance that is over'),
    ]);
  });
});

test('two people with twelve edits of the same records lose none, whoever is refused and tries again', async () => {
  const rule = (name: string) => ({ name, condition: { code: '*' }, action: { priority: 'P3' }, enabled: true });
  const url = 'https://shared.example.com/';
  await steps(
    'apply',
    stringify({ ...fresh(), rules: [rule('shared')], teams: [{ name: 'shared' }], webhooks: [{ url }] }),
  );
  const edits: [Item[], Item[]] = [
    [
      { settings: { responseSeconds: { CRITICAL: 111 } } },
      { teams: [{ name: 'shared', emails: ['first@example.com'] }] },
      { webhooks: [{ url, timeoutSeconds: 11 }] },
      { rules: [{ name: 'shared', action: { priority: 'P1' } }] },
      { settings: { runbooks: { CONN_001: 'https://wiki.example.com/1' } } },
      { teams: [{ name: 'shared', quietHours: { schedule: 'night', hold: ['ERROR'] } }] },
    ],
    [
      { settings: { responseSeconds: { ERROR: 222 } } },
      { teams: [{ name: 'shared', phones: ['+46701234567'] }] },
      { webhooks: [{ url, headers: { 'X-Place': 'hall' } }] },
      { rules: [{ name: 'shared', enabled: false }] },
      { settings: { runbooks: { CONN_002: 'https://wiki.example.com/2' } } },
      { teams: [{ name: 'shared', escalation: { steps: [{ afterMinutes: 0, team: 'operations' }] } }] },
    ],
  ];
  /** Both have read before either writes: each write waits for the other person's. */
  let waiting: (() => void)[] = [];
  const people = edits.map(() =>
    commandLineOf({
      issuer: api.issuer,
      fetch: async (request) => {
        if (!['PUT', 'PATCH'].includes(request.method)) return api.fetch(request);
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 2) for (const go of waiting.splice(0)) go();
        });
        return api.fetch(request);
      },
    }),
  );
  let refusals = 0;
  for (const at of edits[0].keys()) {
    const inputs = edits.map((own) => stringify({ ...fresh(), ...own[at] }));
    const said = await Promise.all(
      people.map((person, who) => person.run(['apply', '-'], { input: inputs[who] ?? '' })),
    );
    for (const [who, { status, err }] of said.entries()) {
      if (status === 0) continue;
      refusals += 1;
      expect(err).toContain('precondition-failed');
      expect(err).toContain('0 of 1 steps are done');
      await steps('apply', inputs[who] ?? '');
    }
  }
  waiting = [];
  expect(refusals).toBe(6);
  expect((await api.call('GET', '/v1/settings')).body).toMatchObject({
    responseSeconds: { CRITICAL: 111, ERROR: 222 },
    runbooks: { CONN_001: 'https://wiki.example.com/1', CONN_002: 'https://wiki.example.com/2' },
  });
  expect((await api.call('GET', '/v1/teams/shared')).body).toMatchObject({
    ...{ emails: ['first@example.com'], phones: ['+46701234567'] },
    ...{ quietHours: { hold: ['ERROR'] }, escalation: { steps: [{ team: 'operations' }] } },
  });
  const { rules } = (await api.call('GET', '/v1/rules')).body;
  expect(rules.find((each: Item) => each['name'] === 'shared')).toMatchObject({
    action: { priority: 'P1' },
    enabled: false,
  });
  const { webhooks } = (await api.call('GET', '/v1/webhooks')).body;
  expect(webhooks.find((each: Item) => each['url'] === url)).toMatchObject({
    timeoutSeconds: 11,
    headers: { 'X-Place': 'hall' },
  });
});

describe('apply does not overwrite or delete what it has not seen:', () => {
  /** Somebody else acts just before the first request of this method. */
  const racing = (method: string, act: () => Promise<unknown>) => {
    let isDone = false;
    return commandLineOf({
      issuer: api.issuer,
      fetch: async (request) => {
        if (request.method === method && !isDone) {
          isDone = true;
          await act();
        }
        return api.fetch(request);
      },
    });
  };
  test('a team that somebody else creates meanwhile', async () => {
    const body = { emails: ['theirs@example.com'] };
    const other = racing('PUT', () => api.call('PUT', '/v1/teams/both', { body }));
    const input = stringify({ ...fresh(), teams: [{ name: 'both', emails: ['mine@example.com'] }] });
    expect(await other.run(['apply', '-'], { input })).toMatchObject({ status: 1 });
    expect((await api.call('GET', '/v1/teams/both')).body).toMatchObject(body);
  });
  test('an endpoint that somebody else changes meanwhile', async () => {
    const { webhookId } = (await api.call('POST', '/v1/webhooks', { body: { url: 'https://raced.example.com/' } }))
      .body;
    const path = `/v1/webhooks/${webhookId}`;
    const other = racing('DELETE', () => api.call('PATCH', path, { body: { description: 'needed' } }));
    const { webhooks } = (await api.call('GET', '/v1/webhooks')).body as { webhooks: Item[] };
    const kept = webhooks.filter((each) => each['webhookId'] !== webhookId);
    const input = stringify({
      ...fresh(),
      webhooks: kept.map((each) => ({ url: each['url'], webhookId: each['webhookId'] })),
    });
    expect(await other.run(['apply', '-', '--prune'], { input })).toMatchObject({ status: 1 });
    expect((await api.call('GET', path)).body.description).toBe('needed');
  });
});

test('an interrupted apply finishes its step, says what it did, and ends with 1', async () => {
  const names = ['first', 'second', 'third'];
  const rules = names.map((name) => ({
    name: `interrupted ${name}`,
    condition: { code: '*' },
    action: { priority: 'P1' },
  }));
  const input = stringify({ ...fresh(), rules });
  const stop = new AbortController();
  let writes = 0;
  const stopped = commandLineOf({
    issuer: api.issuer,
    fetch: (request) => {
      if (request.method === 'POST' && ++writes === 2) stop.abort();
      return api.fetch(request);
    },
  });
  const { status, out, err } = await stopped.run(['apply', '-', '--json'], { input, signal: stop.signal });
  expect([status, JSON.parse(out).map(({ name }: Item) => name)]).toEqual([
    1,
    ['interrupted first', 'interrupted second'],
  ]);
  expect(err).toBe(
    'Stopped before the create of rules "interrupted third"; 2 of 3 steps are done. Apply again to continue.\n',
  );
  expect((await steps('apply', input)).map(({ name }) => name)).toEqual(['interrupted third']);
});

test('a step whose answer is lost is said to be perhaps done, and a second apply knows', async () => {
  const rules = [{ name: 'unanswered', condition: { code: '*' }, action: { priority: 'P1' } }];
  const input = stringify({ ...fresh(), rules });
  const broken = commandLineOf({
    issuer: api.issuer,
    fetch: async (request) => {
      const answer = await api.fetch(request);
      return request.method === 'POST' ? new Response('bad gateway', { status: 502 }) : answer;
    },
  });
  const { status, err } = await broken.run(['apply', '-'], { input });
  expect([status, err]).toEqual([
    1,
    expect.stringContaining('failed, and may be done all the same; 0 of 1 steps are done'),
  ]);
  expect(await steps('apply', input)).toEqual([]);
});

test('a schedule is written before the team that is quiet by it, and a team before the settings and teams that escalate to it, in a circle too', async () => {
  const periods = [{ days: ['sun'], from: '00:00', to: '24:00' }];
  const to = (team: string) => ({ steps: [{ afterMinutes: 0, team }], repeatMinutes: 30 });
  const settings = { schedules: { rest: { periods } }, escalation: to('circle b'), escalationTeam: 'circle a' };
  const quietHours = { schedule: 'rest', hold: ['ERROR'] };
  const teams = [
    { name: 'circle a', escalation: to('circle b'), quietHours },
    { name: 'circle b', escalation: to('circle a') },
  ];
  const text = stringify({ ...fresh(), settings, teams });
  const planned = await steps('plan', text);
  expect(planned.map(({ action, name }) => `${action} ${name}`)).toEqual([
    'change settings',
    'create circle a',
    'create circle b',
    'change settings',
    'change circle a',
  ]);
  expect(await steps('apply', text)).toEqual(planned);
  expect(await steps('plan', text)).toEqual([]);
  expect((await api.call('GET', '/v1/teams/circle%20a')).body).toMatchObject({
    escalation: to('circle b'),
    quietHours,
  });
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
  expect(err).toContain('The change of rules "raced" was refused; 0 of 1 steps are done.');
});

test('a team is created before the teams that escalate to it', async () => {
  const escalation = { steps: [{ afterMinutes: 0, team: 'z-last' }], repeatMinutes: 30 };
  const teams = [{ name: 'a-first', escalation }, { name: 'z-last' }];
  const made = await steps('apply', stringify({ ...fresh(), teams }));
  expect(made.map(({ action, name }) => `${action} ${name}`)).toEqual(['create z-last', 'create a-first']);
  expect(await steps('plan', stringify({ ...fresh(), teams }))).toEqual([]);
});
