import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Message } from '../decide/notice.ts';
import { loadBuiltin } from '../process/load-builtin.ts';
import {
  type Answer,
  type ConnectOptions,
  connectPacket,
  createAnswerReader,
  disconnectPacket,
  publishPacket,
  refusals,
} from './mqtt-packets.ts';

/**
 * The broker and the account for publishing. `ca` is the only certificate authority that is trusted (PEM). Null: those
 * of the system are.
 */
export type BrokerOptions = ConnectOptions & {
  url: URL;
  ca: string | null;
  clientCertificate: { certificate: string; key: string } | null;
};

export type BrokerConnection = {
  /** Resolves when the broker has acknowledged the message (PUBACK). Rejects if the connection fails before that. */
  publish: (message: Message) => Promise<void>;
  close: () => void;
};

/** A broker that neither answers nor closes would block the queue for ever. */
const answerTimeoutMs = 15_000;

type Waiting = { accept: (answer: Answer) => void; fail: (error: Error) => void };

/**
 * Prepares the guardian's own connection.
 * @returns a function that opens it; it rejects with an Error that says why the broker cannot be reached or refuses, never with a secret
 */
export function createBrokerConnector(options: BrokerOptions): () => Promise<BrokerConnection> {
  const openSocket = createSocketOpener(options);
  return () => greet(openSocket(), options);
}

async function greet(socket: Socket, options: ConnectOptions): Promise<BrokerConnection> {
  const { ask, fail, close } = createExchange(socket);
  let packetId = 0;

  const answer = await ask(connectPacket(options));
  if (answer.kind !== 'connack') throw fail(new Error('The broker answered the connection with something else.'));
  if (answer.returnCode !== 0)
    throw fail(new Error(refusals[answer.returnCode] ?? 'The broker refuses the connection.'));
  return {
    async publish({ topic, payload }) {
      packetId = (packetId % 65_535) + 1;
      const acknowledged = await ask(publishPacket(topic, payload, packetId));
      if (acknowledged.kind === 'puback' && acknowledged.packetId === packetId) return;
      throw fail(new Error('The broker acknowledged another message.'));
    },
    close,
  };
}

/** One request at a time on one socket. Any failure ends the connection and the waiting request. */
function createExchange(socket: Socket) {
  const read = createAnswerReader();
  let waiting: Waiting | null = null;
  let lost: Error | null = null;

  const fail = (error: Error): Error => {
    lost ??= error;
    socket.destroy();
    waiting?.fail(error);
    return error;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The broker closed the connection.')));
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const answer of read(chunk)) waiting?.accept(answer);
    } catch (error) {
      fail(error as Error);
    }
  });

  const ask = (bytes: Buffer) =>
    new Promise<Answer>((resolve, reject) => {
      if (lost) return reject(lost);
      const timer = setTimeout(() => fail(new Error('The broker did not answer in time.')), answerTimeoutMs);
      const settle = (end: () => void) => {
        clearTimeout(timer);
        waiting = null;
        end();
      };
      waiting = {
        accept: (answer) => settle(() => resolve(answer)),
        fail: (error) => settle(() => reject(error)),
      };
      socket.write(bytes);
    });
  const close = () => {
    if (!lost) socket.end(disconnectPacket());
    lost ??= new Error('The connection was closed.');
  };
  return { ask, fail, close };
}

/**
 * `mqtt://` is plain TCP, port 1883 unless the address names another. `mqtts://` is TLS 1.2 or later, port 8883 unless
 * the address names another.
 */
function createSocketOpener({ url, ca, clientCertificate }: BrokerOptions): () => Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol === 'mqtt:') return () => connectTcp({ host, port: Number(url.port) || 1883 });
  const tls = loadBuiltin<typeof import('node:tls')>('node:tls');
  // Created once: each context holds the parsed certificates outside the heap, where garbage collection frees them late.
  const secureContext = tls.createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === null ? {} : { ca }),
    ...(clientCertificate === null ? {} : { cert: clientCertificate.certificate, key: clientCertificate.key }),
  });
  const servername = isIP(host) ? {} : { servername: host };
  return () => tls.connect({ host, port: Number(url.port) || 8883, secureContext, ...servername });
}
