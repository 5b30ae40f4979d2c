import type { Fault } from '../../errors.ts';
import { type Envelope, type Report, reportSchemas } from '../../schema/device/report.ts';
import { envelopedKinds } from '../../schema/guardian/signed-text.ts';
import { parseJson } from '../../schema/json.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import { faultOfTexts, visible } from '../../schema/text.ts';
import { faultsOf, type SchemaName } from '../../schema/validate.ts';
import { type DialectName, type MessageKind, messageKinds, type ReportKind } from '../../schema/vocabulary.ts';
import { isReserved, reservedDeviceId } from '../ids.ts';
import { canaryAttribute } from '../sight/canary.ts';
import type { Partition } from '../sight/partitions.ts';
import { toInstant } from '../time.ts';
import { type Addressed, dialects } from './dialects.ts';
import { envelopeOf, openEnvelope } from './envelope.ts';
import type { Message } from './pushed.ts';

/** Why a message goes into quarantine, and its device as far as it is known. */
export type Refused = {
  reason: QuarantinedReport['reason'];
  errors: Fault[];
  deviceId: string | null;
  kind: string | null;
};

export type Refusal = Refused & {
  /** The device that sent it, where the message shows that it is alive although it cannot be read. */
  seen: string | null;
};

/**
 * A report, a message without meaning (a retained topic that is cleared; a guardian, our probe or our canary that connects or disconnects), or why it
 * cannot be read.
 */
export type ReadOutcome =
  | { kind: 'report'; report: Report }
  | { kind: 'nothing' }
  /** A canary, or a message of a drill, whose signature has not been checked yet. */
  | { kind: 'canary'; data: Buffer; bridge?: Partition }
  | { kind: 'refused'; refusal: Refusal };

/** Larger messages are refused: 256 KiB. */
export const maxReportBytes = 256 * 1024;

/** The form of a device id. */
export const deviceIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const bodySchemas: Record<ReportKind, SchemaName> = {
  status: 'StatusReport',
  connection: 'ConnectionReport',
  event: 'EventReport',
  guardian: 'GuardianAlert',
  'guardian-health': 'GuardianHealth',
  detection: 'DetectionReport',
};

/** Reads a message in the dialect of the bridge. Never throws: for a message that cannot be read it returns the reason. */
export function readMessage(message: Message, dialect: DialectName): ReadOutcome {
  // Checked before any dialect, because a canary belongs to no device.
  if (message.attributes[canaryAttribute] !== undefined) return { kind: 'canary', data: message.data };
  const addressed = dialects[dialect](message);
  if (message.data.length > maxReportBytes) {
    const from = addressed === 'nothing' || 'fault' in addressed ? nobody : addressed;
    return refused('too-large', `is ${message.data.length} bytes, at most ${maxReportBytes} are read`, from);
  }
  if (addressed === 'nothing') return { kind: 'nothing' };
  if ('fault' in addressed) return refusedWith('unreadable', [addressed.fault], nobody);
  const { deviceId, kind } = addressed;
  if (isReserved(deviceId)) return readReserved(addressed);
  if (!deviceIdPattern.test(deviceId)) return refused('unreadable', 'is not a device id', addressed, 'deviceId');
  if (!isMessageKind(kind)) {
    return refused('unknown-kind', `must be one of ${messageKinds.join(', ')}`, addressed, 'kind');
  }
  if (kind === 'connection' && 'bytes' in addressed && addressed.bytes.length === 0) return { kind: 'nothing' };
  return readBody(message, kind, addressed);
}

/** Only canaries may come under a reserved name, and only under the service's own. */
function readReserved(addressed: Addressed): ReadOutcome {
  if (addressed.kind !== 'canary' || addressed.deviceId !== reservedDeviceId) {
    return refused('unreadable', 'is reserved for the service itself', { ...nobody, kind: addressed.kind }, 'deviceId');
  }
  const data = 'bytes' in addressed ? addressed.bytes : Buffer.from(JSON.stringify(addressed.body));
  return { kind: 'canary', data, ...(addressed.bridge ? { bridge: addressed.bridge } : {}) };
}

