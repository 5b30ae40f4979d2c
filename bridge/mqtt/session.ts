import type { Duplex } from 'node:stream';
import { generate, type IConnackPacket, type ISubackPacket, type Packet, parser } from 'mqtt-packet';
import { type Address, openTransport } from './transport.ts';

export type BrokerOptions = Address & {
  clientId: string;
  username: string | null;
  password: string | null;
  /** 4 is MQTT 3.1.1. */
  version: 4 | 5;
  /** Messages that the broker may send before the first of them is acknowledged. Only MQTT 5 can tell it to the broker. */
  window: number;
  keepaliveSeconds: number;
};

/** A message of the broker. `messageId` null: it needs no acknowledgement. `isRetained`: the broker had kept it from before we subscribed. */
export type Received = {
  topic: string;
  payload: Buffer;
  isRetained: boolean;
  messageId: number | null;
};

/** How a connection ended. `closed`: by the broker, in good order and without a reason; MQTT 3.1.1 has none. */
export type Ended = { how: 'taken-over' | 'closed' | 'lost'; detail: string };

export type SessionHandlers = {
  /** `isResumed`: the broker has kept the session, and sends again what we had not acknowledged, perhaps before `onReady`. */
  onAccepted(isResumed: boolean): void;
  /** The subscriptions stand. */
  onReady(): void;
  onMessage(message: Received): void;
  /** Called once. Nothing is called after it. */
  onEnd(ended: Ended): void;
};

/** One connection to a broker. */
export type Session = {
  acknowledge(messageId: number): void;
  /** Stops reading, so that the broker has to wait, and reads on. */
  pause(): void;
  resume(): void;
  /** Disconnects in good order. The broker keeps the session. */
  end(): void;
};

/** How long the broker keeps the session of a bridge that is away. */
const sessionSeconds = 86_400;
const answerMs = 15_000;
const takenOver = 142;

/** What a refused connection means, by the code of MQTT 3.1.1 or MQTT 5. Others are shown as their number. */
const refusals: Record<number, string> = {
  1: 'it does not speak this version of MQTT: set MQTT_VERSION to the other one',
  132: 'it does not speak this version of MQTT: set MQTT_VERSION to the other one',
  2: 'it does not accept the client id',
  133: 'it does not accept the client id',
  3: 'it is unavailable',
  136: 'it is unavailable',
  4: 'it does not accept the account or its password',
  134: 'it does not accept the account or its password',
  5: 'the account is not authorized',
  135: 'the account is not authorized',
};

/**
 * Connects, subscribes with QoS 1, and hands over messages as they are read; they are acknowledged later, by `acknowledge`. No client library is
 * used: mqtt.js waits with the next message until the previous one is acknowledged.
 */
