import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { callerOf, connectAs, until } from '../support/stack/stack.ts';

type Message = { kind: string; product?: string; subject?: string; text?: string; body?: unknown };

let stack: Stack;
let camera: MqttClient;
beforeAll(async () => {
  stack = await startStack({ timeScale: 30 });
  camera = await connectAs(stack, 'cam-1');
});
afterAll(async () => {
  await camera?.endAsync();
  await stack?.stop();
});

const messages = async (): Promise<Message[]> =>
  (await (await fetch(`${stack.run.inboxUrl}/messages`)).json()).messages;

test('a hijack attempt is announced on every channel, escalated when nobody answers, and explained', {
  timeout: 180_000,
}, async () => {
  const { call, get } = callerOf(stack);
  const chats = (['slack', 'google-chat', 'teams'] as const).map((kind) => ({
    kind,
    url: `${stack.run.chatUrl}/chat/${kind}/ops`,
  }));
  const operations = { emails: ['ops@example.com'], chats, phones: ['+46701234567'] };
  expect((await call('PUT', '/v1/teams/operations', { body: operations })).status).toBe(201);
  const stream = await fetch(`${stack.run.baseUrl}/v1/stream`, {
    headers: { Authorization: `Bearer ${stack.run.token}` },
  });
  const event = { type: 'unauthorized_broker_attempt', timestamp: new Date().toISOString() };
  await camera.publishAsync('devices/cam-1/event', JSON.stringify(event), { qos: 1 });

  await until('a message on each channel', async () => {
    const kinds = (await messages()).map(({ kind, product }) => product ?? kind);
    return ['email', 'sms', 'slack', 'google-chat', 'teams'].every((kind) => kinds.includes(kind));
  });
  const streamed = await readUntil(stream, 'event: alert');
  expect(streamed).toContain('"change":"open"');
  const escalated = await until('the escalation', async () => {
    const { body } = await get('/v1/alerts?status=escalated');
    return body.alerts[0];
  });
  expect(escalated).toMatchObject({
    code: 'SEC_002',
    team: 'operations',
    availableActions: expect.arrayContaining(['acknowledge']),
  });
  await until('the escalation in the inbox', async () =>
    (await messages()).some(({ subject }) => subject?.includes(': escalated')),
  );
  const explained = await get(`/v1/alerts/${escalated.alertId}/explain`);
  expect(explained.body.notified.map(({ channel }: { channel: string }) => channel)).toEqual(
    expect.arrayContaining(['email', 'chat', 'sms']),
  );
  expect(explained.body.next).toHaveLength(1);
  expect((await call('POST', `/v1/alerts/${escalated.alertId}/acknowledge`, { body: {} })).status).toBe(200);
  expect((await get(`/v1/alerts/${escalated.alertId}/explain`)).body.next).toEqual([]);
  await until('the next sweep counts it among the trends', async () => {
    const trends = await get('/v1/fleet/trends?days=1');
    return trends.body.timeToAcknowledge.count === 1;
  });
});

async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes(wanted) && text.endsWith('\n\n')) break;
  }
  return text;
}