type Payload = { body: unknown; text: string | null; envelope?: Envelope };
type Unread = Pick<Refusal, 'reason' | 'errors'>;

function readBody(message: Message, kind: MessageKind, addressed: Addressed): ReadOutcome {
  const { deviceId } = addressed;
  const payload = payloadOf(addressed, kind);
  if ('errors' in payload) return refusedWith(payload.reason, payload.errors, addressed);
  const { body, text, envelope } = payload;
  const reportKind = envelopeOf(kind)?.reportKind ?? (kind as ReportKind);
  const foreign = foreignMember(body, deviceId);
  if (foreign) return refused('foreign-device', 'names another device than the topic', addressed, foreign);
  const isStatus = reportKind === 'status';
  const { good, faults } = isStatus
    ? soundSections(body, text)
    : { good: body, faults: faultsOf(bodySchemas[reportKind], body) };
  if (faults.length > 0 && (good === body || good === null)) {
    const at = envelope ? `/${envelope.member}` : '';
    const errors = faults.map(({ pointer, detail }) => ({ pointer: at + pointer, detail }));
    return refusedWith('wrong-shape', errors, addressed);
  }
  const strange = isStatus ? strangeMembers(body as object) : null;
  if (strange) return refused('wrong-shape', `contains no member of a status report: ${strange}`, addressed);
  const members = {
    ...(text === null ? {} : { text }),
    ...(envelope ? { envelope } : {}),
    ...(addressed.isLeftover ? { isLeftover: true } : {}),
    ...(faults.length > 0 ? { faults: faults.map(keptFault) } : {}),
  };
  const { messageId } = message;
  const receivedAt = toInstant(message.publishTime);
  return {
    kind: 'report',
    report: { deviceId, kind: reportKind, receivedAt, messageId, body: good, ...members } as Report,
  };
}

/** Text in an envelope is checked when the envelope is opened. */
const carried: readonly string[] = Object.keys(envelopedKinds);
/**
 * What a guardian found on its camera is evidence. If certain texts in it were refused, a camera could use such a text to block the
 * evidence.
 */
const evidence: readonly string[] = ['expected', 'actual'];

function payloadOf(addressed: Addressed, kind: MessageKind): Payload | Unread {
  const wrapped = envelopeOf(kind);
  const free = wrapped ? carried : kind === 'guardian' ? evidence : kind === 'status' ? null : [];
  const whole = 'body' in addressed ? textsHeld(addressed.body, null, free) : parsedText(addressed.bytes, free);
  if ('errors' in whole || !wrapped) return whole;
  const opened = openEnvelope(whole.body, wrapped.member);
  if ('faults' in opened) return { reason: 'wrong-shape', errors: opened.faults };
  const inner = parsedText(Buffer.from(opened.text), wrapped.reportKind === 'guardian' ? evidence : []);
  if (!('errors' in inner)) return { ...opened, body: inner.body };
  const errors = inner.errors.map(({ pointer, detail }) => ({ pointer: `/${wrapped.member}${pointer}`, detail }));
  return { ...inner, errors };
}

function parsedText(bytes: Buffer, free: readonly string[] | null): { body: unknown; text: string | null } | Unread {
  const parsed = parseJson(bytes);
  if (!('fault' in parsed)) return textsHeld(parsed.value, parsed.text, free);
  const { fault, syntax } = parsed;
  if (syntax === null) return { reason: 'wrong-shape', errors: [fault] };
  const detail = `${fault.detail}: ${syntax.slice(0, 200)}`;
  return { reason: 'unreadable', errors: [{ pointer: '', detail }] };
}

