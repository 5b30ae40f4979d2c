import { expect, test } from 'vitest';
import { type Hop, type Smoke, smoke } from '../../tools/smoke/hops.ts';
import { ownReceiver } from '../../tools/smoke/receipts.ts';

test('the receiver keeps requests, with the caller address that its proxy appended', async () => {
  const receiver = await ownReceiver('https://smoke.example.com/', 0);
  const send = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${receiver.port}/`, { method: 'POST', body: '{"a":1}', headers });
  await send({ 'X-Forwarded-For': '198.51.100.9, 203.0.113.7' });
  await send({});
  const [behind, direct] = await receiver.received();
  await receiver.close();
  expect(behind).toMatchObject({ address: '203.0.113.7', body: '{"a":1}' });
  expect(direct?.address).toMatch(/127\.0\.0\.1$/);
});

const fleetOf = (state: string) => ({ platform: { ways: [{ name: 'broker', state }] } });

/** A service that gives these answers. */
function parts(answers: Record<string, unknown>): Smoke & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    api: {
      async call(method, path) {
        const [plain = ''] = path.split('?');
        asked.push(`${method} ${plain}`);
        const given: Record<string, unknown> = { 'GET /v1/fleet': fleetOf('sees'), ...answers };
        const answer = given[`${method} ${plain}`] ?? {};
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    messages: { send: async () => {}, close: async () => {} },
    receiver: { url: 'https://r.example.com/', received: async () => [], close: async () => {} },
    deviceId: 'smoke-1',
    groupId: 'g',
    patienceMs: 10,
  };
}

test('everything created before the broken hop is deleted, and nothing else', async () => {
  const given = parts({
    'PUT /v1/devices': { results: [{ outcome: 'created' }] },
    'POST /v1/maintenance-windows': new Error('POST /v1/maintenance-windows was answered 403'),
  });
  const hops: Hop[] = [];
  await smoke(given, (hop) => hops.push(hop));
  expect(hops.filter(({ fault }) => fault !== null).map(({ name }) => name)).toEqual(['maintenance']);
  expect(hops.at(-1)).toMatchObject({ name: 'clean-up', fault: null });
  expect(given.asked.filter((each) => each.startsWith('DELETE'))).toEqual(['DELETE /v1/devices/smoke-1']);
});

test('an existing camera is neither used nor deleted', async () => {
  const given = parts({ 'PUT /v1/devices': { results: [{ outcome: 'unchanged' }] } });
  const hops: Hop[] = [];
  await smoke(given, (hop) => hops.push(hop));
  expect(hops.find(({ name }) => name === 'registry')?.fault).toContain('unchanged');
  expect(given.asked.filter((each) => each.startsWith('DELETE'))).toEqual([]);
});

test('a way that no canary ever came through is a broken hop, and says where to look', async () => {
  const given = parts({ 'GET /v1/fleet': fleetOf('unproven') });
  const hops: Hop[] = [];
  await smoke(given, (hop) => hops.push(hop));
  expect(hops.find(({ fault }) => fault !== null)).toMatchObject({
    name: 'canaries',
    fault: expect.stringContaining('broker: docs/runbook.md'),
  });
  expect(given.asked).not.toContain('PUT /v1/devices');
});

test('a way of which only reports tell, and that is quiet, is no broken hop', async () => {
  const at = '2026-11-20T10:03:00.000Z';
  const ways = [{ name: 'broker', state: 'sees', lastHandledAt: at }];
  const fleet = (lastReportAt: string) => ({ platform: { horizonAt: '2026-11-20T10:08:00.000Z', lastReportAt, ways } });
  const faultFor = async (lastReportAt: string) => {
    const hops = await smoke(parts({ 'GET /v1/fleet': fleet(lastReportAt) }), () => {});
    return hops.find(({ name }) => name === 'canaries')?.fault;
  };
  expect(await faultFor(at)).toBeNull();
  expect(await faultFor('2026-11-20T10:07:00.000Z')).toContain('no longer come through broker');
});
