import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../../cli/src/commands.ts';
import { startTestApi } from '../../support/world/api.ts';
import { commandLineOf } from '../../support/world/command-line.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let line: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  api = await startTestApi();
  line = commandLineOf(api);
});
afterAll(() => api.stop());

/** `status`: 2 unless the service knows what is wrong, or an id can be none. */
type Wrong = [args: string, said: string, status?: 1];
const aTime =
  'must be a time such as 18:00, "2026-11-22 18:00" (both in the zone of this machine) or 2026-11-22T18:00:00Z';
const missing = (command: string, operand: string): Wrong => [
  '',
  `Something is missing: watchpost ${command} ${operand}`,
];
const noId = (noun: string, member: string): Wrong => [
  'x',
  `"x" is no ${member}: "watchpost ${noun} list" shows them.`,
  1,
];
const onRecords = (noun: string, member: string, shown: string, verbs: string) =>
  Object.fromEntries(
    verbs.split(' ').map((verb): [string, Wrong[]] => {
      const many = verb === 'show' || verb === 'explain' ? '' : '...';
      return [`${noun} ${verb}`, [missing(`${noun} ${verb}`, `${shown}${many}`), noId(noun, member)]];
    }),
  );
const needsFile = (name: string): Wrong[] => [
  missing(name, 'FILE'),
  ['none.yaml', 'none.yaml cannot be read: there is no such file.'],
];
const windows: Wrong[] = [
  ['', 'Missing: --name TEXT, --from TIME, --to TIME.'],
  ['--name x --from 18:00', '--to TIME is missing: when it ends.'],
  ['--name x --from noon', `--from ${aTime}, not "noon".`],
  ['--name x --from 18:00 --to 19:00', 'Of what? Give --device, --group, --site or --code.'],
];

