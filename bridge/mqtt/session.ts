import type { Duplex } from 'node:stream';
import { generate, type IDisconnectPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet';
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
export type MqttMessage = {
  topic: string;
  payload: Buffer;
  isRetained: boolean;
  messageId: number | null;
};

/** How a connection ended. `closed`: by the broker, in good order and without a reason; MQTT 3.1.1 has none. */
export type SessionEnd = { how: 'taken-over' | 'closed' | 'lost'; detail: string };

export type SessionHandlers = {
  /** `isResumed`: the broker has kept the session, and sends again what we had not acknowledged, perhaps before `onReady`. */
  onAccepted(isResumed: boolean): void;
  /** The subscriptions stand. */
  onReady(): void;
  onMessage(message: MqttMessage): void;
  /** Called once. Nothing is called after it. */
  onEnd(ended: SessionEnd): void;
};

/** One connection to a broker. */
export type Session = {
  /** False where the connection has ended: the broker will send the message again on the next one. */
  acknowledge(messageId: number): boolean;
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
  const send = createSender(stream, options.version);
  let isEnded = false;
  let isReady = false;
  const finish = (ended: SessionEnd) => {
    if (isEnded) return;
    isEnded = true;
    watch.stop();
    stream.destroy();
    handlers.onEnd(ended);
  };
  const fail = (detail: string) => finish({ how: 'lost', detail });
  const watch = watchAnswers(options.keepaliveSeconds, () => send({ cmd: 'pingreq' }), fail);

  readPackets(stream, options.version, finish, (packet) => {
    watch.heard();
    if (isEnded) return;
    const refusal = refusalIn(packet, topics);
    if (refusal !== null) return fail(refusal);
    switch (packet.cmd) {
      case 'connack':
        watch.accepted(packet.properties?.serverKeepAlive);
        handlers.onAccepted(packet.sessionPresent);
        return send(subscribePacket(topics, options.version));
      case 'suback':
        isReady = true;
        if (watch.isPaused) stream.pause();
        return handlers.onReady();
      case 'publish':
        return handlers.onMessage(receivedIn(packet));
      case 'disconnect':
        return finish(endIn(packet, options.clientId));
    }
  });
  send(connectPacket(options));

  return {
    acknowledge(messageId) {
      if (!isEnded) send({ cmd: 'puback', messageId });
      return !isEnded;
    },
    pause() {
      watch.pause(true);
      // Until the subscriptions stand, the broker's answer must be read.
      if (isReady) stream.pause();
    },
    resume() {
      watch.pause(false);
      stream.resume();
    },
    end() {
      if (isEnded) return;
      isEnded = true;
      watch.stop();
      send({ cmd: 'disconnect' });
      endSoon(stream);
    },
  };
}

const closed: SessionEnd = { how: 'closed', detail: 'the broker has closed the connection' };

function createSender(stream: Duplex, version: 4 | 5): (packet: Packet) => void {
  return (packet) => {
    if (!stream.destroyed && stream.writable) stream.write(generate(packet, { protocolVersion: version }));
  };
}

function readPackets(
  stream: Duplex,
  version: 4 | 5,
  finish: (ended: SessionEnd) => void,
  onPacket: (packet: Packet) => void,
): void {
  const fail = (detail: string) => finish({ how: 'lost', detail });
  const packets = parser({ protocolVersion: version });
  packets.on('packet', onPacket);
  packets.on('error', (error) => fail(`it does not speak MQTT ${version === 5 ? '5' : '3.1.1'}: ${error.message}`));
  stream.on('data', (chunk: Buffer) => packets.parse(chunk));
  stream.on('error', (error: NodeJS.ErrnoException) => fail(error.message || (error.code ?? 'the connection failed')));
  for (const event of ['end', 'close']) stream.on(event, () => finish(closed));
}

function endSoon(stream: Duplex): void {
  stream.end();
  setTimeout(() => stream.destroy(), 1000).unref();
}

/** What the broker refuses with this packet. Null: nothing. */
function refusalIn(packet: Packet, topics: readonly string[]): string | null {
  if (packet.cmd === 'connack') {
    const code = packet.reasonCode ?? packet.returnCode ?? 0;
    return code === 0 ? null : `the broker refuses: ${refusals[code] ?? `code ${code}`}`;
  }
  if (packet.cmd !== 'suback') return null;
  const refused = topics.filter((_topic, index) => Number(packet.granted[index]) >= 128);
  return refused.length === 0 ? null : `the broker refuses the subscription to ${refused.join(', ')}`;
}

function receivedIn({ topic, payload, retain, qos, messageId }: IPublishPacket): MqttMessage {
  const id = qos === 0 ? null : (messageId ?? null);
  // Copied: the bytes that were read belong to the parser, with all messages that came with this one.
  return { topic, payload: Buffer.from(payload as Buffer), isRetained: retain, messageId: id };
}

function endIn({ reasonCode }: IDisconnectPacket, clientId: string): SessionEnd {
  return reasonCode === takenOver
    ? { how: 'taken-over', detail: `another client with the id ${clientId} has connected` }
    : { how: 'lost', detail: `the broker disconnects with code ${reasonCode}` };
}

/** Gives up a broker that does not accept the connection in time, or later says nothing for as long as the keepalive. */
function watchAnswers(keepaliveSeconds: number, ping: () => void, fail: (detail: string) => void) {
  let keepaliveMs = keepaliveSeconds * 1000;
  let heardAt = Date.now();
  let isPaused = false;
  let timer = setTimeout(() => fail(`it has not accepted the connection for ${answerMs / 1000} s`), answerMs);
  const look = () => {
    // While nothing is read, the broker's answers do not arrive.
    if (!isPaused && Date.now() - heardAt > keepaliveMs) return fail(`it has not answered for ${keepaliveMs / 1000} s`);
    ping();
    timer = setTimeout(look, keepaliveMs / 3);
  };
  return {
    get isPaused() {
      return isPaused;
    },
    heard() {
      heardAt = Date.now();
    },
    accepted(serverSeconds: number | undefined) {
      if (serverSeconds) keepaliveMs = serverSeconds * 1000;
      clearTimeout(timer);
      timer = setTimeout(look, keepaliveMs / 3);
    },
    pause(isWanted: boolean) {
      isPaused = isWanted;
      heardAt = Date.now();
    },
    stop: () => clearTimeout(timer),
  };
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
