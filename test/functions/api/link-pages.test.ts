import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLimits } from '../../../shared/adapters/http/limits.ts';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { createPost } from '../../support/notify/post.ts';
import { alertOf, ana, giveTeam, messagesOf, openTestAlert } from '../../support/records/alerts.ts';
import { allRecords } from '../../support/records/records.ts';
import { startTestApi } from '../../support/world/api.ts';
import { createTestWorld } from '../../support/world/world.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let post: ReturnType<typeof createPost>;
beforeEach(async () => {
  const world = createTestWorld();
  api = await startTestApi(
    world,
    [],
    undefined,
    createLimits(() => Date.parse(world.now()), 10_000),
  );
  post = createPost(api.world);
  await giveTeam(api.world, 'operations', { emails: ['ops@example.com'] });
});
afterEach(() => api.stop());

/** Opens an alert and returns the link in its mail. */
async function mailed(): Promise<{ alertId: string; path: string }> {
  const alertId = await openTestAlert(api.world, { deviceName: 'Gate <2>' });
  await post.pass(1);
  const path = /https:\/\/console\.example\.com(\/t\/[A-Za-z0-9_-]{22})(?![A-Za-z0-9_-])/.exec(
    post.sent.at(-1)?.text ?? '',
  )?.[1];
  if (!path) throw new Error('the mail has no link');
  return { alertId, path };
}

const ask = async (method: 'GET' | 'POST', path: string, address = '203.0.113.7') => {
  const response = await api.fetch(
    new Request(`http://watchpost.test${path}`, { method, headers: { 'X-Forwarded-For': address } }),
  );
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('opening a link shows the alert and one button; only the button acknowledges, once', async () => {
  const { alertId, path } = await mailed();
  for (let count = 0; count < 3; count += 1) {
    const page = await ask('GET', path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('north / Gate &lt;2&gt; offline since 10:00');
    expect(page.text.match(/<button/g)).toHaveLength(1);
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('Cache-Control')).toBe('no-store');
    expect(page.headers.get('Referrer-Policy')).toBe('no-referrer');
  }
  expect((await alertOf(api.world, alertId)).status).toBe('active');
  const taken = await ask('POST', path);
  expect(taken.status).toBe(200);
  expect(taken.text).toContain('has it');
  expect(taken.text).not.toContain('<button');
  expect(await alertOf(api.world, alertId)).toMatchObject({
    status: 'acknowledged',
    acknowledgedBy: 'link:operations: o…@example.com',
  });
  for (const method of ['GET', 'POST'] as const) {
    const again = await ask(method, path);
    expect([again.status, again.text.includes('link-used')]).toEqual([410, true]);
  }
  const [entry] = await api.world.store.find({ in: 'auditStream', limit: 10 });
  expect(entry?.data).toMatchObject({ subject: 'link:operations: o…@example.com', address: '203.0.113.7' });
});

test('after an acknowledgement the page names the person and has no button', async () => {
  const { alertId, path } = await mailed();
  await actOnAlert(api.world, ana, alertId, { kind: 'acknowledge' }, null);
  const page = await ask('GET', path);
  expect(page.text).toContain('ana has it');
  expect(page.text).not.toContain('<button');
  expect((await ask('POST', path)).status).toBe(200);
  expect(await alertOf(api.world, alertId)).toMatchObject({ acknowledgedBy: 'ana', version: 2 });
});

test('two simultaneous clicks acknowledge once', async () => {
  const { alertId, path } = await mailed();
  const answers = await Promise.all([ask('POST', path), ask('POST', path)]);
  expect(answers.map(({ status }) => status).every((status) => status === 200 || status === 410)).toBe(true);
  expect((await alertOf(api.world, alertId)).version).toBe(2);
  expect((await ask('POST', path)).status).toBe(410);
});

test('an expired link and an unknown link show nothing', async () => {
  const { alertId, path } = await mailed();
  api.world.pass(24 * 3600);
  const old = await ask('POST', path);
  expect([old.status, old.text.includes('link-expired')]).toEqual([410, true]);
  expect((await ask('GET', `/t/${'a'.repeat(22)}`)).status).toBe(404);
  expect((await ask('POST', '/t/x')).status).toBe(404);
  expect((await alertOf(api.world, alertId)).acknowledgedBy).toBeNull();
});

test('no record, log line or delivery contains the token', async () => {
  const { path } = await mailed();
  await ask('GET', path);
  await ask('POST', path);
  const token = path.slice('/t/'.length);
  expect((await allRecords(api.world.store)).filter((record) => record.includes(token))).toEqual([]);
  expect(JSON.stringify(api.world.lines)).not.toContain(token);
  expect((await messagesOf(api.world)).map(({ body }) => body)).toEqual(expect.arrayContaining(['']));
});

test('guesses are limited to 30 a minute for each caller address, and requests to 30 for each link', async () => {
  const { path } = await mailed();
  for (let count = 0; count < 30; count += 1)
    expect((await ask('GET', `/t/${String(count).padStart(22, 'b')}`, '203.0.113.9')).status).toBe(404);
  expect((await ask('GET', `/t/${'c'.repeat(22)}`, '203.0.113.9')).status).toBe(429);
  // A guesser does not keep others at his address from the links that they were sent.
  expect((await ask('GET', path, '203.0.113.9')).status).toBe(200);
  for (let count = 0; count < 30; count += 1) await ask('GET', path, `203.0.113.${100 + count}`);
  expect((await ask('GET', path, '203.0.113.250')).status).toBe(429);
  api.world.pass(60);
  expect((await ask('GET', path, '203.0.113.250')).status).toBe(200);
});
