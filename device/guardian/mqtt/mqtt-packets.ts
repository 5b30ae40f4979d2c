/**
 * The packets of MQTT 3.1.1 for a client that only publishes with QoS 1 (OASIS mqtt-v3.1.1, sections 2 and 3). A
 * complete client library would add 20 to 25 MB of memory (docs/guardian.md).
 */

/** What a broker may answer to this client. */
export type Answer = { kind: 'connack'; returnCode: number } | { kind: 'puback'; packetId: number };

export type ConnectOptions = {
  clientId: string;
  keepAliveSeconds: number;
  username: string | null;
  password: string | null;
};

/** Why a broker refused a connection, by the return code of its CONNACK (section 3.2.2.3). */
export const refusals: Record<number, string> = {
  1: 'The broker does not speak MQTT 3.1.1.',
  2: 'The broker refuses the client id.',
  3: 'The broker is unavailable.',
  4: 'The broker refuses user name or password.',
  5: 'The broker does not authorise this client.',
};

const cleanSession = 0x02;
const passwordFlag = 0x40;
const usernameFlag = 0x80;

export function connectPacket({ clientId, keepAliveSeconds, username, password }: ConnectOptions): Buffer {
  const flags = cleanSession | (username === null ? 0 : usernameFlag) | (password === null ? 0 : passwordFlag);
  const protocolLevel = 4;
  const parts = [text('MQTT'), Buffer.from([protocolLevel, flags]), number(keepAliveSeconds), text(clientId)];
  if (username !== null) parts.push(text(username));
  if (password !== null) parts.push(text(password));
  return packet(0x10, parts);
}

/**
 * A message with QoS 1. It is never marked as a duplicate, because each connection is a clean session in which each message is sent once.
 */
export function publishPacket(topic: string, payload: string, packetId: number): Buffer {
  return packet(0x32, [text(topic), number(packetId), Buffer.from(payload)]);
}

export function disconnectPacket(): Buffer {
  return packet(0xe0, []);
}

/**
 * Splits a broker's byte stream into answers, and keeps an incomplete one for the next call.
 * @throws Error for bytes that are no MQTT answer to this client
 */
export function createAnswerReader(): (chunk: Buffer) => Answer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const answers: Answer[] = [];
    // Both answers are four bytes: type and flags, a remaining length of 2, two bytes.
    while (rest.length >= 4) {
      const [type, length] = rest;
      if (length !== 2) throw new Error('The broker answered something that is not MQTT 3.1.1.');
      if (type === 0x20) answers.push({ kind: 'connack', returnCode: rest.readUInt8(3) });
      else if (type === 0x40) answers.push({ kind: 'puback', packetId: rest.readUInt16BE(2) });
      else throw new Error('The broker sent a packet that was not asked for.');
      rest = rest.subarray(4);
    }
    return answers;
  };
}

function packet(header: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([header, ...variableLength(body.length)]), body]);
}

/** Remaining length (section 2.2.3): seven bits a byte, the lowest first, the top bit says that more follow. */
function variableLength(length: number): number[] {
  const bytes: number[] = [];
  let left = length;
  do {
    const digit = left % 128;
    left = Math.floor(left / 128);
    bytes.push(left > 0 ? digit | 0x80 : digit);
  } while (left > 0);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
