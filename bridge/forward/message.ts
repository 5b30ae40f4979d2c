import { reservedDeviceId } from '../../shared/domain/ids.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import { type Partition, partitionId, wholeBroker } from '../../shared/domain/sight/partitions.ts';

/** A message on its way to Pub/Sub. */
export type BridgeMessage = { data: Buffer; attributes: Record<string, string>; orderingKey: string };

const canaryTopic = 'watchpost/canary';

/** What the bridge subscribes to. */
export const subscribedTopics = ['devices/+/+', 'guardians/+/+', canaryTopic] as const;

/** Longest attribute value and ordering key, in bytes (Pub/Sub quotas). */
const longestBytes = 1024;
/**
 * More than the service reads (256 KiB) and less than Pub/Sub takes (10 MB). A longer message is cut here: the service then quarantines it as too
 * large, and it does not stand in the way of those behind it.
 */
export const longestData = 4 * 1024 * 1024;

/**
 * Converts a message to the `native` dialect: what a device published under `devices/{deviceId}/{kind}`, or its guardian under
 * `guardians/{deviceId}/alert` or `health`. Null for other topics. Unusual names are passed on, truncated to what Pub/Sub accepts, because
 * the cloud keeps unreadable messages for people to inspect.
 * @param partition the part of the devices that this bridge forwards: the canary tells it to the service
 * @param isRetained the broker had kept it from before the bridge subscribed, so that it can be of any age
 */
export function toBridgeMessage(
  topic: string,
  payload: Buffer,
  isRetained = false,
  partition: Partition = wholeBroker,
): BridgeMessage | null {
  // The service's own canary. Every bridge forwards it under a device id that no device may have.
  if (topic === canaryTopic) {
    const attributes = { deviceId: reservedDeviceId, kind: 'canary', 'watchpost-bridge': JSON.stringify(partition) };
    return { data: payload, attributes, orderingKey: `${reservedDeviceId}-${partitionId(partition)}` };
  }
  const [root, deviceId = '', ...kind] = topic.split('/');
  if (root !== 'devices' && root !== 'guardians') return null;
  const name = root === 'guardians' ? `guardian-${kind.join('/')}` : kind.join('/');
  // Only a message below `guardians/` may have a kind that begins with `guardian-`. If a device claims such a kind,
  // `devices/` is put before it, and no reader accepts the result.
  const isOwn = root === 'guardians' || !name.startsWith('guardian-');
  return {
    data: payload.length > longestData ? payload.subarray(0, longestData) : payload,
    attributes: {
      deviceId: cut(deviceId),
      kind: cut(isOwn ? name : `${root}/${name}`),
      ...(isRetained ? { retained: 'true' } : {}),
    },
    orderingKey: cut(deviceId),
  };
}

/** Whether a message is for this bridge: all receive everything, and each device has one of them. Canaries are for all. */
export function isOfPartition(topic: string, { partition, of }: Partition): boolean {
  return topic === canaryTopic || shardOf(topic.split('/')[1] ?? '') % of === partition % of;
}

/** Shortens a text to what Pub/Sub accepts, between two characters and never inside one. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= longestBytes) return text;
  return bytes
    .subarray(0, longestBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
