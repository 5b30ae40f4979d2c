import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidOf } from '../support/records/alerts.ts';
import { allRecords } from '../support/records/records.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let token: string;
beforeAll(async () => {
  api = await startTestApi();
  token = await api.issuer.token();
});
afterAll(() => api.stop());

test('no answer and no log line contains a secret, and stored secrets are encrypted', async () => {
  const secrets: string[] = [];
  const plant = (kind: string) => {
    const secret = `planted-${kind}-${String(secrets.length).padStart(2, '0')}-9f3a7c`;
    secrets.push(secret);
    return secret;
  };
  const heard: string[] = [];
  const call = async (method: string, path: string, body?: unknown, bearer = token) => {
    const answer = await api.call(method, path, { token: bearer, ...(body === undefined ? {} : { body }) });
    heard.push(JSON.stringify([answer.body, [...answer.headers]]));
    return answer;
  };
  const url = 'https://hooks.example.com/';
  const header = (name: string) => ({ headers: { [name]: plant(name) } });
  for (const name of ['Authorization', 'X-Api-Key', 'Cookie', 'X-Auth-Token', 'X-Secret', 'X-Signature']) {
    const made = await call('POST', '/v1/webhooks', { url, secret: plant('secret'), ...header(name) });
    const path = `/v1/webhooks/${made.body.webhookId}`;
    await call('POST', `${path}/rotate-secret`, { secret: plant('rotated') });
    await call('PATCH', path, { ...header(name), secret: plant('replaced') });
    await call('POST', `${path}/promote-secret`, {});
    await call('GET', path);
    // Both are refused, and the reasons must not contain the secret.
    await call('POST', '/v1/webhooks', { url: 'https://10.0.0.1/', secret: plant('refused'), ...header(name) });
    await call('POST', '/v1/webhooks', { url, secret: { not: plant('shape') } });
  }
  for (const kind of ['slack', 'google-chat', 'teams']) {
    await call('PUT', '/v1/teams/night', { chats: [{ kind, url: `https://chat.example.com/${plant(kind)}/tail` }] });
    await call('PUT', '/v1/teams/night', { chats: [{ kind, url: `https://10.0.0.1/${plant(kind)}/tail` }] });
    await call('GET', '/v1/teams/night');
    await call('POST', '/v1/teams/night/test', {});
  }
  const stored = secrets.length;
  for (const path of ['/v1/alerts', `/v1/alerts/${uuidOf(1)}`, '/v1/nothing'])
    await call('GET', path, undefined, plant('bearer'));
  for (const path of ['/v1/teams', '/v1/webhooks', '/v1/deliveries']) await call('GET', path);
  const spoken = [...heard, ...api.world.lines.map((line) => JSON.stringify(line))];
  const kept = await allRecords(api.world.store);
  const through = secrets.filter(
    (secret, index) =>
      spoken.some((text) => text.includes(secret)) || (index < stored && kept.some((text) => text.includes(secret))),
  );
  score('S10', 'planted secrets looked for in answers, log and store', secrets.length, through.length);
  expect(through).toEqual([]);
  expect(secrets.length).toBeGreaterThanOrEqual(30);
});
