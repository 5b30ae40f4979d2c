import type { Fault } from '../../errors.ts';
import { type Envelope, type Report, reportSchemas } from '../../schema/device/report.ts';
import { envelopedKinds } from '../../schema/guardian/signed-text.ts';
import { parseJson } from '../../schema/json.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import { faultOfTexts, visible } from '../../schema/text.ts';
import { faultsOf, type SchemaName } from '../../schema/validate.ts';
import { type DialectName, type MessageKind, messageKinds, type ReportKind } from '../../schema/vocabulary.ts';
import { canaryAttribute, reservedDeviceId } from '../sight/canary.ts';
import { toInstant } from '../time.ts';
import { type Addressed, dialects } from './dialects.ts';
import { envelopeOf, openEnvelope } from './envelope.ts';
import type { Message } from './pushed.ts';

export type Refusal = {
  reason: QuarantinedReport['reason'];
  errors: Fault[];
  deviceId: string | null;
  kind: string | null;
};

/** A report, a message that means nothing (a retained topic being cleared, a guardian that comes or goes), or why it cannot be read. */
export type ReadOutcome =
  | { kind: 'report'; report: Report }
  | { kind: 'nothing' }
  /** A message of our own, not yet known to be true. */
  | { kind: 'canary'; data: Buffer }
  | { kind: 'refused'; refusal: Refusal };

/** Larger messages are no reports: 256 KiB. */
export const maxReportBytes = 256 * 1024;

/** What a device may be called. */
export const deviceIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const bodySchemas: Record<ReportKind, SchemaName> = {
  status: 'StatusReport',
  connection: 'ConnectionReport',
  event: 'EventReport',
  guardian: 'GuardianAlert',
  'guardian-health': 'GuardianHealth',
  detection: 'DetectionReport',
};

/** Reads a message in the dialect of the bridge. Never throws: what cannot be read says why. */
export function readMessage(message: Message, dialect: DialectName): ReadOutcome {
  if (message.data.length > maxReportBytes) {
    return refused('too-large', `is ${message.data.length} bytes, at most ${maxReportBytes} are read`, null, null);
  }
  // Before any dialect reads it: a canary is no device's message.
  if (message.attributes[canaryAttribute] !== undefined) return { kind: 'canary', data: message.data };
  const addressed = dialects[dialect](message);
  if (addressed === 'nothing') return { kind: 'nothing' };
  if ('fault' in addressed) return refusedWith('unreadable', [addressed.fault], null, null);
  const { deviceId, kind } = addressed;
  if (deviceId === reservedDeviceId) return readReserved(kind, addressed);
  if (!deviceIdPattern.test(deviceId)) return refused('unreadable', 'is not a device id', deviceId, kind, 'deviceId');
  if (!isMessageKind(kind)) {
    return refused('unknown-kind', `must be one of ${messageKinds.join(', ')}`, deviceId, kind, 'kind');
  }
  if (kind === 'connection' && 'bytes' in addressed && addressed.bytes.length === 0) return { kind: 'nothing' };
  return readBody(message, deviceId, kind, addressed);
}

/** Nobody may report under the service's own name; only its canaries come under it. */
function readReserved(kind: string, addressed: Addressed): ReadOutcome {
  if (kind !== 'canary') {
    return refused('unreadable', 'is reserved for the service itself', reservedDeviceId, kind, 'deviceId');
  }
  return { kind, data: 'bytes' in addressed ? addressed.bytes : Buffer.from(JSON.stringify(addressed.body)) };
}

type Payload = { body: unknown; text: string | null; envelope?: Envelope };
type Refused = { reason: Refusal['reason']; errors: Fault[] };

function readBody(message: Message, deviceId: string, kind: MessageKind, addressed: Addressed): ReadOutcome {
  const payload = payloadOf(addressed, kind);
  if ('errors' in payload) return refusedWith(payload.reason, payload.errors, deviceId, kind);
  const { body, text, envelope } = payload;
  const reportKind = envelopeOf(kind)?.reportKind ?? (kind as ReportKind);
  const errors = faultsOf(bodySchemas[reportKind], body);
  if (errors.length > 0) {
    const at = envelope ? `/${envelope.member}` : '';
    const faults = errors.map(({ pointer, detail }) => ({ pointer: at + pointer, detail }));
    return refusedWith('wrong-shape', faults, deviceId, kind);
  }
  const members = body as Record<string, unknown>;
  const foreign = foreignMember(members, deviceId);
  if (foreign) return refused('foreign-device', 'names another device than the topic', deviceId, kind, foreign);
  const strange = reportKind === 'status' ? strangeMembers(members) : null;
  if (strange) return refused('wrong-shape', `holds no member of a status report: ${strange}`, deviceId, kind);
  const receivedAt = toInstant(message.publishTime);
  const { messageId } = message;
  const told = { ...(text === null ? {} : { text }), ...(envelope ? { envelope } : {}) };
  return { kind: 'report', report: { deviceId, kind: reportKind, receivedAt, messageId, body, ...told } as Report };
}

