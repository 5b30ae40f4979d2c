import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../../cli/src/commands.ts';
import { withTimes } from '../../../cli/src/times.ts';
import { openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';
import { commandLineOf } from '../../support/world/command-line.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let line: ReturnType<typeof commandLineOf>;
let folder: string;
beforeAll(async () => {
  api = await startTestApi();
  line = commandLineOf(api);
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});
const run = (text: string, given: Parameters<typeof line.run>[1] = {}) => line.run(text.split(' '), given);

test('an alert is listed, acknowledged, noted and resolved, each with nothing but data on standard output', async () => {
  const alertId = await openTestAlert(api.world, { deviceId: 'cam-cli' });
  const listed = await run('alerts list --device cam-cli --json');
  expect([listed.status, listed.err]).toEqual([0, '']);
  expect(JSON.parse(listed.out)).toMatchObject([{ alertId, status: 'active' }]);
  const acked = await line.run(['alerts', 'ack', alertId, '--comment', 'On my way']);
  expect(acked.out.split('\n').map((row) => row.split(/ {2,}/)[3])).toEqual(['STATUS', 'acknowledged', undefined]);
  expect(await run(`alerts note ${alertId} --text seen`)).toMatchObject({ status: 0, err: '' });
  expect(JSON.parse((await run(`alerts resolve ${alertId} --output json`)).out)).toMatchObject([
    { status: 'resolved' },
  ]);
  expect(JSON.parse((await run(`alerts show ${alertId} --json`)).out)).toMatchObject({ resolution: 'manual' });
});

test('the sheet of a hand-over says what nobody has and who has the rest', async () => {
  const alertId = await openTestAlert(api.world, { deviceId: 'cam-sheet', deviceName: 'Gate 2', site: 'gbg' });
  const before = await run('shift');
  expect([before.status, before.err]).toEqual([0, '']);
  expect(before.out).toContain(
    `- ${alertId.slice(0, 8)} CRITICAL CONN_001 Gate 2, gbg: The connection is lost, since 10:00 (now), escalates at 10:05 (in 5 min)`,
  );
  expect(before.out.indexOf('Gate 2')).toBeLessThan(before.out.indexOf('In hand: '));
  await run(`alerts ack ${alertId}`);
  const { out } = await run('shift');
  const line = out.split('\n').find((each) => each.includes('Gate 2'));
  expect(line).toMatch(/, \S+ has it since 10:00 \(now\)$/);
  expect(out.indexOf('Gate 2')).toBeGreaterThan(out.indexOf('In hand: 1.'));
  const sheet = JSON.parse((await run('shift --json')).out);
  expect(sheet.items).toContainEqual(expect.objectContaining({ id: alertId, state: 'in-hand', about: 'alert' }));
  await run(`alerts resolve ${alertId}`);
  expect((await run('shift --at 2026-01-01T00:00:00Z')).err).toContain('at most an hour ago');
});

test('if one of several alerts is refused, the others are still acknowledged', async () => {
  const [first, second] = [await openTestAlert(api.world), await openTestAlert(api.world)];
  await run(`alerts resolve ${first}`);
  const { status, out, err } = await run(`alerts ack ${first} ${second} ../fleet --json`);
  expect(status).toBe(1);
  expect(JSON.parse(out).map(({ alertId }: { alertId: string }) => alertId)).toEqual([second]);
  expect(err.split('\n')[0]).toContain(first);
  expect(err).toContain('../fleet: ');
});

test.each([
  ['nothing', ''],
  ['devises list', 'There is no command "devises": did you mean devices?'],
  ['alerts', 'alerts what? There are list, show,'],
  ['alerts lst', 'There is no command after "alerts" "lst": did you mean list?'],
  ['alerts list --severty CRITICAL', 'There is no flag "--severty": did you mean --severity?'],
  ['alerts list -x', 'There is no flag "-x"'],
  ['alerts list --severity critical', 'There is no value of --severity "critical": there are CRITICAL, ERROR'],
  ['alerts list --severity', '--severity needs a value'],
  ['alerts list --limit 1e3', '--limit must be a whole number from 1 to 1000000, not "1e3".'],
  ['alerts list --json=yes', '--json takes no value.'],
  ['alerts list --search a --search b', '--search is given twice.'],
  ['alerts list --since yesterday', '--since must be a time such as'],
  ['alerts list more', '"more" is too much: watchpost alerts list'],
  ['alerts ack', 'Something is missing: watchpost alerts ack ALERT_ID...'],
  ['alerts list --token-file none', 'none cannot be read: there is no such file.'],
  ['alerts list --url http://watchpost.example.com', 'A token is sent over https: only'],
  ['alerts list --url nowhere', '"nowhere" cannot be the address of the service'],
  ['rules', 'rules what? There are list, show, remove.'],
])('%s is named, with status 2 and no call', async (text, said) => {
  const before = line.asked.length;
  const { status, out, err } = await run(text);
  expect({ status, out, calls: line.asked.length - before }).toEqual({ status: 2, out: '', calls: 0 });
  expect(err).toContain(said);
  expect(err.trim().split('\n')).toHaveLength(1);
});

test('a refusal of the service has status 1, its code and the request', async () => {
  const { status, out, err } = await run('alerts show 00000000-0000-4000-8000-00000000dead');
  expect([status, out]).toEqual([1, '']);
  expect(err).toMatch(/^There is no alert .* \(not-found, request [0-9a-f-]{36}\)\n$/);
  expect((await run('alerts list', { env: { WATCHPOST_TOKEN: 'nonsense' } })).status).toBe(1);
});

test('texts of devices cannot control a terminal or become a formula in a spreadsheet', async () => {
  const evil = '=HYPERLINK("http://x")\u001b[2J\u202e\r\nnext';
  await openTestAlert(api.world, { deviceId: 'cam-evil', message: evil });
  const table = (await run('alerts list --device cam-evil')).out;
  expect(table.trim().split('\n')).toHaveLength(2);
  for (const steering of ['\u001b', '\u202e']) expect(table).not.toContain(steering);
  const rows = parse((await run('alerts list --device cam-evil --output csv')).out) as string[][];
  expect(rows.map((row) => row.at(-1))).toEqual(['message', `'${evil}`]);
});

test('a list ends at --limit, and says if there is more', async () => {
  for (let count = 0; count < 3; count += 1) await openTestAlert(api.world, { groupId: 'limited' });
  const { out, err } = await run('alerts list --group limited --limit 2 --json');
  expect([JSON.parse(out).length, err]).toEqual([2, 'There are more than 2: --limit shows them.\n']);
  expect((await run('alerts list --group limited --limit 3 --json')).err).toBe('');
});

test('devices import reports the result of each line, in a dry run too', async () => {
  const file = join(folder, 'devices.csv');
  writeFileSync(file, 'deviceId,groupId,name\ncam-1,north,Gate\ncam 2,north,Door\n');
  const tried = await line.run(['devices', 'import', file, '--dry-run', '--json']);
  expect([tried.status, JSON.parse(tried.out).map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
    1,
    ['created', 'refused'],
  ]);
  expect((await run('devices show cam-1')).status).toBe(1);
  expect((await line.run(['devices', 'import', file])).out).toMatch(/cam 2 +refused +\/deviceId/);
  expect(JSON.parse((await run('devices show cam-1 --json')).out)).toMatchObject({ name: 'Gate', groupId: 'north' });
  expect(await run('devices remove cam-1')).toMatchObject({ status: 0, out: '' });
});

test('login tests a token and stores it for one user and one service; logout deletes it', async () => {
  const env = { WATCHPOST_CONFIG_DIR: join(folder, 'home'), WATCHPOST_TOKEN: undefined };
  const url = { ...env, WATCHPOST_URL: undefined };
  expect((await run('alerts list', { env: url })).err).toContain('Which service?');
  expect((await run('login --url http://localhost:8080', { env: url, input: 'refused' })).status).toBe(1);
  expect((await run('login --url http://localhost:8080', { env: url, input: 'two words' })).status).toBe(2);
  const input = `${await api.issuer.token()}\n`;
  const signedIn = await run('login --url http://localhost:8080', { env: url, input });
  expect([signedIn.status, signedIn.out]).toEqual([0, '']);
  expect(statSync(join(folder, 'home/login.json')).mode & 0o777).toBe(0o600);
  expect((await run('alerts list', { env: url })).status).toBe(0);
  const elsewhere = await run('alerts list --url http://localhost:8081', { env: url });
  expect([elsewhere.status, elsewhere.err]).toEqual([2, expect.stringContaining('No token for http://localhost:8081')]);
  expect((await run('logout', { env: url })).status).toBe(0);
  expect((await run('alerts list', { env })).status).toBe(2);
});

test('every command refuses an unknown flag and one operand too many, with status 2, one line and no call', async () => {
  const before = line.asked.length;
  for (const { name, operands } of commands) {
    const most = Array.from({ length: (operands?.most ?? 0) + 1 }, (_, at) => `x${at}`);
    for (const wrong of [['--colour'], most]) {
      const { status, out, err } = await line.run([...name.split(' '), ...wrong]);
      expect([name, status, out, err.trim().split('\n').length]).toEqual([name, 2, '', 1]);
      expect(err).toMatch(wrong.length === 1 && wrong[0] === '--colour' ? /no flag "--colour"/ : /is too much/);
    }
  }
  expect(line.asked).toHaveLength(before);
});

test('every command has a help that names its flags', async () => {
  const { out } = await run('--help');
  const names = [...out.matchAll(/^ {2}([a-z]+(?: [a-z-]+)?) /gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(40);
  for (const name of names) expect((await run(`${name} --help`)).out, name).toContain(`watchpost ${name}`);
});

test('an id may be shortened to its beginning, as tables show it, where one record begins so; JSON and CSV have whole ids', async () => {
  const own = await startTestApi();
  try {
    const fresh = commandLineOf(own);
    const go = (text: string) => fresh.run(text.split(' '));
    const alertId = await openTestAlert(own.world, { deviceId: 'cam-short' });
    const short = alertId.slice(0, 8);
    expect((await go('alerts list')).out.split('\n')[1]?.split(/ +/)[0]).toBe(short);
    expect((await go('alerts list --output csv')).out).toContain(alertId);
    expect(JSON.parse((await go(`alerts resolve ${short} --json`)).out)).toMatchObject([
      { alertId, status: 'resolved' },
    ]);
    // It is no longer open, and is found among all.
    expect(JSON.parse((await go(`alerts show ${alertId.slice(0, 13)} --json`)).out)).toMatchObject({ alertId });
    const none = await go('alerts ack 99999999');
    expect([none.status, none.err]).toEqual([
      1,
      expect.stringContaining('None of the latest 2000 alertIds begins with "99999999"'),
    ]);

    // The ids of the test world differ at their end only.
    for (let count = 0; count < 2; count += 1) await openTestAlert(own.world);
    const several = await go(`alerts ack ${short}`);
    expect([several.status, several.out, several.err]).toEqual([
      1,
      '',
      expect.stringContaining(`Several alertIds begin with "${short}": 00000000-`),
    ]);
    expect(fresh.asked.filter((asked) => asked.endsWith('/acknowledge'))).toEqual([]);
  } finally {
    await own.stop();
  }
});

test('--version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('cli/package.json', 'utf8'));
  expect(await run('--version')).toEqual({ status: 0, out: `${version}\n`, err: '' });
});

test('bash completes nouns, verbs, flags and values', async () => {
  writeFileSync(join(folder, 'completion'), (await run('completion bash')).out);
  const completed = (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const program = `source ${folder}/completion; COMP_WORDS=(watchpost ${list}); COMP_CWORD=${words.length}; _watchpost; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim();
  };
  expect(completed('al')).toBe('alerts');
  expect(completed('webhooks', 'r')).toBe('rotate replay remove');
  expect(completed('alerts', 'list', '--sev')).toBe('--severity');
  expect(completed('alerts', 'list', '--severity', 'CR')).toBe('CRITICAL');
  expect(completed('plan', '--ex')).toBe('--exit-code');
  expect(completed('plan', '--token-file', '')).toBe('');
});

test('explain says in sentences who was notified, who was not, and what happens next', async () => {
  await api.call('PUT', '/v1/teams/operations', { body: { emails: ['ana@example.com'] } });
  const alertId = await openTestAlert(api.world, { deviceId: 'cam-why' });
  const { out, err } = await run(`alerts explain ${alertId}`);
  const explained = (await api.call('GET', `/v1/alerts/${alertId}/explain`)).body;
  const said = (at: string) =>
    withTimes(at, { nowMs: Date.parse(api.world.now()), timeZone: 'UTC' }).replaceAll('\u00a0', ' ');
  expect(err).toBe('');
  const lines = out.trim().split('\n');
  expect(lines[0]).toBe('No rule matched.');
  expect(lines).toHaveLength(
    2 + explained.notified.length + explained.notNotified.length + Math.max(1, explained.next.length),
  );
  for (const { at, because, channel, target } of explained.notified)
    expect(out).toContain(
      `${said(at)}, because ${because === 'open' ? 'it was opened' : because}: ${channel} to ${target} `,
    );
  for (const { detail } of explained.notNotified) expect(out).toContain(detail);
  for (const { at } of explained.next) expect(out).toContain(`Next, at ${said(at)}: `);
  for (const line of lines) expect(line).toMatch(/\.$/);
  expect(JSON.parse((await run(`alerts explain ${alertId} --json`)).out)).toEqual(explained);
});

test('status, settings, teams and rules show what the API has', async () => {
  const fleet = (await api.call('GET', '/v1/fleet')).body;
  const { out } = await run('status');
  expect(out).toContain(`Devices: ${fleet.devices.total}: `);
  expect(out).toContain(`Open alerts: ${fleet.alerts.open.CRITICAL} CRITICAL, `);
  expect(JSON.parse((await run('settings --json')).out)).toEqual((await api.call('GET', '/v1/settings')).body);
  const people = [{ personId: 'anna', name: 'Anna Berg', email: 'anna@example.com' }];
  const rotations = [{ people: ['anna'], handover: { weekday: 'mon', time: '08:00' }, timeZone: 'UTC' }];
  await api.call('PUT', '/v1/teams/night', { body: { people, rotations } });
  expect((await run('teams list')).out).toMatch(/^night$/m);
  expect((await run('teams on-call night')).out).toMatch(/^At 10:0\d \(now\), Anna Berg is on call in team night/);
  expect((await run('teams on-call operations')).out).toBe('Team operations has no rotation: nobody is on call.\n');
  const rule = { name: 'Listed', condition: { code: '*' }, action: { priority: 'P1' } };
  const { ruleId } = (await api.call('POST', '/v1/rules', { body: rule })).body;
  expect((await run('rules list')).out).toContain('Listed');
  expect(await run(`rules remove ${ruleId.slice(0, 8)}`)).toMatchObject({ status: 0, out: '' });
  expect((await api.call('GET', '/v1/rules')).body.rules).toEqual([]);
});

test('maintenance create creates a window', async () => {
  const args = ['--from', '2099-01-01T00:00:00Z', '--to', '2099-01-01T02:00:00Z', '--group', 'north', '--json'];
  const { out } = await line.run(['maintenance', 'create', '--name', 'Works', ...args]);
  expect((await api.call('GET', '/v1/maintenance-windows')).body.windows).toMatchObject([JSON.parse(out)]);
});

test('a command that is interrupted ends with 1, and says so', async () => {
  const stop = new AbortController();
  const interrupted = commandLineOf({
    issuer: api.issuer,
    fetch: () => {
      stop.abort();
      throw new TypeError('aborted');
    },
  });
  const { status, out, err } = await interrupted.run(['alerts', 'list'], { signal: stop.signal });
  expect({ status, out, err }).toEqual({ status: 1, out: '', err: 'Interrupted.\n' });
});