/** @param free members that may hold any text; null: texts are checked with their sections */
function textsHeld(body: unknown, text: string | null, free: readonly string[] | null): Payload | Unread {
  const fault = free && faultOfTexts(body, text, free);
  return fault ? { reason: 'wrong-shape', errors: [fault] } : { body, text };
}

/** The member names of a status report that has members but none of a status report, else null. */
function strangeMembers(members: object): string | null {
  const known: object = reportSchemas.status.properties;
  const names = Object.keys(members);
  const isStrange = names.length > 0 && !names.some((name) => name in known);
  return isStrange ? names.slice(0, 10).join(', ') : null;
}

/** A status report without its invalid sections, each of which is checked separately. `good` is null where it is not an object at all. */
function soundSections(body: unknown, text: string | null): { good: object | null; faults: Fault[] } {
  const faults: Fault[] = [];
  let good = body;
  if (isRecord(body) && faultOfTexts(body, text)) {
    const judged = Object.entries(body).map(([name, member]) => {
      return { name, member, fault: faultOfTexts({ [name]: member }, null) };
    });
    faults.push(...judged.flatMap(({ fault }) => fault ?? []).slice(0, 50));
    good = Object.fromEntries(judged.flatMap(({ name, member, fault }) => (fault ? [] : [[name, member]])));
  }
  // Checked again after each removal, because the list of faults is truncated when one section has many.
  for (let found = faultsOf('StatusReport', good); found.length > 0; found = faultsOf('StatusReport', good)) {
    const bad = new Set(found.map(({ pointer }) => pointer.split('/')[1] ?? ''));
    faults.push(...found);
    if (bad.has('') || typeof good !== 'object' || good === null) return { good: null, faults };
    good = Object.fromEntries(Object.entries(good).filter(([member]) => !bad.has(member)));
  }
  return { good: good as object, faults };
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A payload may repeat the identity of its device, but must not name another one. */
function foreignMember(body: unknown, deviceId: string): string | null {
  const { deviceId: claimed, device } = (body ?? {}) as { deviceId?: unknown; device?: { id?: unknown } | null };
  if (claimed !== undefined && claimed !== deviceId) return '/deviceId';
  const id = device?.id;
  return id !== undefined && id !== deviceId ? '/device/id' : null;
}

function isMessageKind(kind: string): kind is MessageKind {
  return (messageKinds as readonly string[]).includes(kind);
}

type Origin = { deviceId: string | null; kind: string | null; isLeftover?: boolean };
const nobody: Origin = { deviceId: null, kind: null };

function refused(reason: Refusal['reason'], detail: string, from: Origin, pointer = ''): ReadOutcome {
  return refusedWith(reason, [{ pointer, detail }], from);
}

function refusedWith(reason: Refusal['reason'], errors: Fault[], from: Origin): ReadOutcome {
  const { deviceId, kind } = from;
  const address = { deviceId: deviceId === null ? null : kept(deviceId), kind: kind === null ? null : kept(kind) };
  const isAlive = deviceId !== null && deviceIdPattern.test(deviceId) && showsLife(kind) && !from.isLeftover;
  return {
    kind: 'refused',
    refusal: { reason, errors: errors.map(keptFault), ...address, seen: isAlive ? deviceId : null },
  };
}

/** Maximum length of a fault's detail, characters: enough to find and correct what is wrong. */
const maxKeptCharacters = 1000;

function kept(text: string): string {
  return visible(text.slice(0, maxKeptCharacters));
}

/** The detail of a fault may contain hostile or truncated text, so it is made safe to store. */
function keptFault({ pointer, detail }: Fault): Fault {
  return { pointer: kept(pointer), detail: kept(detail) };
}

/**
 * Whether only a device that is alive sends this kind, readable or not. A guardian is another process, and a last will comes from the
 * broker.
 */
function showsLife(kind: string | null): boolean {
  return kind === 'status' || kind === 'event' || kind === 'detection';
}
