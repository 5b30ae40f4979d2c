import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CameraFault, clientPath, createMqttClient, eventPath, type MqttClientOptions } from './mqtt-client.ts';
import { type MqttSettings, withDefaults, withField } from './mqtt-settings.ts';
import { type Authentication, createRequestAuthentication } from './request-authentication.ts';

export type VapixServerOptions = Partial<MqttClientOptions> & {
  authentication?: Authentication;
  /** 0 takes a free one. */
  port?: number;
  /** Parameters as `configureClient` takes them: the client has them and is active from the start. */
  configuration?: MqttSettings;
};

/** The management interface of a simulated camera, and what a test or an adversary does behind its back. */
export type VapixServer = {
  url: string;
  settings: () => MqttSettings;
  subscriptions: () => readonly unknown[];
  /** Calls answered so far, by method. */
  calls: () => Record<string, number>;
  /** Changes one protected field (`client.active` and `subscriptions` too), as somebody with access would. */
  tamper: (field: string, value: unknown) => void;
  /** Does so every so many seconds, until the function that is returned is called. */
  tamperEvery: (seconds: number, field: string, value: unknown) => () => void;
  /** Everything as it came out of the box, the password included. */
  firmwareReset: () => void;
  setFault: (fault: CameraFault | null) => void;
  expireNonces: () => void;
  close: () => Promise<void>;
};

/** Starts the VAPIX interface of a simulated camera on the loopback address. */
export async function startVapixServer(options: VapixServerOptions = {}): Promise<VapixServer> {
  const { serial = 'ACCC8E000001', configuration, port = 0 } = options;
  const client = createMqttClient({
    serial,
    apiVersion: options.apiVersion ?? '1.6',
    spelling: options.spelling ?? ['connected', 'disconnected'],
    connects: options.connects ?? (() => true),
  });
  if (configuration) client.change(withDefaults(configuration, serial), true);
  const authentication = createRequestAuthentication(
    options.authentication ?? { scheme: 'none', username: '', password: '' },
  );
  const calls: Record<string, number> = {};
  const timers = new Set<NodeJS.Timeout>();
  let fault: CameraFault | null = null;

  /** The fault that this call runs into, counted down. */
  const faultFor = (method: string): CameraFault | null => {
    if (fault === null || (fault.method !== undefined && fault.method !== method) || fault.times === 0) return null;
    if (fault.times !== undefined) fault = { ...fault, times: fault.times - 1 };
    return fault;
  };

  const handle = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await readBody(incoming);
    if (incoming.method !== 'POST' || ![clientPath, eventPath].includes(incoming.url ?? ''))
      return send(answer, 404, 'Not found');
    const request = parse(body);
    const method = String(request?.['method']);
    const current = faultFor(method);
    if (current?.kind === 'hang')
      await new Promise((resolve) => timers.add(setTimeout(resolve, current.seconds * 1000)));
    const verdict = authentication.check('POST', incoming.headers.authorization);
    if (current?.kind === 'unauthorized' || verdict.status === 'challenged') {
      return send(
        answer,
        401,
        'Unauthorized',
        verdict.status === 'challenged' ? { 'WWW-Authenticate': verdict.header } : {},
      );
    }
    if (request === null)
      return send(answer, 200, JSON.stringify({ error: { code: 2101, message: 'Invalid JSON format' } }));
    calls[method] = (calls[method] ?? 0) + 1;
    client.setWriteFault(current);
    const { apiVersion, context, params } = request as { apiVersion?: string; context?: string; params?: MqttSettings };
    const result =
      current?.kind === 'internal-error'
        ? { error: { code: 1100, message: 'Internal error' } }
        : client.call(incoming.url ?? '', method, params ?? {}, apiVersion);
    send(answer, 200, JSON.stringify({ apiVersion, context, method, ...result }));
  };

  const server = createServer((incoming, answer) => {
    handle(incoming, answer).catch(() => answer.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const tamper = (field: string, value: unknown) => {
    if (field === 'client.active') client.change(client.settings(), value === true);
    else if (field === 'subscriptions') client.subscribe(value as unknown[]);
    else client.change(withField(client.settings(), field, value));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settings: client.settings,
    subscriptions: client.subscriptions,
    calls: () => ({ ...calls }),
    tamper,
    tamperEvery(seconds, field, value) {
      const timer = setInterval(() => tamper(field, value), seconds * 1000);
      timers.add(timer);
      return () => clearInterval(timer);
    },
    firmwareReset: client.reset,
    setFault(next) {
      fault = next;
    },
    expireNonces: authentication.expireNonces,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function parse(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function send(answer: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  answer.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
}
