import type { Findings, Kept } from './records.ts';
import type { Run } from './simulation.ts';

type Entry = Kept['audit'][number];
type Alert = Kept['alerts'][number];

/** The changes of status that each action may cause according to the design. This deliberately repeats the table of the service. */
const table: Record<string, [from: string | null, to: string][]> = {
  open: [
    [null, 'active'],
    [null, 'resolved'],
  ],
  acknowledge: [
    ['active', 'acknowledged'],
    ['escalated', 'acknowledged'],
  ],
  snooze: [['active', 'active']],
  'snooze-end': [['active', 'active']],
  // Each further step of the policy escalates it again.
  escalate: [
    ['active', 'escalated'],
    ['escalated', 'escalated'],
  ],
  remind: [['escalated', 'escalated']],
  'add-note': [['acknowledged', 'acknowledged']],
  resolve: [
    ['active', 'resolved'],
    ['acknowledged', 'resolved'],
    ['escalated', 'resolved'],
  ],
  end: [
    ['active', 'resolved'],
    ['acknowledged', 'resolved'],
    ['escalated', 'resolved'],
  ],
  reopen: [['resolved', 'active']],
  // Back to the status in which its condition ended.
  return: [
    ['resolved', 'active'],
    ['resolved', 'acknowledged'],
    ['resolved', 'escalated'],
  ],
  see: [
    ['active', 'active'],
    ['acknowledged', 'acknowledged'],
    ['escalated', 'escalated'],
  ],
  worsen: [
    ['active', 'active'],
    ['acknowledged', 'acknowledged'],
    ['escalated', 'escalated'],
    ['resolved', 'active'],
  ],
  announce: [
    ['active', 'active'],
    ['acknowledged', 'acknowledged'],
    ['escalated', 'escalated'],
  ],
  // The end of the quiet hours.
  'quiet-end': [
    ['active', 'active'],
    ['escalated', 'escalated'],
  ],
  'announce-taken': [['acknowledged', 'acknowledged']],
  // Joining and leaving an incident; after leaving it the alert is active again.
  join: [
    ['active', 'active'],
    ['acknowledged', 'acknowledged'],
    ['escalated', 'escalated'],
  ],
  leave: [
    ['active', 'active'],
    ['acknowledged', 'acknowledged'],
    ['escalated', 'active'],
  ],
};

const begins = new Set(['open', 'return', 'reopen']);
const ends = new Set(['resolve', 'end']);

/** A period in which an alert was open: the entries of its trail that began and ended it. */
export type Span = { alertId: string; begin: Entry; end: Entry | null };

/** Trails by alert, and for each device and code the periods with an open alert, in order. */
export type Trails = { byAlert: Map<string, Entry[]>; spans: Map<string, Span[]> };

export function readTrails({ alerts, audit }: Kept): Trails {
  const byAlert = Map.groupBy(audit, ({ alertId }) => alertId);
  for (const entries of byAlert.values()) entries.sort((a, b) => (a.entryId < b.entryId ? -1 : 1));
  const spans = new Map<string, Span[]>();
  for (const { alertId, deviceId, code, severity } of alerts) {
    if (severity === 'INFO') continue;
    const key = `${deviceId} ${code}`;
    const list = spans.get(key) ?? [];
    spans.set(key, list);
    let begin: Entry | null = null;
    for (const entry of byAlert.get(alertId) ?? []) {
      if (begins.has(entry.action) || (entry.action === 'worsen' && entry.from === 'resolved')) begin = entry;
      if (ends.has(entry.action) && begin) {
        list.push({ alertId, begin, end: entry });
        begin = null;
      }
    }
    if (begin) list.push({ alertId, begin, end: null });
  }
  for (const list of spans.values()) list.sort((a, b) => (a.begin.recordedAt < b.begin.recordedAt ? -1 : 1));
  return { byAlert, spans };
}

/** Every trail is complete, follows the table, and ends in the alert's present state. No device has two open alerts of one code. */
export function checkTrails(findings: Findings, run: Run, kept: Kept, { byAlert, spans }: Trails): void {
  const known = new Set(kept.alerts.map(({ alertId }) => alertId));
  for (const alertId of byAlert.keys()) if (!known.has(alertId)) findings.wrong.push(`a trail of no alert ${alertId}`);
  for (const alert of kept.alerts) {
    const entries = byAlert.get(alert.alertId) ?? [];
    checkTrail(findings, alert, entries);
    checkClocks(findings, run, alert, entries);
    checkHeld(findings, run, alert, kept);
  }
  for (const [key, list] of spans) {
    for (const [index, span] of list.entries()) {
      const next = list[index + 1];
      if (next && (span.end === null || span.end.recordedAt > next.begin.recordedAt)) {
        findings.doubled.push(`${key} is open twice at ${next.begin.recordedAt}: ${span.alertId}, ${next.alertId}`);
      }
    }
  }
}

