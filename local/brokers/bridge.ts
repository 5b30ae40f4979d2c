import type { BridgeMessage } from '../cloud/push/message.ts';

/** Longest attribute value and ordering key, in bytes (Pub/Sub quotas). */
const longestBytes = 1024;

/**
 * Converts a message to the `native` dialect: what a device published under `devices/{deviceId}/{kind}`, or its guardian under
 * `guardians/{deviceId}/alert` or `health`. Null for other topics. Unusual names are passed on, truncated to what Pub/Sub accepts, because
 * the cloud keeps unreadable messages for people to inspect.
 */
export function toBridgeMessage(topic: string, payload: Buffer): BridgeMessage | null {
  // The service's own canary. Every bridge forwards it under a device id that no device may have.
  if (topic === 'watchpost/canary') return toBridgeMessage('devices/watchpost/canary', payload);
  const [root, deviceId = '', ...kind] = topic.split('/');
  if (root !== 'devices' && root !== 'guardians') return null;
  const name = root === 'guardians' ? `guardian-${kind.join('/')}` : kind.join('/');
  // Only a message below `guardians/` may have a kind that begins with `guardian-`. If a device claims such a kind,
  // `devices/` is put before it, and no reader accepts the result.
  const isOwn = root === 'guardians' || !name.startsWith('guardian-');
  return {
    data: payload,
    attributes: { deviceId: cut(deviceId), kind: cut(isOwn ? name : `${root}/${name}`) },
    orderingKey: cut(deviceId),
  };
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