export function openSession(options: BrokerOptions, topics: readonly string[], handlers: SessionHandlers): Session {
  const stream = openTransport(options);
  const packets = parser({ protocolVersion: options.version });
  let isEnded = false;
  let heardAt = Date.now();
  let isPaused = false;
  let isReady = false;
  let keepaliveMs = options.keepaliveSeconds * 1000;
  let timer: NodeJS.Timeout | undefined;

  const send = (packet: Packet) => {
    if (!stream.destroyed && stream.writable) stream.write(generate(packet, { protocolVersion: options.version }));
  };
  const finish = (ended: Ended) => {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    stream.destroy();
    handlers.onEnd(ended);
  };
  const fail = (detail: string) => finish({ how: 'lost', detail });

  const keepAlive = () => {
    // While we do not read, the broker's answers do not arrive.
    if (!isPaused && Date.now() - heardAt > keepaliveMs) return fail(`it has not answered for ${keepaliveMs / 1000} s`);
    send({ cmd: 'pingreq' });
    timer = setTimeout(keepAlive, keepaliveMs / 3);
  };
  const onConnack = (packet: IConnackPacket) => {
    const code = packet.reasonCode ?? packet.returnCode ?? 0;
    if (code !== 0) return fail(`the broker refuses: ${refusals[code] ?? `code ${code}`}`);
    handlers.onAccepted(packet.sessionPresent);
    const asked = packet.properties?.serverKeepAlive;
    if (asked) keepaliveMs = asked * 1000;
    send(subscribePacket(topics, options.version));
  };
  const onSuback = ({ granted }: ISubackPacket) => {
    const refused = topics.filter((_topic, index) => Number(granted[index]) >= 128);
    if (refused.length > 0) return fail(`the broker refuses the subscription to ${refused.join(', ')}`);
    clearTimeout(timer);
    timer = setTimeout(keepAlive, keepaliveMs / 3);
    isReady = true;
    if (isPaused) stream.pause();
    heardAt = Date.now();
    handlers.onReady();
  };

  packets.on('packet', (packet) => {
    heardAt = Date.now();
    if (isEnded) return;
    switch (packet.cmd) {
      case 'connack':
        return onConnack(packet);
      case 'suback':
        return onSuback(packet);
      case 'publish': {
        const { topic, payload, retain, qos, messageId } = packet;
        const data = Buffer.from(payload as Buffer);
        return handlers.onMessage({
          topic,
          payload: data,
          isRetained: retain,
          messageId: qos === 0 ? null : (messageId ?? null),
        });
      }
      case 'disconnect':
        return packet.reasonCode === takenOver
          ? finish({ how: 'taken-over', detail: `another client with the id ${options.clientId} has connected` })
          : fail(`the broker disconnects with code ${packet.reasonCode}`);
    }
  });
  packets.on('error', (error) =>
    fail(`it does not speak MQTT ${options.version === 5 ? '5' : '3.1.1'}: ${error.message}`),
  );
  listenTo(stream, packets, fail, () => finish({ how: 'closed', detail: 'the broker has closed the connection' }));
  timer = setTimeout(() => fail(`it has not accepted the connection within ${answerMs / 1000} s`), answerMs);
  send(connectPacket(options));

  return {
    acknowledge: (messageId) => send({ cmd: 'puback', messageId }),
    pause() {
      isPaused = true;
      // Until the subscriptions stand, the broker's answer must be read.
      if (isReady) stream.pause();
    },
    resume() {
      isPaused = false;
      heardAt = Date.now();
      stream.resume();
    },
    end() {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(timer);
      send({ cmd: 'disconnect' });
      stream.end();
      setTimeout(() => stream.destroy(), 1000).unref();
    },
  };
}

function listenTo(
  stream: Duplex,
  packets: ReturnType<typeof parser>,
  onError: (detail: string) => void,
  onClosed: () => void,
): void {
  stream.on('data', (chunk: Buffer) => packets.parse(chunk));
  stream.on('error', (error: NodeJS.ErrnoException) =>
    onError(error.message || (error.code ?? 'the connection failed')),
  );
  stream.on('end', onClosed);
  stream.on('close', onClosed);
}

function connectPacket({ clientId, username, password, version, window, keepaliveSeconds }: BrokerOptions): Packet {
  return {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: version,
    clean: false,
    clientId,
    keepalive: keepaliveSeconds,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password: Buffer.from(password) }),
    ...(version === 5 ? { properties: { sessionExpiryInterval: sessionSeconds, receiveMaximum: window } } : {}),
  };
}

/**
 * MQTT 5: what the broker has retained is sent only when the subscription is new. The retain flag then marks exactly these messages, as in MQTT 3.1.1,
 * because it is not passed on as published.
 */
function subscribePacket(topics: readonly string[], version: 4 | 5): Packet {
  const rest = version === 5 ? { nl: false, rap: false, rh: 1 } : {};
  return { cmd: 'subscribe', messageId: 1, subscriptions: topics.map((topic) => ({ topic, qos: 1, ...rest })) };
}
