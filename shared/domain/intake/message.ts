import type { Fault } from '../../errors.ts';
import { type Report, reportSchemas } from '../../schema/device/report.ts';
import { parseJson } from '../../schema/json.ts';
import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import { faultsOf, type SchemaName } from '../../schema/validate.ts';
import { type DialectName, type ReportKind, reportKinds } from '../../schema/vocabulary.ts';
import { toInstant } from '../time.ts';
import { type Addressed, dialects } from './dialects.ts';
import type { Message } from './pushed.ts';

export type Refusal = {
  reason: QuarantinedReport['reason'];
  errors: Fault[];
  deviceId: string | null;
  kind: string | null;
  /** The device that sent it, where the message shows that it lives although it cannot be read. */
  seen: string | null;
};

/** A report, a message that means nothing (a retained topic being cleared, a guardian that comes or goes), or why it cannot be read. */
export type ReadOutcome =
  | { kind: 'report'; report: Report }
  | { kind: 'nothing' }
  | { kind: 'refused'; refusal: Refusal };

/** Larger messages are no reports: 256 KiB. */
export const maxReportBytes = 256 * 1024;

/** No report of ours nests a tenth as deep; what does would exhaust the stack of whoever walks it. */
const maxDepth = 64;

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
  const addressed = dialects[dialect](message);
  if (message.data.length > maxReportBytes) {
    const from = addressed === 'nothing' || 'fault' in addressed ? nobody : addressed;
    return refused('too-large', `is ${message.data.length} bytes, at most ${maxReportBytes} are read`, from);
  }
  if (addressed === 'nothing') return { kind: 'nothing' };
  if ('fault' in addressed) return refusedWith('unreadable', [addressed.fault], nobody);
  const { deviceId, kind } = addressed;
  if (!deviceIdPattern.test(deviceId)) return refused('unreadable', 'is not a device id', addressed, 'deviceId');
  if (!isReportKind(kind)) {
    return refused('unknown-kind', `must be one of ${reportKinds.join(', ')}`, addressed, 'kind');
  }
  if (kind === 'connection' && 'bytes' in addressed && addressed.bytes.length === 0) return { kind: 'nothing' };
  return readBody(message, kind, addressed);
}

function readBody(message: Message, kind: ReportKind, addressed: Addressed): ReadOutcome {
  const { deviceId } = addressed;
  let body: unknown;
  let text: string | null = null;
  if ('body' in addressed) body = addressed.body;
  else {
    const parsed = parseJson(addressed.bytes);
    if ('fault' in parsed) {
      const { fault, syntax } = parsed;
      if (syntax === null) return refusedWith('wrong-shape', [fault], addressed);
      return refused('unreadable', `${fault.detail}: ${syntax.slice(0, 200)}`, addressed);
    }
    ({ value: body, text } = parsed);
  }
  if (nestsDeeperThan(body, maxDepth)) return refused('wrong-shape', `nests deeper than ${maxDepth} levels`, addressed);
  const foreign = foreignMember(body, deviceId);
  if (foreign) return refused('foreign-device', 'names another device than the topic', addressed, foreign);
  const { good, faults } =
    kind === 'status' ? soundSections(body) : { good: body, faults: faultsOf(bodySchemas[kind], body) };
  if (faults.length > 0 && (good === body || good === null)) return refusedWith('wrong-shape', faults, addressed);
  const strange = kind === 'status' ? strangeMembers(body as object) : [];
  if (strange.length > 0) {
    return refused('wrong-shape', `holds no member of a status report: ${strange.slice(0, 10).join(', ')}`, addressed);
  }
  const report = {
    deviceId,
    kind,
    receivedAt: toInstant(message.publishTime),
    messageId: message.messageId,
    body: good,
    ...(text === null ? {} : { text }),
    ...(addressed.isLeftover ? { isLeftover: true } : {}),
    ...(faults.length > 0 ? { faults } : {}),
  } as Report;
  return { kind: 'report', report };
}

/** A status report without the sections that do not fit, each of which is judged by itself; `good` null where it is no object at all. */
function soundSections(body: unknown): { good: object | null; faults: Fault[] } {
  const faults: Fault[] = [];
  let good = body;
  // Once more after each loss: the list of faults is cut where one section has many.
  for (let found = faultsOf('StatusReport', good); found.length > 0; found = faultsOf('StatusReport', good)) {
    const bad = new Set(found.map(({ pointer }) => pointer.split('/')[1] ?? ''));
    faults.push(...found);
    if (bad.has('') || typeof good !== 'object' || good === null) return { good: null, faults };
    good = Object.fromEntries(Object.entries(good).filter(([member]) => !bad.has(member)));
  }
  return { good: good as object, faults };
}

/** All members of a status report that has not one of those that it may have. */
function strangeMembers(body: object): string[] {
  const names = Object.keys(body);
  return names.some((name) => name in reportSchemas.status.properties) ? [] : names;
}

function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => nestsDeeperThan(item, levels - 1));
}

/** A payload may repeat its device's identity, but not claim another's. */
function foreignMember(body: unknown, deviceId: string): string | null {
  const { deviceId: claimed, device } = (body ?? {}) as { deviceId?: unknown; device?: { id?: unknown } | null };
  if (claimed !== undefined && claimed !== deviceId) return '/deviceId';
  const id = device?.id;
  return id !== undefined && id !== deviceId ? '/device/id' : null;
}

function isReportKind(kind: string): kind is ReportKind {
  return (reportKinds as readonly string[]).includes(kind);
}

type Origin = { deviceId: string | null; kind: string | null; isLeftover?: boolean };
const nobody: Origin = { deviceId: null, kind: null };

function refused(reason: Refusal['reason'], detail: string, from: Origin, pointer = ''): ReadOutcome {
  return refusedWith(reason, [{ pointer, detail }], from);
}

function refusedWith(reason: Refusal['reason'], errors: Fault[], from: Origin): ReadOutcome {
  const { deviceId, kind } = from;
  const isAlive = deviceId !== null && deviceIdPattern.test(deviceId) && showsLife(kind) && !from.isLeftover;
  return { kind: 'refused', refusal: { reason, errors, deviceId, kind, seen: isAlive ? deviceId : null } };
}

/** What only a device that lives sends, whether or not it can be read. A guardian is another process, a last will the broker's word. */
function showsLife(kind: string | null): boolean {
  return kind === 'status' || kind === 'event' || kind === 'detection';
}
