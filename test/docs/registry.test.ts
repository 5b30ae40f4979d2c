import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deviceColumns } from '../../shared/schema/device/import.ts';
import { startTestApi } from '../support/world/api.ts';
import { createTimeline } from '../support/world/timeline.ts';

const page = readFileSync('docs/registry.md', 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );
const [table = ''] = blocks('csv');
const [answer = '', patterns = ''] = blocks('json');

test('the table of the page gets the answer on the page, and its pattern places a new camera', async () => {
  const api = await startTestApi();
  const line = createTimeline(api.world);
  try {
    const headers = { 'Content-Type': 'text/csv' };
    const dry = await api.call('PUT', '/v1/devices?dryRun=true', { rawBody: table, headers });
    expect(dry.body).toEqual(JSON.parse(answer));
    expect((await api.call('GET', '/v1/devices/gbg-001')).status).toBe(404);
    const { body: settings } = await api.call('GET', '/v1/settings');
    const body = { ...settings, idPatterns: JSON.parse(patterns) };
    expect((await api.call('PUT', '/v1/settings', { body })).status).toBe(200);
    await line.says(0, 'status', {}, { deviceId: 'gbg-9' });
    await line.says(0, 'status', {}, { deviceId: 'door-lab' });
    expect(await line.device('gbg-9')).toMatchObject({ groupId: 'north', site: 'gbg-central' });
    expect(await line.device('door-lab')).toMatchObject({ groupId: 'lab', site: null });
    const [, place = ''] = /`PUT \/v1\/places\/\{kind\}\/\{id\}` with `(\{.*?\})`/.exec(page) ?? [];
    const put = await api.call('PUT', '/v1/places/site/gbg-central', { body: JSON.parse(place) });
    expect([put.status, put.body.name]).toEqual([200, 'Gbg Central']);
  } finally {
    await api.stop();
  }
});

test('the page names every column', () => {
  const missing = deviceColumns.filter((column) => !page.includes(`\`${column.replace('*', '')}\``));
  expect(missing).toEqual([]);
});
