import fc from 'fast-check';
import { clientIdentity } from '../net/client-certificates.ts';

/** The certificate and key of a client. */
export const identity = clientIdentity();

/** One record of a configuration file, or the settings. */
export type Item = Record<string, unknown>;
export type Sections = { settings: Item; teams: Item[]; rules: Item[]; maintenance: Item[]; webhooks: Item[] };
export type ListName = Exclude<keyof Sections, 'settings'>;
export const keyOf: Record<ListName, string> = { teams: 'name', rules: 'name', maintenance: 'name', webhooks: 'url' };

const some = <T>(value: fc.Arbitrary<T>, maxLength = 2) => fc.uniqueArray(value, { minLength: 1, maxLength });
const group = fc.constantFrom('north', 'south', 'east');
/** The teams that other records may name: they always exist. */
export const lasting = ['operations', 'lasting'];
const lastingTeam = fc.constantFrom(...lasting);
const schedule = fc.constantFrom('night', 'lasting', 'outside_business_hours');
const email = fc.constantFrom('a@example.com', 'b@example.com', 'c.d+e@example.com');
const version = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
const reference = (env: string) =>
  version.map((number): Item => ({ env, ...(number === undefined ? {} : { version: number }) }));

const policy = fc.record(
  {
    steps: fc
      .tuple(lastingTeam, fc.option(lastingTeam, { nil: undefined }))
      .map(([first, second]) => [
        { afterMinutes: 0, team: first },
        ...(second === undefined ? [] : [{ afterMinutes: 15, team: second, channels: ['sms'] }]),
      ]),
    repeatMinutes: fc.integer({ min: 5, max: 240 }),
  },
  { requiredKeys: ['steps'] },
);
const quietHours = fc.record({ schedule, hold: fc.uniqueArray(fc.constantFrom('ERROR', 'WARNING', 'CRITICAL')) });
const people = [
  { personId: 'anna', name: 'Anna Berg', email: 'anna@example.com' },
  { personId: 'bo', name: 'Bo Ek', phone: '+46701234567' },
];
const rotation = { people: ['anna', 'bo'], handover: { weekday: 'mon', time: '08:30' }, timeZone: 'Europe/Stockholm' };
const handoff = fc.record(
  {
    kind: fc.constant('pagerduty'),
    name: fc.constantFrom('Night desk', 'Day desk'),
    severities: some(fc.constantFrom('CRITICAL', 'ERROR', 'WARNING'), 3),
    enabled: fc.boolean(),
    filter: fc.record({ groups: some(group), codes: some(fc.constantFrom('CONN_*', 'RES_001')), schedule }),
    credential: reference('HANDOFF'),
  },
  { requiredKeys: ['kind', 'name', 'credential'] },
);
const member = {
  teams: {
    emails: some(email),
    phones: some(fc.constantFrom('+46701234567', '+46701234568')),
    chats: fc.constant([{ kind: 'slack', url: { env: 'NEW_CHAT' } }]),
    handoffs: fc.uniqueArray(handoff, { maxLength: 2, selector: ({ name }) => name }),
    escalation: policy,
    quietHours,
    crew: fc.constant({ people, rotations: [rotation] }),
  },
  rules: {
    condition: fc.record(
      {
        code: fc.constantFrom('CONN_001', 'CONN_*', '*'),
        group: some(group),
        severity: some(fc.constantFrom('CRITICAL', 'ERROR')),
        tags: fc.constant({ floor: ['2', '3'] }),
        schedule,
      },
      { requiredKeys: ['code'] },
    ),
    action: fc.record(
      {
        priority: fc.constantFrom('P1', 'P4'),
        notify: some(fc.constantFrom('email', 'sms')),
        team: lastingTeam,
        escalate_to: lastingTeam,
      },
      { requiredKeys: ['priority'] },
    ),
    enabled: fc.boolean(),
  },
  maintenance: {
    reason: fc.constantFrom('works', 'tests: "quoted", with # and ünïcode'),
    scope: fc.record(
      { groups: some(group), codes: some(fc.constantFrom('CONN_*', 'RES_001')), tags: fc.constant({ floor: ['1'] }) },
      { requiredKeys: ['groups'] },
    ),
    recurrence: fc.record(
      {
        weekdays: some(fc.constantFrom('mon', 'sat')),
        from: fc.constant('22:00'),
        to: fc.constant('04:00'),
        until: fc.constant('2099-01-01T00:00:00.000Z'),
      },
      { requiredKeys: ['weekdays', 'from', 'to'] },
    ),
  },
  webhooks: {
    method: fc.constantFrom('POST', 'PUT'),
    events: some(fc.constantFrom('alert', 'detection', 'incident')),
    filter: fc.record(
      {
        groups: some(group),
        minConfidence: fc.constantFrom(0, 0.5),
        schedule,
        severities: some(fc.constantFrom('CRITICAL', 'ERROR')),
        codes: some(fc.constantFrom('CONN_*', 'CONFIG_CONFLICT')),
        changes: some(fc.constantFrom('opened', 'updated')),
        kinds: some(fc.constantFrom('outage', 'blind')),
        tags: fc.constant({ floor: ['2', '3'] }),
      },
      { requiredKeys: [] },
    ),
    headers: fc.record(
      { 'X-Place': fc.constantFrom('hall', 'door'), Authorization: reference('HEADER'), 'X-Api-Key': reference('KEY') },
      { requiredKeys: [] },
    ),
    secret: reference('SIGNING'),
    template: fc.constantFrom('{"at":"{{timestamp}}"}', '{"of":["{{eventType}}: {{timestamp}}"]}'),
    retryDelays: fc.constantFrom([5, 10, 20, 40], [60, 600, 3600, 3600, 86_400]),
    retentionDays: fc.integer({ min: 1, max: 30 }),
    contact: fc.constantFrom('ops@example.com', 'Ana: +46 31 123'),
    oauth2: fc.record(
      {
        tokenUrl: fc.constant('https://tokens.example.com/token'),
        clientId: fc.constant('watchpost'),
        scope: fc.constantFrom('events', 'more events'),
        clientSecret: reference('TOKENS'),
      },
      { requiredKeys: ['tokenUrl', 'clientId', 'clientSecret'] },
    ),
    clientCertificate: reference('CLIENT').map((key) => ({ certificate: identity.certificate, key })),
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    timeoutSeconds: fc.integer({ min: 1, max: 30 }),
    membersOfIncidents: fc.boolean(),
    drill: fc.boolean(),
    format: fc.constantFrom('native', 'cloudevents'),
    enabled: fc.boolean(),
    description: fc.constantFrom('one', 'null', '- two: 2'),
  },
} as const;
const keys: Record<ListName, fc.Arbitrary<string>> = {
  teams: fc.constantFrom('alpha', 'Beta 2', 'gamma', 'delta'),
  rules: fc.constantFrom('alpha', 'Beta: 2', 'yes', '007'),
  maintenance: fc.constantFrom('alpha', 'Beta 2', 'null', '~'),
  webhooks: fc.constantFrom('https://a.example.com/h', 'https://b.example.com/', 'https://c.example.com:8443/x?y=1'),
};
const needed: Record<ListName, string[]> = {
  teams: [],
  rules: ['condition', 'action'],
  maintenance: ['scope', 'recurrence'],
  webhooks: [],
};