/** Text of an envelope is held against the rule when it is opened. */
const carried: readonly string[] = Object.keys(envelopedKinds);
/** What a guardian found on its camera: evidence, which a camera could keep from coming in if there were texts that are refused. */
const evidence: readonly string[] = ['expected', 'actual'];

function payloadOf(addressed: Addressed, kind: MessageKind): Payload | Refused {
  const wrapped = envelopeOf(kind);
  const free = wrapped ? carried : kind === 'guardian' ? evidence : [];
  const whole = 'body' in addressed ? textsHeld(addressed.body, null, free) : parsedText(addressed.bytes, free);
  if ('errors' in whole || !wrapped) return whole;
  const opened = openEnvelope(whole.body, wrapped.member);
  if ('faults' in opened) return { reason: 'wrong-shape', errors: opened.faults };
  const inner = parsedText(Buffer.from(opened.text), wrapped.reportKind === 'guardian' ? evidence : []);
  if (!('errors' in inner)) return { ...opened, body: inner.body };
  const errors = inner.errors.map(({ pointer, detail }) => ({ pointer: `/${wrapped.member}${pointer}`, detail }));
  return { ...inner, errors };
}

function parsedText(bytes: Buffer, free: readonly string[]): { body: unknown; text: string | null } | Refused {
  const parsed = parseJson(bytes);
  if (!('fault' in parsed)) return textsHeld(parsed.value, parsed.text, free);
  const { fault, syntax } = parsed;
  if (syntax === null) return { reason: 'wrong-shape', errors: [fault] };
  const detail = `${fault.detail}: ${syntax.slice(0, 200)}`;
  return { reason: 'unreadable', errors: [{ pointer: '', detail }] };
}

function textsHeld(body: unknown, text: string | null, free: readonly string[]): Payload | Refused {
  const fault = faultOfTexts(body, text, free);
  return fault ? { reason: 'wrong-shape', errors: [fault] } : { body, text };
}

/** The names of a status report that holds members, but none that a status report has; else null. */
function strangeMembers(members: Record<string, unknown>): string | null {
  const known: object = reportSchemas.status.properties;
  const names = Object.keys(members);
  const isStrange = names.length > 0 && !names.some((name) => name in known);
  return isStrange ? names.slice(0, 10).join(', ') : null;
}

/** A payload may repeat its device's identity, but not claim another's. */
function foreignMember(body: Record<string, unknown>, deviceId: string): string | null {
  if (body['deviceId'] !== undefined && body['deviceId'] !== deviceId) return '/deviceId';
  const id = (body['device'] as { id?: unknown } | undefined)?.id;
  return id !== undefined && id !== deviceId ? '/device/id' : null;
}

function isMessageKind(kind: string): kind is MessageKind {
  return (messageKinds as readonly string[]).includes(kind);
}

function refused(
  reason: Refusal['reason'],
  detail: string,
  deviceId: string | null,
  kind: string | null,
  pointer = '',
): ReadOutcome {
  return refusedWith(reason, [{ pointer, detail }], deviceId, kind);
}

function refusedWith(
  reason: Refusal['reason'],
  errors: Fault[],
  deviceId: string | null,
  kind: string | null,
): ReadOutcome {
  // What tells of hostile or cut text is kept as well, so it must be text that can be kept.
  const told = errors.map(({ pointer, detail }) => ({ pointer: kept(pointer), detail: kept(detail) }));
  const address = { deviceId: deviceId === null ? null : kept(deviceId), kind: kind === null ? null : kept(kind) };
  return { kind: 'refused', refusal: { reason, errors: told, ...address } };
}

/** Enough to mend a message by. */
const maxKeptLetters = 1000;

function kept(text: string): string {
  return visible(text.slice(0, maxKeptLetters));
}
