import type { EventReport, Report, StatusReport } from '../../schema/device/report.ts';
import { type MeasureName, measureNames } from '../../schema/vocabulary.ts';
import { guardianAlertIdOf, withGuardianAlert, withGuardianEvent } from '../guardian/facts.ts';
import { withHealth } from '../guardian/trust.ts';
import type { Waits } from '../limits.ts';
import { withFailures } from './auth-failures.ts';
import { withDescription } from './description.ts';
import type { Device } from './device.ts';
import {
  compareStamps,
  firstCopy,
  isClockStep,
  readingOf,
  rebased,
  type Stamp,
  stampOf,
  withoutDeviceTime,
  withReading,
} from './measure.ts';
import { withConnection } from './presence.ts';
import { type BrokerAttempt, withAttempt, withCertificate, withEvent, withFailedValidation } from './security-facts.ts';
import { withSighting } from './sighting.ts';

/** The kinds of facts that a report can contribute. A report that carries a fact is a new sighting of the conditions that depend on it. */
export type FactName =
  | MeasureName
  | 'presence'
  | 'certificate'
  | 'failures'
  | 'attempt'
  | 'drift'
  | 'heal'
  | 'conflict'
  | 'guardian-health';

/**
 * The result of adding a report: the device, the facts that are new, whether a newer report of its kind was known, and whether it is an event that
 * was known.
 */
export type Absorption = { device: Device; fresh: FactName[]; isStale: boolean; isRepeat?: boolean };

/** Adds the facts of a report to those of the device. Reports in any order, and any number of copies, give the same facts. */
export function absorb(device: Device, report: Report, waits: Waits): Absorption {
  const seen = withSighting(device, report);
  switch (report.kind) {
    case 'status':
      return absorbStatus(seen, report, waits);
    case 'connection': {
      const presence = withConnection(seen.presence, report.receivedAt, report.body, report.heardAt);
      const isFresh = presence !== seen.presence && JSON.stringify(presence) !== JSON.stringify(seen.presence);
      return { device: { ...seen, presence }, fresh: isFresh ? ['presence'] : [], isStale: false };
    }
    case 'event':
      return absorbEvent(seen, report, waits);
    case 'guardian':
      return absorbGuardian(seen, report, waits);
    case 'guardian-health':
      return absorbHealth(device, report, waits);
    case 'detection':
      return { device: seen, fresh: [], isStale: false };
    default:
      return report satisfies never;
  }
}

function absorbStatus(device: Device, report: Report<'status'>, waits: Waits): Absorption {
  const { body } = report;
  const stamp = stampOf(report);
  const newest = device.newest.status ?? null;
  const order = newest ? compareStamps(newest, stamp) : -1;
  if (newest && order > 0 && device.lastLate && isClockStep(newest, device.lastLate, stamp)) {
    return absorbStatus(withClockReset(device, newest), report, waits);
  }
  const described = withDescription(device, body, stamp, newest);
  const isStale = order > 0;
  const measured = withMeasures(described, body, stamp);
  const certificate = body.certificate
    ? withCertificate(device.certificate, body.certificate, stamp)
    : device.certificate;
  const authFailures = body.auth ? withFailures(device.authFailures, body.auth, stamp, waits) : null;
  return {
    device: {
      ...measured.device,
      certificate,
      authFailures: authFailures ?? device.authFailures,
      newest: { ...device.newest, status: newestOf(newest, stamp) },
      lastLate: isStale ? stamp : device.lastLate,
    },
    fresh: [
      ...measured.fresh,
      ...(certificate.validity?.stamp === stamp || certificate.expiry?.stamp === stamp ? ['certificate' as const] : []),
      ...(authFailures ? ['failures' as const] : []),
    ],
    isStale,
  };
}

/** The newer of two stamps; of copies of one report, the first. */
function newestOf(known: Stamp | null, stamp: Stamp): Stamp {
  const order = known ? compareStamps(known, stamp) : -1;
  if (!known || order < 0) return stamp;
  return order > 0 ? known : firstCopy(known, stamp);
}

function withMeasures(device: Device, body: StatusReport, stamp: Stamp): { device: Device; fresh: MeasureName[] } {
  const measures = { ...device.measures };
  const fresh: MeasureName[] = [];
  for (const name of measureNames) {
    const value = readingOf(body, name);
    if (value === undefined) continue;
    const next = withReading(name, measures[name], { ...stamp, value }, device.limits);
    if (!next) continue;
    measures[name] = next;
    fresh.push(name);
  }
  return { device: { ...device, measures }, fresh };
}

