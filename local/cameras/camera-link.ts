import { readFileSync } from 'node:fs';
import { connectAsync, type MqttClient } from 'mqtt';
import { passwordOf } from '../cloud/secrets.ts';

/** The MQTT connection of one camera. It reconnects by itself until `leave` is called. */
export type Link = {
  /** Connects unless it is connected. @throws Error when the broker cannot be reached now; it tries again, as `rejoin` does */
  connect(): Promise<void>;
  /** Connects soon, and tries again until it succeeds. */
  rejoin(): void;
  isUp(): boolean;
  /**
   * Resolves to true when the broker has acknowledged the message, or to false without a connection: then nothing is
   * sent. Rejects if the connection is lost before the acknowledgement.
   */
  publish(topic: string, body: unknown): Promise<boolean>;
  /** Disconnects properly, or drops the socket so that the broker sends the last will. */
  leave(how: 'politely' | 'abruptly'): Promise<void>;
};

/** The broker's address, the certificate authority's file for `mqtts:`, and the key from which account passwords are derived. */
export type Broker = { url: string; caFile: string | null; accountsKey: string };

export type LinkOptions = {
  broker: Broker;
  /** The client id, which is also the name of its account. */
  clientId: string;
  /** Topic and body of the last will for a connection that begins at `connectedAt`. */
  will(connectedAt: string): { topic: string; body: unknown };
  onUp(connectedAt: string): void;
  onDown(): void;
  onRetry(): void;
  /** Epoch milliseconds, and a number from 0 to 1. */
  now(): number;
  random(): number;
};

const keepaliveSeconds = 30;
/** Delays before the next connection attempt: doubled each time, with jitter. */
const reconnectMs = { first: 500, longest: 30_000 };

/** A link that connects only on request. */
export function createLink(options: LinkOptions): Link {
  let client: MqttClient | null = null;
  let isWanted = false;
  let retryTimer: NodeJS.Timeout | undefined;

  const attempt = async () => {
    if (client?.connected) return;
    const connectedAt = new Date(options.now()).toISOString();
    const fresh = await connectAsync(options.broker.url, connectionSettings(options, connectedAt), false);
    // `leave` was called while it was connecting.
    if (!isWanted) return await fresh.endAsync();
    client = fresh;
    fresh.on('error', () => {});
    fresh.once('close', () => {
      fresh.end(true);
      if (client !== fresh) return;
      client = null;
      options.onDown();
      if (isWanted) reconnect(reconnectMs.first);
    });
    options.onUp(connectedAt);
  };
  const reconnect = (waitMs: number) => {
    clearTimeout(retryTimer);
    const again = () => {
      options.onRetry();
      attempt().catch(() => isWanted && reconnect(Math.min(waitMs * 2, reconnectMs.longest)));
    };
    retryTimer = setTimeout(again, waitMs * (0.5 + options.random()));
  };

  return {
    async connect() {
      isWanted = true;
      await attempt().catch((error: Error) => {
        if (isWanted) reconnect(reconnectMs.first);
        throw error;
      });
    },
    rejoin() {
      isWanted = true;
      reconnect(reconnectMs.first);
    },
    isUp: () => client?.connected === true,
    async publish(topic, body) {
      if (!client?.connected) return false;
      await client.publishAsync(topic, JSON.stringify(body), { qos: 1 });
      return true;
    },
    async leave(how) {
      isWanted = false;
      clearTimeout(retryTimer);
      const leaving = client;
      client = null;
      options.onDown();
      if (how === 'abruptly') leaving?.stream.destroy();
      else await leaving?.endAsync();
    },
  };
}

/** The library's own reconnection has no jitter and no new last will for each connection, so it is disabled. */
function connectionSettings({ broker, clientId, will }: LinkOptions, connectedAt: string) {
  const { topic, body } = will(connectedAt);
  return {
    clientId,
    username: clientId,
    password: passwordOf(broker.accountsKey, clientId),
    ...(broker.caFile === null ? {} : { ca: readFileSync(broker.caFile) }),
    reconnectPeriod: 0,
    keepalive: keepaliveSeconds,
    will: { topic, payload: Buffer.from(JSON.stringify(body)), qos: 1 as const, retain: false },
  };
}
