import { gzip } from 'node:zlib';
import { type Partition, partitionId } from '../../shared/domain/sight/partitions.ts';
import type { BridgeMessage } from './message.ts';

/** A message that waits in a pack, and when it came, milliseconds of the process. */
export type MessageArrival = { message: BridgeMessage; cameAt: number };

/** One line of a pack: what a message of its own would have, its bytes as text where they are text, and how long it waited. */
type Entry = {
  deviceId: string;
  kind: string;
  retained?: string;
  ageMs: number;
  text?: string;
  base64?: string;
};

/** Makes one message of several: compressed lines of JSON. The service reads each line as it reads a message of its own. */
export function packed(
  gathered: readonly MessageArrival[],
  { partition, lane, now }: { partition: Partition; lane: number; now: number },
): Promise<BridgeMessage> {
  const lines = gathered.map(({ message, cameAt }) =>
    JSON.stringify(entryOf(message, Math.max(0, Math.round(now - cameAt)))),
  );
  const attributes = { 'watchpost-bridge': JSON.stringify({ ...partition, entries: gathered.length }) };
  return new Promise((resolve, reject) => {
    gzip(`${lines.join('\n')}\n`, (error, data) => {
      if (error) reject(error);
      else resolve({ data, attributes, orderingKey: `lane-${partitionId(partition)}-${lane}` });
    });
  });
}

function entryOf({ data, attributes }: BridgeMessage, ageMs: number): Entry {
  const { deviceId = '', kind = '', retained } = attributes;
  const text = data.toString('utf8');
  const isText = Buffer.from(text).equals(data);
  return {
    deviceId,
    kind,
    ...(retained === undefined ? {} : { retained }),
    ageMs,
    ...(isText ? { text } : { base64: data.toString('base64') }),
  };
}
