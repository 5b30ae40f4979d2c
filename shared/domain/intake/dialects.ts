import type { Fault } from '../../errors.ts';
import type { ConnectionReport } from '../../schema/device/report.ts';
import { envelopedKinds } from '../../schema/guardian/signed-text.ts';
import { parseJson } from '../../schema/json.ts';
import type { DialectName } from '../../schema/vocabulary.ts';
import { reservedDeviceId } from '../ids.ts';
import { isPartition, type Partition } from '../sight/partitions.ts';
import type { Message } from './pushed.ts';

/**
 * The device and kind of a report, with the bytes of its body, or with the body itself where the bridge writes it. `isLeftover`: a retained message
 * that the broker gave to the bridge when it subscribed, so that it can be of any age. `bridge`: what our own bridge says of itself.
 */
export type DeviceMessage = { deviceId: string; kind: string; isLeftover?: boolean; bridge?: Partition } & (
  | { bytes: Buffer }
  | { body: unknown }
);

/**
 * A small reader for each dialect. The device's identity comes from what the broker protects (the topic or the authenticated client), never from the
 * payload or from an attribute that a device can set. `nothing`: the message shows nothing about a device.
 */
export const dialects: Record<DialectName, (message: Message) => DeviceMessage | 'nothing' | { fault: Fault }> = {
  native,
  topic,
  emqx,
  iotcore,
};

export function isDialect(name: string): name is DialectName {
  return Object.hasOwn(dialects, name);
}

/** Attributes `deviceId` and `kind`, as our own bridge writes them, and `retained` for a message that the broker had retained. */
function native({ attributes, data }: Message): DeviceMessage | { fault: Fault } {
  const { deviceId, kind, retained } = attributes;
  if (!deviceId) return missing('deviceId');
  if (!kind) return missing('kind');
  const bridge = partitionIn(attributes[bridgeAttribute]);
  return { deviceId, kind, bytes: data, isLeftover: retained === 'true', ...(bridge ? { bridge } : {}) };
}

/** All that our own bridge says of itself: JSON. Other dialects do not read it, because there a device could set it. */
export const bridgeAttribute = 'watchpost-bridge';
const longestBridgeText = 1024;

/** What our own bridge says of itself. Null: nothing that can be read. */
export function bridgeWords(text: string | undefined): Record<string, unknown> | null {
  if (text === undefined || text.length > longestBridgeText) return null;
  const parsed = parseJson(Buffer.from(text));
  return 'fault' in parsed ? null : (Object(parsed.value) as Record<string, unknown>);
}

/** The part of the devices that the bridge forwards. Null: it does not say, or says what cannot be. */
function partitionIn(text: string | undefined): Partition | null {
  const { partition, of } = bridgeWords(text) ?? {};
  if (typeof partition !== 'number' || typeof of !== 'number') return null;
  return isPartition({ partition, of }) ? { partition, of } : null;
}

/** Names of the topic attribute: of HiveMQ, of Google's connector, and a plain one. */
const topicAttributes = ['mqtt-topic', 'source-mqtt-topic-name', 'topic'];

/**
 * The MQTT topic in an attribute. HiveMQ's `retained` is the flag of a live publication and does not mark a retained message. MQTT user
 * properties of a device become attributes too, so a message with two different topics is refused.
 */
function topic({ attributes, data }: Message): DeviceMessage | { fault: Fault } {
  const given = topicAttributes.flatMap((name) => (attributes[name] ? [[name, attributes[name]] as const] : []));
  const [first] = given;
  if (!first) return missing(topicAttributes.join('` or `'));
  const other = given.find(([, value]) => value !== first[1]);
  if (other) return fault(other[0], `disagrees with \`${first[0]}\`: "${other[1]}" and "${first[1]}"`);
  const address = addressOf(first[1]);
  return address ? { ...address, bytes: data } : fault(first[0], notOurs(first[1]));
}

/** Configuration guardians connect with this prefix and their device's id. Their connections say nothing about a device. */
const guardianClient = /^guardian-/;
/** Our own probe and canary connect with this prefix. */
const ownClient = /^watchpost(-|$)/;

const guardianKinds: readonly string[] = Object.values(envelopedKinds);

