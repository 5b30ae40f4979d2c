import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../../local/stack/stack.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { ledger } from '../../support/score/score.ts';
import { type Api, close, repeating, sightOf, well } from '../../support/stack/cameras.ts';
import { callerOf, connectDevice, connectFleet, until } from '../../support/stack/stack.ts';

/** How many seconds a minute of the service and of its sweeps takes. More than one, because 200 cameras are a high load for a shared machine. */
const minuteSeconds = 6;

describe('a silent fleet, on running processes', { timeout: 1_500_000 }, () => {
  let stack: Stack;
  let api: Api;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 60 / minuteSeconds });
    api = callerOf(stack);
  });
  afterAll(() => stack?.stop());

  test('200 silent cameras are declared lost while canaries arrive, and unknown while they do not', async () => {
    const fleet = connectFleet(stack);
    const sayAll = () =>
      Promise.all(
        [0, 1, 2, 3].map(async (first) => {
          for (let index = first; index < 200; index += 4)
            await fleet.send(`many-${index}`, 'status', { ...well, groupId: `site-${index % 2}` });
        }),
      );
    const silent = async () =>
      (await api.get('/v1/alerts?code=CONN_001&groupId=site-0&groupId=site-1&pageSize=200')).body;
    const living = repeating(2500 * minuteSeconds, async () => void (await sayAll()));
    await until(
      'all are there',
      async () => (await api.get('/v1/devices?q=many&state=online&pageSize=200')).body.devices.length === 200,
      40 * minuteSeconds,
    );
    living.stop();
    const startedAt = Date.now();
    await until('all are lost', async () => (await silent()).alerts.length === 200, 90 * minuteSeconds);
    console.log(
      `200 silent cameras are announced ${((Date.now() - startedAt) / 1000 / minuteSeconds).toFixed(1)} scaled minutes after their last report`,
    );
    const again = repeating(2500 * minuteSeconds, async () => void (await sayAll()));
    await until('all are back', async () => (await silent()).alerts.length === 0, 90 * minuteSeconds);
    again.stop();
    await stack.stopPart('mqtt');
    await until('it is blind', async () => (await sightOf(api)) === 'blind', 40 * minuteSeconds);
    await until(
      'all are unknown',
      async () => {
        const { devices } = (await api.get('/v1/devices?q=many&state=unknown&pageSize=200')).body;
        return devices.length === 200;
      },
      40 * minuteSeconds,
    );
    expect((await silent()).alerts).toEqual([]);
    await stack.restart('mqtt');
    await fleet.close();
    ledger('R18', '200 silent cameras, with the canary alive and dead', {
      tried: 400,
      lost: 0,
      wrong: 0,
      doubled: 0,
    });
  });
});

/** An hour of the service takes a second. */
describe('endings, on running processes', { timeout: 240_000 }, () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 3600 });
  });
  afterAll(() => stack?.stop());

  test('a failed certificate stays resolved by hand, and a healed drift ends after a day; nobody is notified of the end', async () => {
    const api = callerOf(stack);
    const camera = await connectDevice(stack, 'cam');
    const now = () => new Date().toISOString();
    await camera.send('status', well);
    await camera.send('event', { type: 'certificate_validation_failed', timestamp: now(), reason: 'self-signed' });
    await camera.send('guardian', guardianAlert('drift', ['broker.port'], now()));
    const healedAt = now();
    await camera.send('guardian', guardianAlert('heal', ['broker.port'], healedAt));
    const [failed] = await until('it is announced', async () => {
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
    expect(Date.parse(healed.resolvedAt) - Date.parse(healedAt)).toBeGreaterThanOrEqual(24_000);
    expect((await api.get('/v1/alerts?code=SEC_001&status=all')).body.alerts).toMatchObject([{ status: 'resolved' }]);
    await close(camera);
  });
});