/** A team's people come with their rotations, and a quiet team with both. */
function flat({ crew, ...item }: Item): Item {
  return { ...item, ...(crew as Item | undefined) };
}

/** A record. @param isWhole whether it has all members that a new record needs */
function itemOf(list: ListName, isWhole: boolean): fc.Arbitrary<Item> {
  const members = { [keyOf[list]]: keys[list], ...member[list] } as Record<string, fc.Arbitrary<unknown>>;
  return fc.record(members, { requiredKeys: [keyOf[list], ...(isWhole ? needed[list] : [])] }).map(flat);
}
const listOf = (list: ListName) =>
  fc.uniqueArray(itemOf(list, true), { maxLength: 3, selector: (item) => item[keyOf[list]] });

const periods = [{ days: ['sat', 'sun'], from: '00:00', to: '24:00' }];
const settingsChange = fc.record(
  {
    timeZone: fc.constantFrom('Europe/Stockholm', 'UTC', 'Asia/Tokyo'),
    responseSeconds: fc.record(
      { CRITICAL: fc.integer({ min: 60, max: 600 }), ERROR: fc.constant(1800) },
      { requiredKeys: [] },
    ),
    channels: fc.record({ ERROR: fc.record({ sms: fc.boolean(), email: fc.boolean() }, { requiredKeys: [] }) }),
    updates: fc.constant({ resolved: { sms: [] } }),
    quietHours: fc.oneof(
      quietHours,
      quietHours.map(({ hold }) => ({ hold })),
    ),
    escalation: fc.oneof(
      policy,
      policy.map(({ steps }) => ({ steps })),
    ),
    escalationTeam: lastingTeam,
    schedules: fc.dictionary(fc.constantFrom('early', 'late'), fc.constant({ periods }), { maxKeys: 2 }),
    runbooks: fc.constant({ CONN_001: 'https://wiki.example.com/offline' }),
    groupReporting: fc.dictionary(group, fc.record({ periodSeconds: fc.integer({ min: 30, max: 600 }) }), {
      maxKeys: 2,
    }),
    idPatterns: fc.constant([{ pattern: 'n-*', groupId: 'north' }]),
    limits: some(fc.record({ groups: some(group), memory: fc.constant({ high: 70 }) })),
  },
  { requiredKeys: [] },
);
/** A random configuration of a fleet, as a file would describe it. */
export const configuration: fc.Arbitrary<Sections> = fc.record({
  settings: settingsChange.map((settings) => ({
    ...settings,
    schedules: { ...(settings['schedules'] as Item | undefined), lasting: { periods } },
  })),
  teams: listOf('teams').map((teams) => [{ name: 'lasting' }, ...teams] as Item[]),
  rules: listOf('rules'),
  maintenance: listOf('maintenance'),
  webhooks: listOf('webhooks'),
}) as fc.Arbitrary<Sections>;

