import type { MqttClient } from 'mqtt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { callerOf, connectAs, until } from '../support/stack/stack.ts';

type Message = { kind: string; product?: string; subject?: string; text?: string; body?: unknown };

let stack: Stack;
let camera: MqttClient;
// Each try has a stack of its own, because a second one must not meet the alert of the first.
beforeEach(async () => {
  stack = await startStack({ timeScale: 30 });
  camera = await connectAs(stack, 'cam-1');
});
afterEach(async () => {
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
  const lines = createReader(stream);
  // The headers come first. From this line on no change is missed.
  await lines.readUntil(': connected');
  const event = { type: 'unauthorized_broker_attempt', timestamp: new Date().toISOString() };
  await camera.publishAsync('devices/cam-1/event', JSON.stringify(event), { qos: 1 });

  await until('a message on each channel', async () => {
    const kinds = (await messages()).map(({ kind, product }) => product ?? kind);
    return ['email', 'sms', 'slack', 'google-chat', 'teams'].every((kind) => kinds.includes(kind));
  });
  const streamed = await lines.readUntil('event: alert');
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

/** Reads a stream piece by piece. `readUntil` returns all text so far. */
function createReader({ body }: Response) {
  const chunks = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async readUntil(wanted: string): Promise<string> {
      while (!text.includes(wanted) || !text.endsWith('\n\n')) {
        const { value, done } = (await chunks?.read()) ?? { value: undefined, done: true };
        if (done) throw new Error(`the stream ended without ${wanted}: ${text}`);
        text += value;
      }
      return text;
    },
  };
}
