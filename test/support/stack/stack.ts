import { connectAsync, type MqttClient } from 'mqtt';
import type { Stack } from '../../../local/stack/stack.ts';

/** Waits until `look` gives something, asking ten times a second. @throws Error that says what did not come */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  seconds = 45,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`did not come within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A person with a token at the public address of a stack. */
export function callerOf(stack: Stack) {
  const call = async (
    method: string,
    path: string,
    given: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const response = await fetch(`${stack.run.baseUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${given.token ?? stack.run.token}`,
        ...(given.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...given.headers,
      },
      ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests that read them
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as any };
  };
  return { call, get: (path: string, token?: string) => call('GET', path, token ? { token } : {}) };
}

/** A device on the broker of a stack, as a camera would connect. */
export async function connectDevice(
  stack: Stack,
  deviceId: string,
): Promise<{ client: MqttClient; send(kind: string, body: unknown): Promise<void> }> {
  const client = await connectAsync(stack.run.mqttUrl, { clientId: deviceId });
  return {
    client,
    send: async (kind, body) => {
      const payload = Buffer.isBuffer(body) ? body : JSON.stringify(body);
      await client.publishAsync(`devices/${deviceId}/${kind}`, payload, { qos: 1 });
    },
  };
}
