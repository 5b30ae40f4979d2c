import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { ledger } from '../support/score/score.ts';
import { callerOf, connectDevice, until } from '../support/stack/stack.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);
/** The longer ones run with `npm run fault`. */
const isFull = process.env['FAULT_SIZE'] === 'full';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
type Device = Awaited<ReturnType<typeof connectDevice>>;
type Api = ReturnType<typeof callerOf>;

/** Says something again and again, as a camera reports each of its minutes. */
function repeating(everyMs: number, say: () => Promise<void>): { stop(): void } {
  let isOver = false;
  void (async () => {
    while (!isOver) {
      await say().catch(() => {});
      await pause(everyMs);
    }
  })();
  return {
    stop() {
      isOver = true;
    },
  };
}

const codesOf = async (api: Api, deviceId: string, status = 'all'): Promise<string[]> => {
  const { body } = await api.get(`/v1/devices/${deviceId}/alerts?status=${status}`);
  // Until it is registered there are none.
  return (body.alerts ?? []).map(({ code }: { code: string }) => code);
};
const sightOf = async (api: Api) => (await api.get('/v1/fleet')).body.platform.state;
const well = { memory: { usedPercent: 20 } };

/** A minute of the service is a second here, and so is that of the sweep. */
describe.skipIf(missing)('what can be seen, on running processes', { timeout: 240_000 }, () => {
  let stack: Stack;
  let api: Api;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 60 });
    api = callerOf(stack);
  });
  afterAll(() => stack?.stop());

  test('ingest that stands for ten minutes while a camera goes and comes back declares nobody lost, and afterwards who is', async () => {
    const [steady, restless] = await Promise.all([connectDevice(stack, 'steady'), connectDevice(stack, 'restless')]);
    const reports = [steady, restless].map(({ send }) => repeating(1000, () => send('status', well)));
    await until(
      'all is seen',
      async () => (await sightOf(api)) === 'sees' && (await codesOf(api, 'restless')).length === 0,
    );
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
    await until('its silence is told', async () => (await codesOf(api, 'restless', 'open')).includes('CONN_001'));
    expect(await codesOf(api, 'steady')).toEqual([]);
    reports[0]?.stop();
    await close(steady, restless);
    ledger('R18', 'ingest stopped for ten minutes, scaled', { tried: 2, lost: 0, wrong: 0, doubled: 0 });
  });

  test('a camera with one bad member in every report is seen, its good members count, and the bad one is recorded once', async () => {
    const camera = await connectDevice(stack, 'half-broken');
    const report = { mqtt: { latencyMs: -1 }, memory: { usedPercent: 93 } };
    const reports = repeating(700, () => camera.send('status', report));
    await until('its memory is told', async () => (await codesOf(api, 'half-broken')).includes('RES_001'));
    // Ten minutes and more: it would have been silent by now.
    await pause(13_000);
    reports.stop();
    expect(await codesOf(api, 'half-broken')).toEqual(['RES_001']);
    const kept = (await api.get('/v1/quarantine?status=all')).body.reports;
    expect(kept).toMatchObject([{ deviceId: 'half-broken', errors: [{ pointer: '/mqtt/latencyMs' }] }]);
    await close(camera);
  });

  test.skipIf(!isFull)(
    '200 cameras that fall silent are lost while the canary lives, and unknown while it does not',
    async () => {
      const links = await Promise.all([0, 1, 2, 3].map((index) => connectDevice(stack, `link-${index}`)));
      const sayAll = () =>
        Promise.all(
          links.map(async ({ client }, link) => {
            for (let index = link; index < 200; index += 4) {
              const body = JSON.stringify({ ...well, groupId: `site-${index % 2}` });
              await client.publishAsync(`devices/many-${index}/status`, body, { qos: 1 });
            }
          }),
        );
      const silent = async () =>
        (await api.get('/v1/alerts?code=CONN_001&groupId=site-0&groupId=site-1&pageSize=200')).body;
      const living = repeating(1500, async () => void (await sayAll()));
      await until(
        'all are there',
        async () => (await api.get('/v1/devices?q=many&state=online&pageSize=200')).body.devices.length === 200,
      );
      living.stop();
      const startedAt = Date.now();
      await until('all are lost', async () => (await silent()).alerts.length === 200, 90);
      console.log(
        `200 silent cameras are told ${((Date.now() - startedAt) / 1000).toFixed(1)} scaled minutes after their last report`,
      );
      const again = repeating(1500, async () => void (await sayAll()));
      await until('all are back', async () => (await silent()).alerts.length === 0, 90);
      again.stop();
      await stack.stopPart('mqtt');
      await until('it is blind', async () => (await sightOf(api)) === 'blind');
      await until('all are unknown', async () => {
        const { devices } = (await api.get('/v1/devices?q=many&state=unknown&pageSize=200')).body;
        return devices.length === 200;
      });
      expect((await silent()).alerts).toEqual([]);
      await stack.restart('mqtt');
      await close(...links);
      ledger('R18', '200 silent cameras, with the canary alive and dead', {
        tried: 400,
        lost: 0,
        wrong: 0,
        doubled: 0,
      });
    },
  );
});

/** An hour of the service is a second here. */
describe.skipIf(missing || !isFull)('endings, on running processes', { timeout: 240_000 }, () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 3600 });
  });
  afterAll(() => stack?.stop());

  test('a failed certificate that a person resolved stays resolved, and a drift that healed ends after its day, told to nobody', async () => {
    const api = callerOf(stack);
    const camera = await connectDevice(stack, 'cam');
    const now = () => new Date().toISOString();
    await camera.send('status', well);
    await camera.send('event', { type: 'certificate_validation_failed', timestamp: now(), reason: 'self-signed' });
    await camera.send('guardian', guardianAlert('drift', ['broker.port'], now()));
    await camera.send('guardian', guardianAlert('heal', ['broker.port'], now()));
    const [failed] = await until('it is told', async () => {
      const { alerts } = (await api.get('/v1/alerts?code=SEC_001')).body;
      return alerts.length === 1 && alerts;
    });
    expect((await api.call('POST', `/v1/alerts/${failed.alertId}/resolve`, { body: {} })).status).toBe(200);
    const reports = repeating(500, () => camera.send('status', well));
    const [healed] = await until('its day is over', async () => {
      const { alerts } = (await api.get('/v1/alerts?code=CFG_002&status=resolved')).body;
      return alerts.length === 1 && alerts;
    });
    reports.stop();
    expect(healed).toMatchObject({ resolution: 'automatic', escalatedAt: null });
    expect(Date.parse(healed.resolvedAt) - Date.parse(healed.timestamp)).toBeGreaterThanOrEqual(24_000);
    expect((await api.get('/v1/alerts?code=SEC_001&status=all')).body.alerts).toMatchObject([{ status: 'resolved' }]);
    await close(camera);
  });
});

async function close(...devices: Device[]): Promise<void> {
  for (const { client } of devices) await client.endAsync(true).catch(() => {});
}
