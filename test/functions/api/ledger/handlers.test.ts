import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeCanary } from '../../../../shared/app/sight/take-canary.ts';
import { noteKeyOf, verifierKey } from '../../../../shared/domain/ledger/note.ts';
import { createTestObjects, origin, testKey } from '../../../support/ledger/objects.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';
import { seal } from '../../../support/world/ways.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const world = createTestWorld();
const ledger = { objects: createTestObjects(), origin, keys: [testKey] };
world.ledger = ledger;
let api: Awaited<ReturnType<typeof startTestApi>>;
let folder: string;

/** A camera of north that is offline for a minute after 40 min, as its broker reports, and a camera of south. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  api = await startTestApi(world);
  const life = createTimeline(world);
  const sender = { send: async (_canary: unknown, body: string) => takeCanary(world, Buffer.from(body), seal) };
  const canaries = { seal, senders: { ingest: sender, broker: sender } };
  await life.says(0, 'status', { groupId: 'north' });
  await life.says(0, 'status', { groupId: 'south' }, { deviceId: 'cam-2' });
  for (let now = minute; now <= 2 * hour; now += minute) {
    const isCut = now > 40 * minute && now <= 41 * minute;
    if (now === 41 * minute) await life.says(now - 50, 'connection', { status: 'offline', reason: 'tcp_closed' });
    if (now === 42 * minute) await life.says(now - 20, 'connection', { status: 'online' });
    if (!isCut) await life.says(now, 'status', { groupId: 'north' });
    await life.says(now, 'status', { groupId: 'south' }, { deviceId: 'cam-2' });
    await sweep(world, canaries, ledger);
  }
  await asked('cam-1');
  world.pass(60);
  await sweep(world, canaries, ledger);
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

const [from, to] = [at(0), at(110 * minute)];
const asked = (deviceId: string, more = '', given = {}) =>
  api.call('GET', `/v1/ledger/proof?deviceId=${deviceId}&from=${from}&to=${to}${more}`, given);

describe('GET /v1/ledger/proof', () => {
  test('proves to anybody when a camera was seen and when it was lost', async () => {
    const { status, body } = await asked('cam-1');
    expect([status, body.isPending]).toEqual([200, false]);
    const path = join(folder, 'bundle.json');
    const verified = (text: string) => {
      writeFileSync(path, text);
      const { stdout, status: code } = spawnSync(
        'python3',
        ['verify/watchpost_verify.py', path, '--key', verifierKey(testKey)],
        { encoding: 'utf8' },
      );
      return { stdout, code };
    };
    const { stdout, code } = verified(JSON.stringify(body));
    expect(stdout).toContain('PROVEN: cam-1');
    expect(stdout).toContain(
      `blind (lost) within ${at(40 * minute).slice(0, 19)}Z and ${at(41 * minute + 40).slice(0, 19)}Z`,
    );
    expect(code).toBe(0);
    expect(verified(JSON.stringify(body).replace('lost', 'lozt'))).toEqual({
      stdout: expect.stringMatching(/^NOT PROVEN/),
      code: 1,
    });
  });

  test.each<[string, [from: number, to: number], (text: string) => string, number, RegExp]>([
    ['all of it', [0, 110 * minute], (text) => text, 0, /^PROVEN: cam-1/],
    [
      'a time before the registration',
      [-hour, 110 * minute],
      (text) => text,
      1,
      /not proven: nothing is recorded before 2026-11-20T10:00:00Z/,
    ],
    [
      'a time before the registration alone',
      [-2 * hour, -hour],
      (text) => text,
      1,
      /^PARTLY PROVEN[\s\S]*nothing is recorded/,
    ],
    ['a time that is not recorded yet', [0, 5 * hour], (text) => text, 1, /not proven: nothing is recorded after/],
    [
      'a bundle from which the camera\u2019s entries were taken',
      [0, 110 * minute],
      (text) => JSON.stringify({ ...JSON.parse(text), entries: [] }),
      2,
      /^CANNOT BE DECIDED: the bundle lacks the hash/,
    ],
    [
      'a truncated download',
      [0, 110 * minute],
      (text) => text.slice(0, text.length - 9),
      2,
      /^CANNOT BE DECIDED: .*Is the download complete/,
    ],
    ['a download with a byte changed', [0, 110 * minute], (text) => text.replace('lost', 'lozt'), 1, /^NOT PROVEN/],
  ])('the verifier gives the right verdict on %s', async (_what, [begin, end], change, code, words) => {
    const query = `deviceId=cam-1&from=${at(begin)}&to=${at(end)}`;
    const { body } = await api.call('GET', `/v1/ledger/proof?${query}`);
    const path = join(folder, 'asked.json');
    writeFileSync(path, change(JSON.stringify(body)));
    const run = (key: string) =>
      spawnSync('python3', ['verify/watchpost_verify.py', path, '--key', key], { encoding: 'utf8' });
    const { stdout, status } = run(verifierKey(testKey));
    expect([status, stdout]).toEqual([code, expect.stringMatching(words)]);
    const foreign = run(verifierKey(noteKeyOf(origin, Buffer.alloc(32, 99))));
    const isReadable = code < 2 || !/download/.test(_what);
    expect(foreign.status).toBe(isReadable ? 1 : 2);
  });

  test('shows cameras of the groups of a bearer, and no others', async () => {
    const token = await api.issuer.token({ groups: ['north'] });
    expect((await asked('cam-1', '', { token })).status).toBe(200);
    for (const deviceId of ['cam-2', 'cam-9']) expect((await asked(deviceId, '', { token })).status).toBe(404);
  });

  test.each([
    ['a time that ends before it begins', `deviceId=cam-1&from=${to}&to=${from}`, '?to'],
    ['a checkpoint that is not there yet', `deviceId=cam-1&from=${from}&to=${to}&since=100000`, '?since'],
    ['no camera', `from=${from}&to=${to}`, '?deviceId'],
  ])('refuses %s', async (_what, query, pointer) => {
    const { status, body } = await api.call('GET', `/v1/ledger/proof?${query}`);
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
  });

  test('is pending for a time that is not recorded yet, and the next sweep records it', async () => {
    const { body } = await asked('cam-2');
    expect(body).toMatchObject({ isPending: true, entries: [] });
    world.pass(60);
    await sweep(world, undefined, ledger);
    expect((await asked('cam-2')).body).toMatchObject({ isPending: false, entries: [{ index: expect.any(Number) }] });
  });
});

describe('the log', () => {
  const read = async (path: string) => {
    const headers = { Authorization: `Bearer ${await api.issuer.token()}` };
    return api.fetch(new Request(`http://watchpost.test${path}`, { headers }));
  };
  test('is readable as checkpoint and tiles', async () => {
    const note = await (await read('/v1/ledger/checkpoint')).text();
    const size = Number(note.split('\n')[1]);
    expect(note).toMatch(/^watchpost\.test\/ledger\n\d+\n/);
    const tile = await read(`/v1/ledger/tile/0/000.p/${size}`);
    expect(Buffer.from(await tile.arrayBuffer())).toHaveLength(32 * size);
    expect(tile.headers.get('Content-Type')).toBe('application/octet-stream');
  });
  test.each([
    '/v1/ledger/tile/0/999',
    '/v1/ledger/tile/0/..%2f..%2fcheckpoint',
    '/v1/ledger/tile/entries/000',
    '/v1/ledger/tile/',
  ])('has no %s', async (path) => {
    expect((await read(path)).status).toBe(404);
  });
});

describe('GET /v1/reports/availability', () => {
  const query = `from=${from}&to=${to}`;
  test('shows how long each camera was seen, with uncertain time counted both ways', async () => {
    const { body } = await api.call('GET', `/v1/reports/availability?${query}`);
    const [one] = body.parts;
    expect(one).toMatchObject({ id: 'cam-1', devices: 1 });
    const { seen, lost, uncertain, ...none } = one.minutes;
    expect(Object.values(none)).toEqual([0, 0, 0, 0, 0]);
    expect(seen + lost + uncertain).toBeCloseTo(110, 1);
    expect(lost).toBeGreaterThan(1);
    expect(uncertain).toBeLessThan(0.5);
    expect(one.availability.uncertainIsDown).toBeLessThan(one.availability.uncertainIsUp);
    expect(body.outages).toEqual([
      expect.objectContaining({ deviceId: 'cam-1', state: 'blind', cause: 'lost', index: expect.any(Number) }),
    ]);
    expect(body.months).toHaveLength(1);
    expect(body.checkpoint).toContain(origin);
  });
  test('by group lists only the groups of the bearer', async () => {
    const token = await api.issuer.token({ groups: ['south'] });
    const { body } = await api.call('GET', `/v1/reports/availability?${query}&by=group`, { token });
    expect(body.parts.map(({ id }: { id: string }) => id)).toEqual(['south']);
  });
  test('for one camera lists each day', async () => {
    const { body } = await api.call('GET', `/v1/reports/availability?${query}&deviceId=cam-1`);
    expect(body.days).toEqual([{ day: '2026-11-20', minutes: expect.objectContaining({ notRecorded: 0 }) }]);
  });
  test.each([
    ['csv', 'text/csv; charset=utf-8', /^device,name,devices,seenMinutes,.*\r\ncam-1,,1,/],
    ['pdf', 'application/pdf', /^%PDF-1\./],
  ])('is available as %s', async (format, media, beginning) => {
    const headers = { Authorization: `Bearer ${await api.issuer.token()}` };
    const answer = await api.fetch(
      new Request(`http://watchpost.test/v1/reports/availability?${query}&format=${format}`, { headers }),
    );
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, media]);
    expect(await answer.text()).toMatch(beginning);
  });
  test('refuses more than 400 days', async () => {
    const { status, body } = await api.call('GET', `/v1/reports/availability?from=2024-01-01T00:00:00Z&to=${to}`);
    expect([status, body.errors[0].pointer]).toEqual([400, '?to']);
  });
});
