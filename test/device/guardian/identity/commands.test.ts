import { generateKeyPairSync } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkWay } from '../../../../device/guardian/identity/commands.ts';
import type { Settings } from '../../../../device/guardian/settings/settings.ts';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/**
 * A broker at which another client with the same id takes the connection `taken` times between CONNACK and PUBACK, and a service that shows the
 * message as soon as the broker has acknowledged it. `refuses` answers each CONNECT with "not authorised".
 */
async function begin({ taken = 0, refuses = false }) {
  const seen = { connections: 0, published: 0 };
  const broker = createServer((socket) => {
    seen.connections += 1;
    const isTaken = seen.connections <= taken;
    socket.on('error', () => {});
    socket.on('data', ([first = 0]) => {
      if (first >> 4 === 1) socket.write(Buffer.from([0x20, 2, 0, refuses ? 5 : 0]));
      if (first >> 4 !== 3) return;
      if (isTaken) return void socket.destroy();
      seen.published += 1;
      socket.write(Buffer.from([0x40, 2, 0, 1]));
    });
  });
  const api = createHttpServer((_, response) => {
    response.end(JSON.stringify({ guardian: { lastSeenAt: seen.published > 0 ? '2026-11-20T10:00:00.000Z' : null } }));
  });
  const [brokerPort, apiPort] = await Promise.all([listen(broker), listen(api)]);
  const settings = {
    device: { id: 'cam-1', serial: 'S1', model: 'M', ip: '127.0.0.1' },
    broker: {
      url: new URL(`mqtt://127.0.0.1:${brokerPort}`),
      ...{ ca: null, clientCertificate: null, clientId: 'guardian-cam-1', username: null, password: null },
    },
    identity: generateKeyPairSync('ed25519').privateKey,
    ...{ intervalSeconds: 30, healthIntervalSeconds: 300 },
  } as unknown as Settings;
  return { seen, check: () => checkWay(settings, { url: `http://127.0.0.1:${apiPort}`, token: 't' }) };
}

test('the check succeeds although a running guardian takes the connection four times', async () => {
  const { seen, check } = await begin({ taken: 4 });
  expect(JSON.parse(await check())).toEqual({ deviceId: 'cam-1', heardAt: '2026-11-20T10:00:00.000Z' });
  expect(seen).toEqual({ connections: 5, published: 1 });
});

test('the check gives up after five connections', async () => {
  const { seen, check } = await begin({ taken: 9 });
  await expect(check()).rejects.toThrow('The broker closed the connection.');
  expect(seen).toEqual({ connections: 5, published: 0 });
});

test('the check does not repeat what the broker refuses', async () => {
  const { seen, check } = await begin({ refuses: true });
  await expect(check()).rejects.toThrow('The broker does not authorise this client.');
  expect(seen.connections).toBe(1);
});
