import type { BridgeMessage } from '../cloud/push/message.ts';

/** Longest attribute value and ordering key, in bytes (Pub/Sub quotas). */
const longestBytes = 1024;

/**
 * The message for the cloud, in the `native` dialect, of what a device published under `devices/{deviceId}/{kind}`, or its guardian
 * under `guardians/{deviceId}/alert` or `health`; null for other topics. Odd names pass as they are, cut to what Pub/Sub takes: the cloud keeps what it cannot read for people to look at.
 */
export function toBridgeMessage(topic: string, payload: Buffer): BridgeMessage | null {
  // The service's own, as a bridge of any kind passes it on: under a device id that no device may have.
  if (topic === 'watchpost/canary') return toBridgeMessage('devices/watchpost/canary', payload);
  const [root, deviceId = '', ...kind] = topic.split('/');
  if (root !== 'devices' && root !== 'guardians') return null;
  const name = root === 'guardians' ? `guardian-${kind.join('/')}` : kind.join('/');
  // What is a guardian's to say comes below its own topic: anything else that looks like it keeps its whole name, which no kind has.
  const isOwn = root === 'guardians' || !name.startsWith('guardian-');
  return {
    data: payload,
    attributes: { deviceId: cut(deviceId), kind: cut(isOwn ? name : `${root}/${name}`) },
    orderingKey: cut(deviceId),
  };
}

/** Cuts at a character, never inside one. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= longestBytes) return text;
  return bytes
    .subarray(0, longestBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
