import { connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { spawnGuarded } from '../../../local/machine/guarded-process.ts';
import { createWebhookSender } from '../../../shared/adapters/channels/webhook/webhook-sender.ts';
import { createOutboundClient } from '../../../shared/adapters/outbound/client.ts';
import { createOutboundGuard } from '../../../shared/adapters/outbound/guard.ts';
import { webhookDelivery } from '../../../shared/domain/delivery/webhook-events.ts';
import { box } from '../../support/world/secret-box.ts';
import { cpuMsOf } from '../frame/measure.ts';
import { endpointsOf } from '../ways/twin.ts';
import { bodyOf, type Target } from '../ways/way.ts';

export type PeerServer = { port: number; cpuMs(): number; stop(): Promise<void> };

const readyMs = 20_000;

/** Starts a peer's program and waits until it listens on 127.0.0.1. The program ends when this process ends, even if that is killed. */
export async function startServer(program: string, args: string[], port: number, logFile: string): Promise<PeerServer> {
  const { pid, stop, exited } = await spawnGuarded(program, args, logFile);
  let words: string | null = null;
  void exited.then(({ lastWords }) => {
    words = lastWords;
  });
  for (const end = performance.now() + readyMs; !(await listens(port)); ) {
    if (words !== null) throw new Error(`${program} ended: ${words}`);
    if (performance.now() > end) {
      await stop();
      throw new Error(`${program} does not listen after ${readyMs} ms (${logFile})`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, cpuMs: () => cpuMsOf([pid]), stop };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Sends the event of a job with the service's own guard, client and signatures. `post` throws an Error for a failed attempt. */
export function createPoster(target: Target) {
  setDefaultCACertificates([...getCACertificates('default'), target.certificate]);
  const client = createOutboundClient(createOutboundGuard([`localhost:${target.port}`]));
  const now = () => new Date().toISOString();
  const sender = createWebhookSender({ box, client, now });
  const endpoints = new Map(target.endpoints.map((name, index) => [name, endpointsOf(target)[index]?.data]));
  return {
    /** @returns the record of the attempt */
    async post(event: string, name: string): Promise<object> {
      const webhook = endpoints.get(name);
      if (!webhook) throw new Error(`there is no endpoint ${name}`);
      const at = now();
      const detected = { eventType: 'detection', eventId: event, alertId: null, deviceId: 'cam-1', groupId: 'north' };
      const delivery = webhookDelivery(webhook, { ...detected, body: JSON.stringify(bodyOf(event, name)) }, at);
      const outcome = await sender.send(delivery, 1, webhook);
      const attempt = { deliveryId: delivery.deliveryId, webhookId: webhook.webhookId, at, endedAt: now(), ...outcome };
      if (outcome.errorClass !== null) throw new Error(JSON.stringify(attempt));
      return attempt;
    },
  };
}
