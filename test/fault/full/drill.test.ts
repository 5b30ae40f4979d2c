import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingForEmulators } from '../../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../../local/stack/stack.ts';
import { receiverOf } from '../../support/stack/receiver.ts';
import { callerOf, until } from '../../support/stack/stack.ts';

const missing = missingForEmulators();
const targets = { emails: ['drill@example.com'], phones: ['+46700000001'] };
/** An hour in a minute: a drill is judged 5 s after it began. */
const timeScale = 60;
/** Two periods, the time until one is judged and shown, and what a busy machine takes. */
const patienceSeconds = 180;

let stack: Stack;
let api: ReturnType<typeof callerOf>;
beforeAll(async () => {
  const env = { ...process.env, DRILL_TARGETS: JSON.stringify(targets) };
  stack = await startStack({ isEmbedded: missing !== null, timeScale, env });
  api = callerOf(stack);
});
afterAll(() => stack?.stop());

const drillOf = async () => (await api.get('/v1/fleet')).body.platform.drill;

test('a drill goes through running processes to its own targets and the endpoint that asks, and names what is stopped', {
  timeout: 20 * 60_000,
}, async () => {
  const contacts = { emails: ['ops@example.com'], phones: ['+46701234567'] };
  expect((await api.call('PUT', '/v1/teams/operations', { body: contacts })).status).toBe(201);
  const receiver = receiverOf(stack);
  for (const drill of [true, false]) {
    const endpoint = { url: receiver.urlOf(drill ? 'asks' : 'quiet'), events: ['alert'], drill };
    expect((await api.call('POST', '/v1/webhooks', { body: endpoint })).status).toBe(201);
  }
  await until('a drill at the endpoint', async () => (await receiver.seen('asks')).length > 0, patienceSeconds);
  await until('a drill that passed', async () => (await drillOf())?.state === 'passed', patienceSeconds);
  for (const [part, hop] of [
    ['deliver', 'queue'],
    ['ingest', 'ingest'],
  ] as const) {
    await stack.stopPart(part);
    await until(`the hop ${hop}`, async () => (await drillOf())?.hop === hop, patienceSeconds);
    await stack.restart(part);
    await until('a drill that passes again', async () => (await drillOf())?.state === 'passed', patienceSeconds);
  }
  const answer = await fetch(`${stack.run.inboxUrl}/messages`);
  const { messages } = (await answer.json()) as { messages: object[] };
  const drills = messages
    .map((each) => JSON.stringify(each))
    .filter((text) => text.includes('Drill: nothing is wrong'));
  expect(drills.filter((text) => text.includes('drill@example.com')).length).toBeGreaterThan(0);
  expect(drills.filter((text) => /ops@example\.com|46701234567/.test(text))).toEqual([]);
  expect(await receiver.seen('quiet')).toEqual([]);
  expect((await api.get('/v1/devices')).body.devices).toEqual([]);
  expect((await api.get('/v1/alerts?status=all')).body.alerts).toEqual([]);
});