/** EMQX: the complete row of a rule as JSON, from `message.publish` or the `$events/client/…` topics. */
function emqx({ data }: Message): DeviceMessage | 'nothing' | { fault: Fault } {
  const parsed = parseJson(data);
  if ('fault' in parsed) return parsed.syntax === null ? parsed : fault('', 'is not the JSON row of an EMQX rule');
  const row = parsed.value as Record<string, unknown> | null;
  const event = row?.['event'];
  if (event === 'client.connected' || event === 'client.disconnected') return emqxPresence(row ?? {}, event);
  const name = row?.['topic'];
  if (typeof name !== 'string') return fault('/topic', 'is required in the row of an EMQX rule');
  const address = addressOf(name);
  if (!address) return fault('/topic', notOurs(name));
  const payload = row?.['payload'];
  // A source that subscribes to another broker reports a retained message here. `flags.retain` is what the publisher requested for a live
  // message.
  const isLeftover = row?.['retain'] === true;
  if (typeof payload === 'string') return { ...address, isLeftover, bytes: Buffer.from(payload) };
  return payload && typeof payload === 'object'
    ? { ...address, isLeftover, body: payload }
    : fault('/payload', 'is required');
}

function emqxPresence(row: Record<string, unknown>, event: string): DeviceMessage | 'nothing' | { fault: Fault } {
  const deviceId = row['clientid'];
  if (typeof deviceId !== 'string') return fault('/clientid', 'is required');
  if (guardianClient.test(deviceId) || ownClient.test(deviceId)) return 'nothing';
  const isOnline = event === 'client.connected';
  const connectedAt = instantOf(row['connected_at']);
  const timestamp = instantOf(isOnline ? row['timestamp'] : row['disconnected_at']);
  const body: ConnectionReport = {
    status: isOnline ? 'online' : 'offline',
    ...(connectedAt ? { connectedAt } : {}),
    ...(timestamp ? { timestamp } : {}),
    ...(typeof row['reason'] === 'string' ? { reason: row['reason'] } : {}),
  };
  return { deviceId, kind: 'connection', body };
}

/**
 * ClearBlade and the former Cloud IoT Core: the device id of the registry, and the kind in the subfolder of the topic. A guardian is
 * registered as `guardian-{deviceId}`. It may send only envelopes about its device, and a device may not send what belongs to its guardian.
 */
function iotcore({ attributes, data }: Message): DeviceMessage | { fault: Fault } {
  const { deviceId, deviceRegistryId, subFolder } = attributes;
  if (!deviceId) return missing('deviceId');
  if (!deviceRegistryId) return missing('deviceRegistryId');
  if (!subFolder) return missing('subFolder');
  const isGuardian = guardianClient.test(deviceId);
  if (isGuardian !== guardianKinds.includes(subFolder))
    return fault('subFolder', `"${subFolder}" is not for ${deviceId} to say`);
  return { deviceId: isGuardian ? deviceId.replace(guardianClient, '') : deviceId, kind: subFolder, bytes: data };
}

/** The one topic that belongs to no device: our canaries come through the broker on it. */
const canaryTopic = 'watchpost/canary';

function addressOf(name: string): { deviceId: string; kind: string } | null {
  if (name === canaryTopic) return { deviceId: reservedDeviceId, kind: 'canary' };
  const [root, deviceId, kind, ...rest] = name.split('/');
  if (!deviceId || !kind || rest.length > 0) return null;
  if (root === 'guardians') return isMember(kind) ? { deviceId, kind: envelopedKinds[kind] } : null;
  // A guardian publishes below its own topic, which the broker denies to the camera.
  return root === 'devices' && !guardianKinds.includes(kind) ? { deviceId, kind } : null;
}

function isMember(name: string): name is keyof typeof envelopedKinds {
  return Object.hasOwn(envelopedKinds, name);
}

function instantOf(ms: unknown): string | null {
  return typeof ms === 'number' && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;
}

function notOurs(name: string): string {
  return `"${name.slice(0, 200)}" is neither devices/{deviceId}/{kind} nor guardians/{deviceId}/alert or health`;
}

function missing(attribute: string): { fault: Fault } {
  return fault(attribute, `attribute \`${attribute}\` is required`);
}

function fault(pointer: string, detail: string): { fault: Fault } {
  return { fault: { pointer, detail } };
}
