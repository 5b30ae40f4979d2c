import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { passwordOf } from '../../../local/cloud/secrets.ts';
import type { Run } from '../../../local/stack/run-file.ts';
import type { Stack } from '../../../local/stack/stack.ts';

/**
 * Waits until `look` returns something, polling ten times a second.
 * @throws Error that names what did not come
 */
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

/** A caller with a token at the public address of a stack. */
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

type Broker = { run: Pick<Run, 'mqttUrl' | 'accountsKey'> };

/** A client of the broker with one of its accounts. */
export function connectAs(
  { run: { mqttUrl, accountsKey } }: Broker,
  user: string,
  options: IClientOptions = {},
): Promise<MqttClient> {
  return connectAsync(mqttUrl, { clientId: user, username: user, password: passwordOf(accountsKey, user), ...options });
}

/** A device on the broker of a stack, as a camera would connect. */
export async function connectDevice(
  stack: Broker,
  deviceId: string,
): Promise<{ client: MqttClient; send(kind: string, body: unknown): Promise<void> }> {
  const client = await connectAs(stack, deviceId);
  return {
    client,
    send: async (kind, body) => {
      const payload = Buffer.isBuffer(body) ? body : JSON.stringify(body);
      await client.publishAsync(`devices/${deviceId}/${kind}`, payload, { qos: 1 });
    },
  };
}

/** Many devices on the broker of a stack. Each gets its own connection with its first message. */
export function connectFleet(stack: Broker) {
  const links = new Map<string, ReturnType<typeof connectDevice>>();
  const linkOf = (deviceId: string) => {
    const link = links.get(deviceId) ?? connectDevice(stack, deviceId);
    links.set(deviceId, link);
    return link;
  };
  return {
    connect: linkOf,
    send: async (deviceId: string, kind: string, body: unknown) => (await linkOf(deviceId)).send(kind, body),
    close: async () => {
      for (const link of links.values()) await (await link).client.endAsync(true).catch(() => {});
    },
  };
}
