import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { ledger } from '../support/score/score.ts';
import { type Api, close, codesOf, pause, repeating, sightOf, well } from '../support/stack/cameras.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

/** A minute of the service and of its sweeps takes a second. */
describe.skipIf(missing)('what can be seen, on running processes', { timeout: 240_000 }, () => {
  let stack: Stack;
  let api: Api;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 60 });
    api = callerOf(stack);
  });
  afterAll(() => stack?.stop());

  test('a camera that disconnects and returns while ingest stops for ten minutes is not declared lost; a later real loss is', async () => {
    const [steady, restless] = await Promise.all([connectDevice(stack, 'steady'), connectDevice(stack, 'restless')]);
    const reports = [steady, restless].map(({ send }) => repeating(1000, () => send('status', well)));
    await until('all is seen', async () => {
      const { platform, devices } = (await api.get('/v1/fleet')).body;
      return platform.state === 'sees' && devices.online === 2 && (await codesOf(api, 'restless')).length === 0;
    });
    const pid = stack.run.pids['ingest'] ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      await restless.send('connection', { status: 'offline' });
      reports[1]?.stop();
      await until('the platform says that it is blind', async () => (await sightOf(api)) === 'blind');
      await pause(6000);
      reports[1] = repeating(1000, () => restless.send('status', well));
      await pause(4000);
      const { devices } = (await api.get('/v1/fleet')).body;
      expect(devices).toMatchObject({ total: 2, offline: 0 });
      expect((await api.get('/v1/alerts?status=all&code=CONN_001')).body.alerts).toEqual([]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('it sees again', async () => (await sightOf(api)) === 'sees');
    const { incidents } = (await api.get('/v1/incidents?status=all')).body;
    expect(incidents.length).toBeGreaterThan(0);
    for (const incident of incidents) expect(incident).toMatchObject({ kind: 'blind', status: 'resolved' });
    expect((await api.get('/v1/alerts?status=all&code=CONN_001')).body.alerts).toEqual([]);
    reports[1]?.stop();
    await until('its silence is announced', async () => (await codesOf(api, 'restless', 'open')).includes('CONN_001'));
    expect(await codesOf(api, 'steady')).toEqual([]);
    reports[0]?.stop();
    await close(steady, restless);
    ledger('R18', 'ingest stopped for ten minutes, scaled', { tried: 2, lost: 0, wrong: 0, doubled: 0 });
  });

  test('a camera with one invalid member in every report is online, its other members count, and the fault is recorded once', async () => {
    const camera = await connectDevice(stack, 'half-broken');
    const report = { mqtt: { latencyMs: -1 }, memory: { usedPercent: 93 } };
    const reports = repeating(700, () => camera.send('status', report));
    await until('its memory is announced', async () => (await codesOf(api, 'half-broken')).includes('RES_001'));
    // More than ten scaled minutes: if its reports did not count, the camera would be silent by now.
    await pause(13_000);
    reports.stop();
    expect(await codesOf(api, 'half-broken')).toEqual(['RES_001']);
    const kept = (await api.get('/v1/quarantine?status=all')).body.reports;
    expect(kept).toMatchObject([{ deviceId: 'half-broken', errors: [{ pointer: '/mqtt/latencyMs' }] }]);
    await close(camera);
  });
});
