import type { Fault } from '../../errors.ts';
import { type Report, reportSchemas } from '../../schema/device/report.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import { faultsOf, type SchemaName } from '../../schema/validate.ts';
import { type DialectName, type ReportKind, reportKinds } from '../../schema/vocabulary.ts';
import { canaryAttribute, reservedDeviceId } from '../sight/canary.ts';
import { toInstant } from '../time.ts';
import { type Addressed, dialects } from './dialects.ts';
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

/** No report of ours nests a tenth as deep; what does would exhaust the stack of whoever walks it. */
const maxDepth = 64;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const deviceIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const bodySchemas: Record<ReportKind, SchemaName> = {
  status: 'StatusReport',
  connection: 'ConnectionReport',
  event: 'EventReport',
  guardian: 'GuardianAlert',
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
  if (!isReportKind(kind)) {
    return refused('unknown-kind', `must be one of ${reportKinds.join(', ')}`, deviceId, kind, 'kind');
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

function readBody(message: Message, deviceId: string, kind: ReportKind, addressed: Addressed): ReadOutcome {
  let body: unknown;
  let text: string | null = null;
  if ('body' in addressed) body = addressed.body;
  else {
    try {
      text = strictUtf8.decode(addressed.bytes);
      body = JSON.parse(text);
    } catch (error) {
      const detail = `is not JSON: ${error instanceof Error ? error.message.slice(0, 200) : error}`;
      return refused('unreadable', detail, deviceId, kind);
    }
  }
  if (nestsDeeperThan(body, maxDepth))
    return refused('wrong-shape', `nests deeper than ${maxDepth} levels`, deviceId, kind);
  const errors = faultsOf(bodySchemas[kind], body);
  if (errors.length > 0) return refusedWith('wrong-shape', errors, deviceId, kind);
  const members = body as Record<string, unknown>;
  const foreign = foreignMember(members, deviceId);
  if (foreign) return refused('foreign-device', 'names another device than the topic', deviceId, kind, foreign);
  const known = (reportSchemas[kind] as { properties?: object }).properties;
  const names = Object.keys(members);
  if (kind === 'status' && known && names.length > 0 && !names.some((name) => name in known)) {
    return refused(
      'wrong-shape',
      `holds no member of a status report: ${names.slice(0, 10).join(', ')}`,
      deviceId,
      kind,
    );
  }
  const receivedAt = toInstant(message.publishTime);
  const { messageId } = message;
  const report = { deviceId, kind, receivedAt, messageId, body, ...(text === null ? {} : { text }) } as Report;
  return { kind: 'report', report };
}

function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => nestsDeeperThan(item, levels - 1));
}

/** A payload may repeat its device's identity, but not claim another's. */
function foreignMember(body: Record<string, unknown>, deviceId: string): string | null {
  if (body['deviceId'] !== undefined && body['deviceId'] !== deviceId) return '/deviceId';
  const id = (body['device'] as { id?: unknown } | undefined)?.id;
  return id !== undefined && id !== deviceId ? '/device/id' : null;
}

function isReportKind(kind: string): kind is ReportKind {
  return (reportKinds as readonly string[]).includes(kind);
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
  return { kind: 'refused', refusal: { reason, errors, deviceId, kind } };
}