const removable: Record<keyof Sections, string[]> = {
  settings: ['runbooks', 'groupReporting', 'idPatterns', 'limits'],
  teams: ['emails', 'phones', 'chats', 'handoffs', 'escalation', 'quietHours'],
  rules: [],
  maintenance: ['reason'],
  webhooks: [
    ...['secret', 'filter', 'headers', 'description', 'template', 'retryDelays', 'retentionDays', 'contact'],
    ...['oauth2', 'clientCertificate'],
  ],
};
const nulls = (section: keyof Sections) =>
  fc
    .subarray(removable[section], { maxLength: Math.min(1, removable[section].length) })
    .map((names) => Object.fromEntries(names.map((name) => [name, null])));

/** A change to some records of a list: partly described ones, new ones, and ones that are left out. */
function changeOf(list: ListName) {
  return fc.record({
    parts: fc.uniqueArray(
      fc.tuple(itemOf(list, false), nulls(list)).map(([item, none]) => ({ ...item, ...none }) as Item),
      { maxLength: 2, selector: (item) => item[keyOf[list]] },
    ),
    added: fc.uniqueArray(itemOf(list, true), { maxLength: 1, selector: (item) => item[keyOf[list]] }),
    left: fc.array(fc.nat({ max: 3 }), { maxLength: 1 }),
    isInFile: fc.boolean(),
  });
}
/** What a person changes in a configuration, and whether missing records are deleted. */
export const change = fc.record({
  settings: fc.option(
    fc.tuple(settingsChange, nulls('settings')).map(([item, none]) => ({ ...item, ...none }) as Item),
  ),
  teams: changeOf('teams'),
  rules: changeOf('rules'),
  maintenance: changeOf('maintenance'),
  webhooks: changeOf('webhooks'),
  isPruned: fc.boolean(),
});
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
