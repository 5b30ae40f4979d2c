import type { Fault } from '../../errors.ts';
import { type Envelope, type Report, reportSchemas } from '../../schema/device/report.ts';
import { envelopedKinds } from '../../schema/guardian/signed-text.ts';
import { parseDoubtfulJson, parseJson } from '../../schema/json.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import { visible, withVisibleTexts } from '../../schema/text.ts';
import { faultsOf, type SchemaName } from '../../schema/validate.ts';
import { type DialectName, type MessageKind, messageKinds, type ReportKind } from '../../schema/vocabulary.ts';
import { isReserved, reservedDeviceId } from '../ids.ts';
import { canaryAttribute } from '../sight/canary.ts';
import type { Partition } from '../sight/partitions.ts';
import { type Instant, toInstant } from '../time.ts';
import { type DeviceMessage, dialects } from './dialects.ts';
import { envelopeOf, openEnvelope } from './envelope.ts';
import { fitted, isEvidence } from './evidence.ts';
import type { Message } from './pushed.ts';

/** Why a message goes into quarantine, and its device as far as it is known. */
export type MessageRefusal = {
  reason: QuarantinedReport['reason'];
  errors: Fault[];
  deviceId: string | null;
  kind: string | null;
};

export type Refusal = MessageRefusal & {
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

/** Larger messages are refused, unless they are evidence: 256 KiB. */
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
  if (message.data.length > maxReportBytes && !isReadWhole(addressed)) {
    const from = addressed === 'nothing' || 'fault' in addressed ? nobody : addressed;
    return refusedWith('too-large', [tooLarge(message.data.length).fault], from);
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

/** Whether a message is read whatever its size: it may be evidence. */
function isReadWhole(addressed: ReturnType<(typeof dialects)[DialectName]>): boolean {
  if (addressed === 'nothing' || !('bytes' in addressed)) return false;
  return ['event', 'guardian', envelopedKinds.alert].includes(addressed.kind);
}

/** Only canaries may come under a reserved name, and only under the service's own. */
function readReserved(addressed: DeviceMessage): ReadOutcome {
  if (addressed.kind !== 'canary' || addressed.deviceId !== reservedDeviceId) {
    return refused('unreadable', 'is reserved for the service itself', { ...nobody, kind: addressed.kind }, 'deviceId');
  }
  const data = 'bytes' in addressed ? addressed.bytes : Buffer.from(JSON.stringify(addressed.body));
  return { kind: 'canary', data, ...(addressed.bridge ? { bridge: addressed.bridge } : {}) };
}

type Payload = { body: unknown; text: string | null; envelope?: Envelope; isLarge: boolean; faults: Fault[] };
type ReadFault = Pick<Refusal, 'reason' | 'errors'>;
function readBody(message: Message, kind: MessageKind, addressed: DeviceMessage): ReadOutcome {
  const { deviceId } = addressed;
  const payload = payloadOf(addressed, kind);
  if ('errors' in payload) return refusedWith(payload.reason, payload.errors, addressed);
  const { text, envelope } = payload;
  const reportKind = reportKindOf(kind);
  const foreign = foreignMember(payload.body, deviceId);
  if (foreign) return refused('foreign-device', 'names another device than the topic', addressed, foreign);
  const receivedAt = toInstant(message.publishTime);
  const { body, faults, isSound } = mended(reportKind, payload, receivedAt);
  if (!isSound) {
    const at = envelope ? `/${envelope.member}` : '';
    const errors = faults.map(({ pointer, detail }) => ({ pointer: at + pointer, detail }));
    return refusedWith('wrong-shape', errors, addressed);
  }
  const strange = reportKind === 'status' ? strangeMembers(payload.body as object) : null;
  if (strange) return refused('wrong-shape', `contains no member of a status report: ${strange}`, addressed);
  const members = {
    ...(text === null ? {} : { text }),
    ...(envelope ? { envelope } : {}),
    ...(addressed.isLeftover ? { isLeftover: true } : {}),
    ...(faults.length > 0 ? { faults: faults.map(keptFault) } : {}),
  };
  const report = { deviceId, kind: reportKind, receivedAt, messageId: message.messageId, body, ...members } as Report;
  return { kind: 'report', report };
}

function reportKindOf(kind: MessageKind): ReportKind {
  return envelopeOf(kind)?.reportKind ?? (kind as ReportKind);
}

/** Reads a payload. A message that is larger than is read, or that is not proper JSON, is read only where it is evidence. */
function payloadOf(addressed: DeviceMessage, kind: MessageKind): Payload | ReadFault {
  const wrapped = envelopeOf(kind);
  const reportKind = reportKindOf(kind);
  if (!wrapped) {
    return 'body' in addressed
      ? { body: addressed.body, text: null, isLarge: false, faults: [] }
      : parsedText(addressed.bytes, reportKind);
  }
  // The text in an envelope is what the guardian signed. It is read by itself, and the envelope is not kept.
  const whole = 'body' in addressed ? { value: addressed.body } : parseJson(addressed.bytes);
  if ('fault' in whole) return notJson(whole);
  const opened = openEnvelope(whole.value, wrapped.member);
  if ('faults' in opened) return { reason: 'wrong-shape', errors: opened.faults };
  const inner = parsedText(Buffer.from(opened.text), reportKind);
  if (!('errors' in inner)) return { ...inner, ...opened };
  const errors = inner.errors.map(({ pointer, detail }) => ({ pointer: `/${wrapped.member}${pointer}`, detail }));
  return { ...inner, errors };
}

function parsedText(bytes: Buffer, kind: ReportKind): Payload | ReadFault {
  const isLarge = bytes.length > maxReportBytes;
  const parsed = isLarge ? tooLarge(bytes.length) : parseJson(bytes);
  if (!('fault' in parsed)) return { body: parsed.value, text: parsed.text, isLarge, faults: [] };
  const body = parseDoubtfulJson(bytes);
  if (!isEvidence(kind, body)) return notJson(parsed);
  return { body, text: bytes.toString(), isLarge, faults: notJson(parsed).errors };
}

function tooLarge(length: number): { fault: Fault; syntax: null; reason: 'too-large' } {
  const detail = `is ${length} bytes, at most ${maxReportBytes} are read`;
  return { fault: { pointer: '', detail }, syntax: null, reason: 'too-large' };
}

function notJson({ fault, syntax, reason }: { fault: Fault; syntax: string | null; reason?: 'too-large' }): ReadFault {
  if (syntax === null) return { reason: reason ?? 'wrong-shape', errors: [fault] };
  const detail = `${fault.detail}: ${syntax.slice(0, 200)}`;
  return { reason: 'unreadable', errors: [{ pointer: '', detail }] };
}

/** The member names of a status report that has members but none of a status report, else null. */
function strangeMembers(members: object): string | null {
  const known: object = reportSchemas.status.properties;
  const names = Object.keys(members);
  const isStrange = names.length > 0 && !names.some((name) => name in known);
  return isStrange ? names.slice(0, 10).join(', ') : null;
}

type Repair = { body: unknown; faults: Fault[]; isSound: boolean };
/**
 * A body with its texts made safe: this is the one place where texts of devices are. Evidence is made to fit, and a status report loses the sections that
 * do not. Whatever had to change is a fault.
 */
function mended(kind: ReportKind, { body: given, text, isLarge, faults: found }: Payload, now: Instant): Repair {
  const visible = withVisibleTexts(given, found.length > 0 ? null : text);
  const faults = [...found, ...visible.faults];
  const schema = bodySchemas[kind];
  const misfits = faultsOf(schema, visible.value);
  if (misfits.length === 0 && !isLarge) return { body: visible.value, faults, isSound: true };
  const isEvident = kind !== 'status' && isEvidence(kind, visible.value);
  const body = fitted(kind, visible.value, { now: isEvident ? now : null, isLarge });
  faults.push(...misfits);
  if (kind === 'status') return withSoundSections(body, faults);
  return { body, faults, isSound: faultsOf(schema, body).length === 0 };
}

/** A status report without its invalid sections, each of which is checked separately. */
function withSoundSections(body: unknown, faults: Fault[]): Repair {
  let good = body;
  const noted = new Set(faults.map(({ pointer }) => pointer));
  // Checked again after each removal, because the list of faults is truncated when one section has many.
  for (let found = faultsOf('StatusReport', good); found.length > 0; found = faultsOf('StatusReport', good)) {
    const bad = new Set(found.map(({ pointer }) => pointer.split('/')[1] ?? ''));
    faults.push(...found.filter(({ pointer }) => !noted.has(pointer)));
    if (bad.has('') || typeof good !== 'object' || good === null) return { body: good, faults, isSound: false };
    good = Object.fromEntries(Object.entries(good).filter(([member]) => !bad.has(member)));
  }
  return { body: good, faults, isSound: true };
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
