import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { generate, parser } from 'mqtt-packet';

/**
 * Connects to a broker as a client would, over TLS for `mqtts:`, and leaves again: CONNECT, CONNACK, DISCONNECT.
 * @throws Error when the broker cannot be reached, refuses, or `signal` aborts
 */
export async function connectOnce(url: string, signal: AbortSignal): Promise<void> {
  const socket = open(new URL(url));
  try {
    await new Promise<void>((resolve, reject) => {
      const packets = parser();
      packets.on('packet', (packet) => {
        if (packet.cmd === 'connack' && packet.returnCode === 0) resolve();
        else reject(new Error(`the broker answered ${packet.cmd} ${'returnCode' in packet ? packet.returnCode : ''}`));
      });
      packets.on('error', reject);
      socket.on('data', (chunk) => packets.parse(chunk));
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the broker closed the connection')));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      socket.write(generate(connectPacket(new URL(url))));
    });
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

function connectPacket({ username, password }: URL) {
  return {
    cmd: 'connect' as const,
    protocolId: 'MQTT' as const,
    protocolVersion: 4 as const,
    clean: true,
    clientId: `watchpost-probe-${crypto.randomUUID().slice(0, 8)}`,
    keepalive: 10,
    ...(username
      ? { username: decodeURIComponent(username), password: Buffer.from(decodeURIComponent(password)) }
      : {}),
  };
}