function checkTrail(findings: Findings, alert: Alert, entries: Entry[]): void {
  const name = `${alert.deviceId} ${alert.code} ${alert.alertId}`;
  let status: string | null = null;
  for (const [index, { action, from, to, entryId }] of entries.entries()) {
    if (Number(entryId.slice(-6)) !== index + 1) findings.lost.push(`${name}: entry ${index + 1} of its trail`);
    if (from !== status) findings.wrong.push(`${name}: ${action} from ${from}, it was ${status}`);
    if (!table[action]?.some(([a, b]) => a === from && b === to)) {
      findings.wrong.push(`${name}: ${action} led from ${from} to ${to}`);
    }
    status = to;
  }
  if (alert.status !== status) findings.wrong.push(`${name}: is ${alert.status}, its trail says ${status}`);
  const isResolved = status === 'resolved';
  if (alert.resolved !== isResolved || (alert.resolvedAt !== null) !== isResolved) {
    findings.wrong.push(`${name}: resolved ${alert.resolved} at ${alert.resolvedAt}, but ${status}`);
  }
  if (alert.resolvedAt !== null && alert.resolvedAt < alert.timestamp)
    findings.wrong.push(`${name}: ended before it began`);
}

const minute = 60_000;
/** Response times, milliseconds. */
const responses: Record<string, number> = { CRITICAL: 5 * minute, ERROR: 60 * minute, WARNING: 24 * 60 * minute };
/** The delay that late wakes, their retries and the sweep may cause in calm weather. */
const slack = 10 * minute;
const clockStarts = new Set(['open', 'return', 'reopen', 'snooze-end', 'announce']);

/** Every change that time alone causes has happened: ends of snoozes, escalations and reminders. */
function checkClocks(findings: Findings, run: Run, alert: Alert, entries: Entry[]): void {
  const name = `${alert.deviceId} ${alert.code} ${alert.alertId}`;
  const now = run.endedAt;
  if (alert.status === 'resolved') return;
  const { snoozedUntil, severity } = alert;
  if (snoozedUntil !== null && Date.parse(snoozedUntil) < now - slack)
    findings.lost.push(`${name}: the end of its snooze`);
  // A heal has no response time.
  const isClocked = alert.channelsBy !== 'suppressed' && alert.code !== 'CFG_002' && !alert.isMember;
  if (alert.status === 'active' && snoozedUntil === null && isClocked) {
    const start = entries.findLast(({ action }) => clockStarts.has(action));
    const passed = now - Date.parse(start?.recordedAt ?? '');
    if (passed > (responses[severity] ?? Number.POSITIVE_INFINITY) + slack)
      findings.lost.push(`${name}: its escalation`);
  }
  if (alert.status === 'escalated') {
    const since = entries.findLastIndex(({ action }) => action === 'escalate');
    const passed = now - Date.parse(entries[since]?.recordedAt ?? '');
    const reminders = entries.slice(since).filter(({ action }) => action === 'remind').length;
    // Eight reminders in the first four hours, then one every four hours.
    if (reminders > 8 + Math.ceil(passed / (4 * 60 * minute))) findings.doubled.push(`${name}: ${reminders} reminders`);
    // Reminders are half an hour apart, with some slack.
    if (reminders < Math.min(8, Math.floor(passed / (30 * minute + slack))))
      findings.lost.push(`${name}: a reminder: ${reminders} in ${Math.round(passed / minute)} minutes`);
  }
}

/** A notification that was held back must not stay held. The incident of an open member must be open, and must have escalated in time. */
function checkHeld(findings: Findings, run: Run, alert: Alert, { incidents }: Kept): void {
  const name = `${alert.deviceId} ${alert.code} ${alert.alertId}`;
  const before = run.endedAt - slack;
  if (alert.notifyAfter !== null && Date.parse(alert.notifyAfter) < before)
    findings.lost.push(`${name}: its opening, held until ${alert.notifyAfter}`);
  if (alert.status === 'resolved' || !alert.isMember) return;
  const incident = incidents.find(({ incidentId }) => incidentId === alert.incidentId);
  if (!incident) findings.lost.push(`${name}: its incident ${alert.incidentId}`);
  else if (incident.endedAt !== null && Date.parse(incident.endedAt) < before)
    findings.lost.push(`${name}: left by its incident, which is over since ${incident.endedAt}`);
  else if (incident.status === 'active' && incident.respondBy !== null && Date.parse(incident.respondBy) < before)
    findings.lost.push(`${name}: the escalation of its incident`);
}
