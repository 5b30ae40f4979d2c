import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  ['alerts snooze x', 'Give either --minutes or --until.'],
  ['devices import none.csv', 'none.csv cannot be read: there is no such file.'],
  ['alerts list --token-file none', 'none cannot be read: there is no such file.'],
  ['alerts list --url http://watchpost.example.com', 'A token is sent over https: only'],
  ['alerts list --url nowhere', '"nowhere" cannot be the address of the service'],
  ['maintenance create --name x --from 2026-11-22T18:00:00Z', '--to is needed.'],
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

test('every command has a help that names its flags', async () => {
  const { out } = await run('--help');
  const names = [...out.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) /gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(40);
  for (const name of names) expect((await run(`${name} --help`)).out, name).toContain(`watchpost ${name}`);
});
