import { v5 as uuidv5 } from 'uuid';
import type { Report } from '../../schema/device/report.ts';
import type { ActivityKind } from '../../schema/vocabulary.ts';
import { guardianAlertIdOf } from '../guardian/facts.ts';
import { retention } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import type { Absorption } from './absorb.ts';
import type { ActivityCount, Device } from './device.ts';

/** One entry in the activity of a device. It never changes, and the same event gives the same entry. */
export type ActivityEntry = {
  entryId: string;
  deviceId: string;
  groupId: string;
  at: Instant;
  kind: ActivityKind;
  /** A token's subject, `device` or `system`. */
  who: string;
  summary: string;
  detail: Record<string, string | number | string[] | null>;
  expireAt: Instant;
};

/** Activity entries that a device may write in one day. The limit applies to what is stored, never to what is decided. */
const mostOfDay = 200;

/**
 * The entries to store: this one; after the last one allowed on a day, an entry that says so; then none. An entry that goes with a change of an alert
 * is always stored.
 */
export function withinBudget(
  entry: ActivityEntry,
  before: ActivityCount | null,
  isTelling: boolean,
): { activity: ActivityEntry[]; count: ActivityCount | null } {
  if (isTelling) return { activity: [entry], count: before };
  const day = entry.at.slice(0, 10);
  // A late entry counts towards the day that is being counted.
  const count = before && before.day >= day ? before.count : 0;
  if (count > mostOfDay) return { activity: [], count: before };
  const next = { day: count > 0 && before ? before.day : day, count: count + 1 };
  if (count < mostOfDay) return { activity: [entry], count: next };
  const last = activityEntry(entry, entry.at, next.day, {
    kind: 'more-not-kept',
    who: 'system',
    summary: `More than ${mostOfDay} lines on ${next.day}: no more are kept of that day, but those that go with alerts`,
    detail: {},
  });
  return { activity: [last], count: next };
}

/** The entry that says how many messages of a sort were only counted. @param sort as a person may read it: `status`, or the type of an event */
export function moreOf(device: Device, { receivedAt, messageId }: Report, sort: string, more: number): ActivityEntry {
  return activityEntry(device, receivedAt, `more ${sort} ${messageId}`, {
    kind: 'more-not-kept',
    who: 'system',
    summary: `${more} more changes of text in the last minute (${sort}): they were counted, and the last one is kept`,
    detail: { sort, more },
  });
}

type ActivityContent = Pick<ActivityEntry, 'kind' | 'who' | 'summary' | 'detail'>;

/** Namespace of activity ids. */
const activityNamespace = '3d0f7d54-52a6-5b0c-9a57-60c1f2f4a7d1';

/** @param causeId identifies the cause, so that the same cause gives the same entry */
export function activityEntry(
  { deviceId, groupId }: { deviceId: string; groupId: string },
  at: Instant,
  causeId: string,
  happening: ActivityContent,
): ActivityEntry {
  const entryId = uuidv5(JSON.stringify([deviceId, happening.kind, causeId]), activityNamespace);
  return { ...happening, entryId, deviceId, groupId, at, expireAt: plus(at, retention.activity) };
}

/** The activity entry for a report. Null for a report that only repeats or measures. */
export function activityOf(
  report: Report,
  { device, fresh, isStale, isRepeat }: Absorption,
  causeId: string,
): ActivityEntry | null {
  if (isRepeat) return null;
  const happening = happeningOf(report, fresh.length > 0, isStale);
  return happening && activityEntry(device, report.receivedAt, causeId, happening);
}

function happeningOf(report: Report, isFresh: boolean, isStale: boolean): ActivityContent | null {
  switch (report.kind) {
    case 'status': {
      if (!isStale) return null;
      const { timestamp = null, bootId = null, seq = null } = report.body;
      return {
        kind: 'stale-report',
        who: 'device',
        summary: 'A status report came behind a newer one',
        detail: { timestamp, bootId, seq, messageId: report.messageId },
      };
    }
    case 'connection': {
      if (!isFresh) return null;
      const { status, connectedAt = null, reason = null } = report.body;
      const summary = status === 'online' ? 'Connected' : withReason('Disconnected', reason);
      return { kind: 'presence', who: 'device', summary, detail: { status, connectedAt, reason } };
    }
    case 'event': {
      const { type, timestamp, reason = null, expectedHost = null, attemptedHost = null } = report.body;
      const summary = withReason(`Event ${type}`, reason);
      return {
        kind: 'event',
        who: 'device',
        summary,
        detail: { type, timestamp, reason, expectedHost, attemptedHost },
      };
    }
    case 'guardian':
      return guardianHappening(report);
    case 'guardian-health': {
      if (!isFresh) return null;
      const { status, goldenGeneration, reason = null } = report.body;
      const summary = withReason(`Guardian: ${status}`, reason);
      return { kind: 'guardian-health', who: 'device', summary, detail: { status, goldenGeneration, reason } };
    }
    case 'detection':
      return null;
    default:
      return report satisfies never;
  }
}

function withReason(summary: string, reason: string | null): string {
  return reason ? `${summary}: ${reason}` : summary;
}

function guardianHappening({ deviceId, body }: Report<'guardian'>): ActivityContent {
  const guardianAlertId = guardianAlertIdOf(deviceId, body);
  const { alertCode, severity, timestamp } = body;
  const detail = { guardianAlertId, alertCode, severity, timestamp };
  switch (body.alertCode) {
    case 'CONFIG_DRIFT': {
      const fields = body.drift.fields.map(({ name }) => name);
      const summary = `Configuration drift (${body.drift.maxSeverity}): ${fields.slice(0, 5).join(', ')}`;
      return { kind: 'guardian-alert', who: 'device', summary, detail: { ...detail, fields } };
    }
    case 'CONFIG_HEALED': {
      const { fieldsRestored: fields, durationMs } = body.heal;
      const summary = `Configuration healed in ${durationMs} ms: ${fields.slice(0, 5).join(', ')}`;
      return { kind: 'guardian-alert', who: 'device', summary, detail: { ...detail, fields, durationMs } };
    }
    case 'CONFIG_CONFLICT': {
      const { driftCount, window, lastDrift } = body.conflict;
      const summary = `Configuration conflict: ${driftCount} drifts within ${window}, the last of ${lastDrift.field}`;
      return { kind: 'guardian-alert', who: 'device', summary, detail: { ...detail, driftCount, window } };
    }
    default:
      return body satisfies never;
  }
}