function absorbEvent(before: Device, report: Report<'event'>, waits: Waits): Absorption {
  const events = withEvent(before.events, report.body, report.receivedAt);
  if (events === null) return { device: before, fresh: [], isStale: false, isRepeat: true };
  const device = { ...before, events };
  const stamp = stampOf(report);
  switch (report.body.type) {
    case 'certificate_validation_failed': {
      const certificate = withFailedValidation(device.certificate, report.body.reason ?? null, stamp);
      const isFresh = certificate.validity?.stamp === stamp;
      return { device: { ...device, certificate }, fresh: isFresh ? ['certificate'] : [], isStale: false };
    }
    case 'unauthorized_broker_attempt':
      return absorbAttempt(device, attemptOf(report.body, eventIdOf(report), report.receivedAt));
    default: {
      const { body, receivedAt } = report;
      const guardian = withGuardianEvent(device.guardian, body, eventIdOf(report), receivedAt, waits);
      return guardian
        ? { device: { ...device, guardian }, fresh: ['drift'], isStale: false }
        : { device, fresh: [], isStale: false };
    }
  }
}

/** Identifies an event by its content and its time of arrival. */
export function eventIdOf({ body, receivedAt }: Report<'event'>): string {
  return `${receivedAt} ${JSON.stringify(body)}`;
}

function attemptOf(body: EventReport, key: string, at: string): BrokerAttempt {
  const { expectedHost = null, attemptedHost = null, reason = null } = body;
  return { key, at, expectedHost, attemptedHost, reason };
}

function absorbAttempt(device: Device, attempt: BrokerAttempt): Absorption {
  const attempts = device.settledAttempts.includes(attempt.key) ? null : withAttempt(device.attempts, attempt);
  return attempts
    ? { device: { ...device, attempts }, fresh: ['attempt'], isStale: false }
    : { device, fresh: [], isStale: false };
}

const guardianFactNames = { CONFIG_DRIFT: 'drift', CONFIG_HEALED: 'heal', CONFIG_CONFLICT: 'conflict' } as const;

/** Adds a guardian's report. A drift of the broker's host is also an attempt to take over the camera. */
function absorbGuardian(device: Device, { body, receivedAt, envelope }: Report<'guardian'>, waits: Waits): Absorption {
  const key = guardianAlertIdOf(device.deviceId, body);
  const guardian = withGuardianAlert(
    device.guardian,
    body,
    { guardianAlertId: key, receivedAt, isSigned: envelope !== undefined },
    waits,
  );
  if (!guardian) return { device, fresh: [], isStale: false };
  const host = body.alertCode === 'CONFIG_DRIFT' ? body.drift.fields.find(({ name }) => name === 'broker.host') : null;
  const next = { ...device, guardian };
  const fresh = guardianFactNames[body.alertCode];
  if (!host) return { device: next, fresh: [fresh], isStale: false };
  const reason = 'configuration drift of broker.host';
  const [expectedHost, attemptedHost] = [hostText(host.expected), hostText(host.actual)];
  const attempted = absorbAttempt(next, { key, at: receivedAt, expectedHost, attemptedHost, reason });
  return { ...attempted, fresh: [fresh, ...attempted.fresh] };
}

/** Adds a health message of a guardian. The guardian is another process than the camera, so this shows nothing about whether the camera is alive. */
function absorbHealth(device: Device, report: Report<'guardian-health'>, waits: Waits): Absorption {
  const { guardianTrust } = device;
  if (!guardianTrust) return { device, fresh: [], isStale: false };
  const next = withHealth(guardianTrust, report, waits);
  const isNews = next.health?.status !== (guardianTrust.health?.status ?? 'ok');
  return { device: { ...device, guardianTrust: next }, fresh: isNews ? ['guardian-health'] : [], isStale: false };
}

function hostText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 256);
}

function withClockReset(device: Device, newest: Stamp): Device {
  const measures = Object.fromEntries(
    Object.entries(device.measures).map(([name, measure]) => [
      name,
      rebased(name as MeasureName, measure, device.limits),
    ]),
  );
  const statedBy = Object.fromEntries(
    Object.entries(device.statedBy).map(([member, by]) => [member, withoutDeviceTime(by ?? newest)]),
  );
  const { validity, expiry } = device.certificate;
  const certificate = {
    validity: validity && { ...validity, stamp: withoutDeviceTime(validity.stamp) },
    expiry: expiry && { ...expiry, stamp: withoutDeviceTime(expiry.stamp) },
  };
  const { status: _, ...others } = device.newest;
  return { ...device, measures, statedBy, certificate, newest: others, lastLate: null };
}