/** What each command says to wrong usage: arguments after its name, and the sentence. */
const wrong: Record<string, Wrong[]> = {
  login: [['', 'Standard input held no bearer token.']],
  logout: [['now', '"now" is too much: watchpost logout']],
  status: [['--wide', 'There is no flag "--wide"']],
  shift: [['--at noon', `--at ${aTime}, not "noon".`]],
  smoke: [['now', '"now" is too much: watchpost smoke']],
  why: [
    missing('why', 'DEVICE_ID|ALERT_ID|INCIDENT_ID'),
    [
      'cam-none',
      'There is no camera, alert or incident cam-none: "watchpost devices list" and "watchpost shift" show them.',
      1,
    ],
  ],
  trigger: [
    missing('trigger', 'EVENT WEBHOOK_ID'),
    ['alarm x', 'There is no event "alarm": there are detection, alert, guardian, audit, incident'],
    ['alert x', '"x" is no webhookId: "watchpost webhooks list" shows them.', 1],
  ],
  'alerts list': [
    ['--severity critical', 'There is no value of --severity "critical": there are CRITICAL, ERROR, WARNING, INFO'],
    ['--status opn', 'There is no value of --status "opn": did you mean open?'],
    ['--since 2026-02-30T25:00:00Z', `--since ${aTime}`],
    ['--limit 1e3', '--limit must be a whole number from 1 to 1000000, not "1e3".'],
    ['--device ?', '--device must begin with a letter or digit', 1],
    ['--incident x', '"x" is no incidentId: "watchpost incidents list" shows them.', 1],
  ],
  ...onRecords('alerts', 'alertId', 'ALERT_ID', 'show explain ack unack resolve reopen unsnooze'),
  'alerts snooze': [missing('alerts snooze', 'ALERT_ID...'), ['x', 'Give either --minutes or --until.']],
  'alerts note': [missing('alerts note', 'ALERT_ID...'), ['x', '--text TEXT is missing: what to note.']],
  'incidents list': [['--status gone', 'There is no value of --status "gone": there are active, acknowledged']],
  ...onRecords('incidents', 'incidentId', 'INCIDENT_ID', 'show explain ack unack resolve reopen unsnooze'),
  'incidents snooze': [['x --minutes 0', '--minutes must be a whole number from 1 to 43200, not "0".']],
  'incidents note': [['x', '--text TEXT is missing: what to note.']],
  'devices list': [
    ['--state up', 'There is no value of --state "up": there are online, offline, unknown, never-seen'],
    ['--parent sw-1', '--parent must be a kind and an id, such as switch:sw-1', 1],
    ['--tag floor', '--tag must be a tag and a value, such as floor:2', 1],
  ],
  'devices show': [missing('devices show', 'DEVICE_ID'), ['cam-none', 'There is no device cam-none.', 1]],
  'devices import': [
    missing('devices import', 'FILE'),
    ['none.csv', 'none.csv cannot be read: there is no such file.'],
  ],
  'devices remove': [
    missing('devices remove', 'DEVICE_ID...'),
    ['cam-none', 'cam-none: There is no device cam-none.', 1],
  ],
  'quarantine list': [['--status new', 'There is no value of --status "new": there are quarantined, retried']],
  'quarantine show': [['x', 'There is no quarantined report x.', 1]],
  'quarantine retry': [['x', 'x: There is no quarantined report x.', 1]],
  'quarantine dismiss': [['x', 'x: There is no quarantined report x.', 1]],
  'quarantine restore': [['x', 'x: There is no quarantined report x.', 1]],
  'bridges list': [['all', '"all" is too much: watchpost bridges list']],
  'bridges remove': [
    missing('bridges remove', 'N/OF'),
    ['two', '"two" is no bridge: "watchpost bridges list" shows them, as 2/4.'],
  ],
  'broker-accounts': [
    ['', '--format is missing: mosquitto, emqx, hivemq.'],
    ['--format mosquito', 'There is no value of --format "mosquito": did you mean mosquitto?'],
    ['--format emqx', '--out is missing.'],
    ['--format emqx --out x --bridges 3', '--bridges must be a power of two, up to 64.'],
    ['--certificates --out x', '--ca is missing.'],
    ['--format emqx --out x --key none', '--key: none cannot be read'],
    ['--format emqx --check none', '--check: none cannot be read'],
  ],
  'maintenance list': [['--state done', 'There is no value of --state "done": there are planned, active, over']],
  ...onRecords('maintenance', 'windowId', 'WINDOW_ID', 'show remove'),
  'maintenance create': windows,
  'maintenance preview': windows,
  'webhooks list': [['--limit 0', '--limit must be a whole number from 1 to 1000000, not "0".']],
  ...onRecords('webhooks', 'webhookId', 'WEBHOOK_ID', 'show remove'),
  'webhooks create': [
    ['', '--target URL is missing: address that events are posted to, as https://example.com/hook.'],
    ['--target https://x.example.com/ --secret-env NOT_SET', 'The environment variable NOT_SET is not set.'],
    [
      '--target https://x.example.com/ --event alarm',
      'There is no value of --event "alarm": there are detection, alert',
    ],
    ['--target here', '--target must begin with https://', 1],
  ],
  'webhooks test': [missing('webhooks test', 'WEBHOOK_ID'), noId('webhooks', 'webhookId')],
  'webhooks rotate': [['x --overlap-hours 169', '--overlap-hours must be a whole number from 0 to 168, not "169".']],
  'webhooks replay': [
    ['x', '--since TIME is missing: since when, as 18:00.'],
    ['x --status sent', 'There is no value of --status "sent": there are failed, held'],
  ],
  'webhooks explain': [['x --event audit', 'There is no value of --event "audit": there are detection, alert']],
  'deliveries list': [
    ['--channel fax', 'There is no value of --channel "fax": there are email, chat, sms, webhook, handoff'],
    ['--webhook x', '"x" is no webhookId: "watchpost webhooks list" shows them.', 1],
  ],
  ...onRecords('deliveries', 'deliveryId', 'DELIVERY_ID', 'show redeliver dismiss'),
  'audit list': [['today', '"today" is too much: watchpost audit list']],
  'rules list': [['--sort', 'There is no flag "--sort"']],
  ...onRecords('rules', 'ruleId', 'RULE_ID', 'show remove'),
  'teams list': [['night', '"night" is too much: watchpost teams list']],
  'teams show': [missing('teams show', 'NAME'), ['night', 'There is no team night.', 1]],
  'teams on-call': [missing('teams on-call', 'NAME'), ['night --at noon', `--at ${aTime}, not "noon".`]],
  'teams test': [['night --channel fax', 'There is no value of --channel "fax": there are email, chat, sms, webhook']],
  settings: [['show', '"show" is too much: watchpost settings']],
  listen: [
    ['', '--forward URL is missing: address of the receiver on this machine, as http://localhost:3000/hook.'],
    ['--forward http://hooks.example.com/', '--forward must be an address on this machine, or https'],
  ],
  export: [['all.yaml', '"all.yaml" is too much: watchpost export']],
  plan: needsFile('plan'),
  apply: needsFile('apply'),
  completion: [missing('completion', 'bash|zsh'), ['fish', 'There is no shell "fish": there are bash, zsh']],
};

test('the table has a row for each command', () => {
  expect(Object.keys(wrong).toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

const rows = Object.entries(wrong).flatMap(([name, each]) =>
  each.map(([args, said, status = 2]) => ({ given: `${name} ${args}`.trim(), said, status })),
);

test.each(rows)('watchpost $given: $said ($status)', async ({ given, said, status }) => {
  const before = line.asked.length;
  const ended = await line.run(given.split(' '), { env: { WATCHPOST_CONFIG_DIR: '/nowhere' } });
  expect(ended.err).toContain(said);
  expect(ended.err.trim().split('\n'), 'one line, and no stack trace').toHaveLength(1);
  expect([ended.out, ended.status]).toEqual(['', status]);
  if (status === 2) expect(line.asked).toHaveLength(before);
});
