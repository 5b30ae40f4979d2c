import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Credential } from '../../machine/certificates.ts';
import { type Behaviour, behave, behaviourKinds } from './behaviour.ts';
import { type Verdict, verify } from './verify.ts';

/** One request as it came in. */
export type Received = {
  at: string;
  hook: string;
  method: string;
  /** IP address of the sender. */
  address: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** Null where the hook has no secret. */
  verified: Verdict | null;
  /** Null: it got no answer. */
  answered: number | null;
};

/** The settings of a hook. */
type Hook = { secret: string | null; behaviour: Behaviour };

export type Receiver = {
  /** Address of a hook. Its path is the hook's name. */
  urlOf(hook: string): string;
  port: number;
  /** The address for reading the requests and configuring the receiver: `GET /received`, `PUT /hooks/{name}`. */
  controlUrl: string;
  received: Received[];
  configure(hook: string, given: Partial<Hook>): void;
  stop(): Promise<void>;
};

export type ReceiverConfig = {
  /** 0 chooses free ports. */
  port: number;
  controlPort: number;
  /** Certificate and key for localhost, PEM. */
  credential: Credential;
};

/** Number of latest requests that are kept. */
const kept = 20_000;
const maxBodyBytes = 1024 * 1024;
const usual: Hook = { secret: null, behaviour: { kind: 'ok' } };

/** A customer's HTTPS receiver on 127.0.0.1. It verifies signatures and misbehaves as configured. */
export async function startReceiver(
  { port: ownPort, controlPort, credential }: ReceiverConfig,
  now: () => number = Date.now,
): Promise<Receiver> {
  const hooks = new Map<string, Hook>();
  const received: Received[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const hook = (request.url ?? '/').split('?')[0]?.slice(1) ?? '';
    const { secret, behaviour } = nextOf(hooks, hook);
    const body = await bodyOf(request);
    const { method = '', headers } = request;
    const verified = secret === null ? null : verify(headers, body, secret, now() / 1000);
    const entry: Received = {
      at: new Date(now()).toISOString(),
      hook,
      method,
      address: request.socket.remoteAddress ?? '',
      headers,
      body: body.toString(),
      verified,
      answered: null,
    };
    received.push(entry);
    if (received.length > kept) received.shift();
    entry.answered = behave(behaviour, request, body, response);
  };
  const configure = (hook: string, given: Partial<Hook>) => {
    hooks.set(hook, { ...(hooks.get(hook) ?? usual), ...given });
  };
  const server = createServer({ cert: credential.certificate, key: credential.key }, (request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  const control = createHttpServer((request, response) => {
    answerControl({ received, configure }, request, response).catch((error) =>
      json(response, 400, { error: String(error) }),
    );
  });
  await Promise.all([listen(server, ownPort), listen(control, controlPort)]);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urlOf: (hook) => `https://localhost:${port}/${hook}`,
    controlUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
    received,
    configure,
    async stop() {
      await Promise.all([close(server), close(control)]);
    },
  };
}

function nextOf(hooks: Map<string, Hook>, name: string): Hook {
  const hook = hooks.get(name) ?? usual;
  const { times } = hook.behaviour;
  if (times === undefined) return hook;
  const behaviour: Behaviour = times > 1 ? { ...hook.behaviour, times: times - 1 } : usual.behaviour;
  hooks.set(name, { ...hook, behaviour });
  return hook;
}

/** `GET /received[?hook=name]` and `DELETE /received`; `PUT /hooks/{name}` with `{secret?, behaviour?}`. */
async function answerControl(
  { received, configure }: Pick<Receiver, 'received' | 'configure'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://receiver');
  const hook = /^\/hooks\/(.+)$/.exec(url.pathname)?.[1];
  if (request.method === 'PUT' && hook) {
    const given = JSON.parse((await bodyOf(request)).toString()) as Partial<Hook>;
    if (given.behaviour && !behaviourKinds.includes(given.behaviour.kind)) {
      throw new Error(`behaviour.kind must be one of ${behaviourKinds.join(', ')}`);
    }
    configure(hook, given);
    return json(response, 200, given);
  }
  if (url.pathname !== '/received') return json(response, 404, { error: 'There is no such path.' });
  if (request.method === 'DELETE') received.splice(0);
  const asked = url.searchParams.get('hook');
  json(response, 200, { received: received.filter((each) => asked === null || each.hook === asked) });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
