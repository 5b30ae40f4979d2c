import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { metricTable } from '../../../shared/domain/metrics/metrics.ts';
import { bearerToken } from '../../../shared/settings-values.ts';
import { message } from '../../support/records/reports.ts';
import { scrapeToken, startTestApi } from '../../support/world/api.ts';
import { frames } from '../../support/world/frames.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  for (const groupId of ['north', 'south'])
    await takeMessage(api.world, message('status', { groupId }, { deviceId: `cam-${groupId}` }), intake);
  const body = { url: 'https://hooks.example.com/', filter: { groups: ['south'] } };
  await api.call('POST', '/v1/webhooks', { body });
});
afterAll(() => api.stop());

const get = (given: Parameters<typeof api.call>[2] = {}) => api.call('GET', '/metrics', given);

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
test.skipIf(!hasPromtool)('promtool finds nothing wrong with the metrics', async () => {
  const { body, headers } = await get();
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const check = (input: string) => {
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input });
    return { status, said: stderr.toString() };
  };
  expect(check(body)).toEqual({ status: 0, said: '' });
  expect(check('watchpost_x{a="b} 1\n').status).not.toBe(0);
});

test('answers as OpenMetrics if Accept prefers it', async () => {
  const { body, headers } = await get({ headers: { Accept: 'application/openmetrics-text;version=1.0.0' } });
  expect(headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(headers.get('vary')).toContain('Accept');
  expect(body.endsWith('\n# EOF\n')).toBe(true);
});

test('needs the scope, or the scrape token', async () => {
  const token = await api.issuer.token({ scope: 'alerts:read devices:read' });
  expect((await get({ token })).status).toBe(403);
  expect((await get({ token: null })).status).toBe(401);
  expect((await get({ token: await api.issuer.token({ scope: 'metrics:read' }) })).status).toBe(200);
  expect((await get({ token: scrapeToken })).status).toBe(200);
  for (const wrong of [scrapeToken.slice(0, -1), `${scrapeToken}0`, scrapeToken.toUpperCase()])
    expect((await get({ token: wrong })).status).toBe(401);
});

test('the scrape token gives access to nothing else', async () => {
  for (const path of ['/v1/alerts', '/v1/fleet', '/v1/settings', '/v1/audit'])
    expect((await api.call('GET', path, { token: scrapeToken })).status).toBe(401);
});

test('a limited token reads metrics of its own groups only', async () => {
  const { body } = await get({ token: await api.issuer.token({ groups: ['north'] }) });
  expect(body).toContain('group="north"');
  for (const foreign of ['south', 'group="other"', 'endpoint="']) expect(body).not.toContain(foreign);
  expect((await get()).body).toContain('group="south"');
});

test('names no device', async () => {
  expect((await get()).body).not.toContain('cam-');
});

test.each(['short', 'x'.repeat(31), `${'x'.repeat(40)} y`, `${'x'.repeat(40)}"`])(
  'a scrape token %s is refused',
  (text) => {
    expect(() => bearerToken(text)).toThrow('must be 32 to 256');
  },
);

test('docs/metrics.md describes every metric', () => {
  const page = readFileSync('docs/metrics.md', 'utf8');
  for (const [name, { help, labels }] of Object.entries(metricTable))
    expect(page).toContain(`| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`);
});

test('the dashboard shows every metric, and none that does not exist', () => {
  const dashboard = readFileSync('docs/grafana/watchpost.json', 'utf8');
  const named = [...dashboard.matchAll(/\bwatchpost_[a-z0-9_]+/g)].map(([name]) => name);
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(metricTable).toSorted());
  const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] };
  expect(panels.every(({ targets }) => targets.length > 0 && targets.every(({ expr }) => expr !== ''))).toBe(true);
});
