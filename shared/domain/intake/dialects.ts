import type { Fault } from '../../errors.ts';
import type { ConnectionReport } from '../../schema/device/report.ts';
import { envelopedKinds } from '../../schema/guardian/signed-text.ts';
import { parseJson } from '../../schema/json.ts';
import type { DialectName } from '../../schema/vocabulary.ts';
import { reservedDeviceId } from '../sight/canary.ts';
import type { Message } from './pushed.ts';

/**
 * Whose report it is and of which kind, with the bytes of its body or, where the bridge tells in its own words, the body. `isLeftover`: a
 * retained message that the broker kept and handed to the bridge when it subscribed, of whatever age.
 */
export type Addressed = { deviceId: string; kind: string; isLeftover?: boolean } & (
  | { bytes: Buffer }
  | { body: unknown }
);

/**
 * One small reader per way in which bridges write messages. The identity of the device comes from what the broker guards (the topic
 * or the authenticated client), never from the payload or from an attribute that a device can set. `nothing`: it is about no device.
 */
export const dialects: Record<DialectName, (message: Message) => Addressed | 'nothing' | { fault: Fault }> = {
  native,
  topic,
  emqx,
  iotcore,
};

export function isDialect(name: string): name is DialectName {
  return Object.hasOwn(dialects, name);
}

/** Attributes `deviceId` and `kind`, as our own bridge writes them, and `retained` of what a broker had kept. */
function native({ attributes, data }: Message): Addressed | { fault: Fault } {
  const { deviceId, kind, retained } = attributes;
  if (!deviceId) return missing('deviceId');
  return kind ? { deviceId, kind, bytes: data, isLeftover: retained === 'true' } : missing('kind');
}

/** HiveMQ, Google's connector and a plain name for the same. */
const topicAttributes = ['mqtt-topic', 'source-mqtt-topic-name', 'topic'];

/** The MQTT topic in an attribute. HiveMQ's `retained` is the flag of a live publication, and tells no leftover. User properties of a device become attributes too, so two that disagree are refused. */
function topic({ attributes, data }: Message): Addressed | { fault: Fault } {
  const given = topicAttributes.flatMap((name) => (attributes[name] ? [[name, attributes[name]] as const] : []));
  const [first] = given;
  if (!first) return missing(topicAttributes.join('` or `'));
  const other = given.find(([, value]) => value !== first[1]);
  if (other) return fault(other[0], `disagrees with \`${first[0]}\`: "${other[1]}" and "${first[1]}"`);
  const address = addressOf(first[1]);
  return address ? { ...address, bytes: data } : fault(first[0], notOurs(first[1]));
}

/** Configuration guardians connect as this and their device's id: what they do tells nothing of a device. */
const guardianClient = /^guardian-/;
/** So do our own probe and canary. */
const ownClient = /^watchpost(-|$)/;

const guardianKinds: readonly string[] = Object.values(envelopedKinds);

/** EMQX: the whole row of a rule as JSON, from `message.publish` or the `$events/client/…` topics. */
function emqx({ data }: Message): Addressed | 'nothing' | { fault: Fault } {
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
  // A source that subscribes to another broker tells it here; `flags.retain` of a publication is the wish of who published it now.
  const isLeftover = row?.['retain'] === true;
  if (typeof payload === 'string') return { ...address, isLeftover, bytes: Buffer.from(payload) };
  return payload && typeof payload === 'object'
    ? { ...address, isLeftover, body: payload }
    : fault('/payload', 'is required');
}

function emqxPresence(row: Record<string, unknown>, event: string): Addressed | 'nothing' | { fault: Fault } {
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
 * ClearBlade and the former Cloud IoT Core: the registry's device id, and the kind in the topic's subfolder. A guardian stands in the registry
 * as `guardian-{deviceId}`: it speaks of its device in envelopes and says nothing else, and no device says what is its guardian's to say.
 */
function iotcore({ attributes, data }: Message): Addressed | { fault: Fault } {
  const { deviceId, deviceRegistryId, subFolder } = attributes;
  if (!deviceId) return missing('deviceId');
  if (!deviceRegistryId) return missing('deviceRegistryId');
  if (!subFolder) return missing('subFolder');
  const isGuardian = guardianClient.test(deviceId);
  if (isGuardian !== guardianKinds.includes(subFolder))
    return fault('subFolder', `"${subFolder}" is not for ${deviceId} to say`);
  return { deviceId: isGuardian ? deviceId.replace(guardianClient, '') : deviceId, kind: subFolder, bytes: data };
}

/** The one topic that is no device's: canaries of ours come through the broker on it. */
const canaryTopic = 'watchpost/canary';

function addressOf(name: string): { deviceId: string; kind: string } | null {
  if (name === canaryTopic) return { deviceId: reservedDeviceId, kind: 'canary' };
  const [root, deviceId, kind, ...rest] = name.split('/');
  if (!deviceId || !kind || rest.length > 0) return null;
  if (root === 'guardians') return isMember(kind) ? { deviceId, kind: envelopedKinds[kind] } : null;
  // What a guardian says comes below its own topic, which the broker keeps the camera from.
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
