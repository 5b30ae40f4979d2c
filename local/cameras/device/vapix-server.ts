import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CameraFault,
  clientPath,
  createMqttClient,
  eventPath,
  type MqttClient,
  type MqttClientOptions,
} from './mqtt-client.ts';
import { type MqttSettings, withDefaults, withField } from './mqtt-settings.ts';
import {
  type Authentication,
  createRequestAuthentication,
  type RequestAuthentication,
} from './request-authentication.ts';

export type VapixServerOptions = Partial<MqttClientOptions> & {
  authentication?: Authentication;
  /** 0 chooses a free port. */
  port?: number;
  /** Parameters as `configureClient` takes them: the client has them and is active from the start. */
  configuration?: MqttSettings;
};

/** The management interface of a simulated camera, with the changes that a test or an attacker makes directly. */
export type VapixServer = {
  url: string;
  settings: () => MqttSettings;
  /** Whether a password of the MQTT client is stored; the camera never shows it. */
  hasPassword: () => boolean;
  subscriptions: () => readonly unknown[];
  /** Calls answered so far, by method. */
  calls: () => Record<string, number>;
  /** Changes one protected field (also `client.active` and `subscriptions`), as somebody with access could. */
  tamper: (field: string, value: unknown) => void;
  /** Repeats the change every so many seconds, until the returned function is called. */
  tamperEvery: (seconds: number, field: string, value: unknown) => () => void;
  /** Resets everything to factory settings, including the password. */
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
    onChange: options.onChange ?? (() => {}),
  });
  if (configuration) {
    const hasPassword = configuration['password'] !== undefined;
    client.change({ settings: withDefaults(configuration, serial), hasPassword, isActive: true });
  }
  const authentication = createRequestAuthentication(
    options.authentication ?? { scheme: 'none', username: '', password: '' },
  );
  const faults = createFaults();
  const timers = new Set<NodeJS.Timeout>();
  const handler = createHandler(client, authentication, faults, timers);
  const server = createServer((incoming, answer) => {
    handler.handle(incoming, answer).catch(() => answer.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const tamper = (field: string, value: unknown) => {
    if (field === 'client.active') client.change({ isActive: value === true });
    else if (field === 'subscriptions') client.change({ filters: value as unknown[] });
    else client.change({ settings: withField(client.settings(), field, value) });
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settings: client.settings,
    hasPassword: client.hasPassword,
    subscriptions: client.subscriptions,
    calls: handler.calls,
    tamper,
    tamperEvery(seconds, field, value) {
      const timer = setInterval(() => tamper(field, value), seconds * 1000);
      timers.add(timer);
      return () => clearInterval(timer);
    },
    firmwareReset: client.reset,
    setFault: faults.set,
    expireNonces: authentication.expireNonces,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function createFaults() {
  let fault: CameraFault | null = null;
  return {
    set(next: CameraFault | null) {
      fault = next;
    },
    /** The fault that applies to this call. Decreases its count. */
    take(method: string): CameraFault | null {
      if (fault === null || (fault.method !== undefined && fault.method !== method) || fault.times === 0) return null;
      if (fault.times !== undefined) fault = { ...fault, times: fault.times - 1 };
      return fault;
    },
  };
}

function createHandler(
  client: MqttClient,
  authentication: RequestAuthentication,
  faults: ReturnType<typeof createFaults>,
  timers: Set<NodeJS.Timeout>,
) {
  const calls: Record<string, number> = {};

  const handle = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '';
    const request = parse(await readBody(incoming));
    if (incoming.method !== 'POST' || !paths.includes(path)) return send(answer, 404, {});
    const method = String(request?.method);
    const fault = faults.take(method);
    if (fault?.kind === 'hang') await new Promise((resolve) => timers.add(setTimeout(resolve, fault.seconds * 1000)));
    const verdict = authentication.check('POST', incoming.headers.authorization);
    if (verdict.status === 'challenged') return send(answer, 401, {}, { 'WWW-Authenticate': verdict.header });
    if (fault?.kind === 'unauthorized') return send(answer, 401, {});
    if (request === null) return send(answer, 200, { error: { code: 2101, message: 'Invalid JSON format' } });
    calls[method] = (calls[method] ?? 0) + 1;
    client.setWriteFault(fault);
    const { apiVersion, context, params = {} } = request;
    const result = fault?.kind === 'internal-error' ? internalError : client.call(path, method, params, apiVersion);
    send(answer, 200, { apiVersion, context, method, ...result });
  };
  return { handle, calls: () => ({ ...calls }) };
}

const paths = [clientPath, eventPath];

type VapixRequest = { apiVersion?: string; context?: string; method?: string; params?: MqttSettings };

const internalError = { error: { code: 1100, message: 'Internal error' } };

function parse(body: string): VapixRequest | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function send(answer: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  answer.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
