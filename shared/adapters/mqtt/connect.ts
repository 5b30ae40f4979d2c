import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { generate, type Packet, parser } from 'mqtt-packet';

/**
 * Connects to a broker as a client would, over TLS for `mqtts:`, and disconnects again: CONNECT, CONNACK, DISCONNECT.
 * @throws Error when the broker cannot be reached, refuses, or `signal` aborts
 */
export async function connectOnce(url: string, signal: AbortSignal): Promise<void> {
  await visit(new URL(url), 'probe', signal, async () => {});
}

/**
 * Publishes one message with QoS 1 and disconnects.
 * @throws Error when the broker cannot be reached, refuses, does not acknowledge, or `signal` aborts
 */
export async function publishOnce(url: string, topic: string, payload: string, signal: AbortSignal): Promise<void> {
  await visit(new URL(url), 'canary', signal, async (exchange) => {
    const publish = { cmd: 'publish', qos: 1, messageId: 1, dup: false, retain: false, topic, payload } as const;
    await exchange(publish, (packet) => packet.cmd === 'puback');
  });
}

/** Sends a packet and waits for the broker's answer to it. */
type Exchange = (packet: Packet, isAnswer: (answer: Packet) => boolean) => Promise<void>;

async function visit(
  url: URL,
  purpose: string,
  signal: AbortSignal,
  act: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const socket = open(url);
  const packets = parser();
  socket.on('data', (chunk) => packets.parse(chunk));
  // Without a listener an error between two exchanges would end the process. The next exchange then fails.
  socket.on('error', () => {});
  const exchange: Exchange = (sent, isAnswer) =>
    new Promise<void>((resolve, reject) => {
      packets.once('packet', (packet: Packet) => {
        if (isAnswer(packet)) resolve();
        else reject(new Error(`the broker answered ${packet.cmd} ${'returnCode' in packet ? packet.returnCode : ''}`));
      });
      packets.once('error', reject);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the broker closed the connection')));
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      socket.write(generate(sent));
    });
  try {
    await exchange(connectPacket(url, purpose), (packet) => packet.cmd === 'connack' && packet.returnCode === 0);
    await act(exchange);
    socket.write(generate({ cmd: 'disconnect' }));
  } finally {
    socket.destroySoon();
  }
}

function open({ protocol, hostname, port }: URL): Socket {
  const isSecure = protocol === 'mqtts:';
  const target = { host: hostname, port: Number(port) || (isSecure ? 8883 : 1883) };
  return isSecure ? connectTls({ ...target, servername: hostname }) : connectTcp(target);
}

function connectPacket({ username, password }: URL, purpose: string) {
  return {
    cmd: 'connect' as const,
    protocolId: 'MQTT' as const,
    protocolVersion: 4 as const,
    clean: true,
    clientId: `watchpost-${purpose}-${crypto.randomUUID().slice(0, 8)}`,
    keepalive: 10,
    ...(username
      ? { username: decodeURIComponent(username), password: Buffer.from(decodeURIComponent(password)) }
      : {}),
  };
}
