import type { Schemas } from '../../sdk/typescript/src/index.ts';
import { explanationLines, reasonOf } from './explanation.ts';

/** An answer to "why": one sentence, and what it follows from. */
export type Answer = { sentence: string; evidence: string[] };

type Device = Schemas['Device'];
type Alert = Schemas['Alert'];
type Incident = Schemas['Incident'];

export type DeviceFacts = {
  device: Device;
  /** What was told of its connection, newest first. */
  presence: readonly Pick<Schemas['ActivityItem'], 'at' | 'summary' | 'detail'>[];
  /** The open alert of its absence. */
  alert: Alert | null;
  /** The open incident that the alert belongs to. */
  incident: Incident | null;
  platform: Schemas['Fleet']['platform'];
};

/** Why a camera is in its state. */
export function whyDevice(facts: DeviceFacts): Answer {
  return { sentence: stateSentence(facts), evidence: deviceEvidence(facts) };
}

function stateSentence(facts: DeviceFacts): string {
  const { device, platform } = facts;
  const { state, registeredAt, lastSeenAt } = device;
  const name = nameOf(device);
  if (state === 'never-seen') return `${name} was registered at ${registeredAt}, and nothing was ever heard of it.`;
  if (state === 'online') return `${name} is online: it was last heard at ${lastSeenAt ?? 'a time that is not known'}.`;
  if (state === 'unknown')
    return `Nobody knows whether ${name} is connected: it is overdue, but the platform itself is ${platform.state}${since(platform.since)}.`;
  return `${lossSentence(facts)}${othersSentence(facts)}`;
}

function lossSentence({ device, presence, alert }: DeviceFacts): string {
  const name = nameOf(device);
  const lost = presence.find(({ detail }) => detail['status'] === 'offline');
  if (alert?.context.cause === 'silent' || (!lost && alert?.context.cause !== 'disconnected'))
    return `${name} is silent${since(device.lastSeenAt)}: no report has come, and nobody said that its connection was lost.`;
  const reason = alert?.context.reason ?? lost?.detail['reason'];
  return `${name} is offline${since(lost?.at ?? device.lastSeenAt)}: its connection was lost${reason ? ` (${reason})` : ''}.`;
}

function othersSentence({ incident }: DeviceFacts): string {
  const others = (incident?.members?.now ?? 0) - 1;
  if (!incident || others < 1) return '';
  const { kind, id, name } = incident.scope;
  return ` So ${others === 1 ? 'is one other' : `are ${others} others`} of ${kind} ${name ?? id}: probably it is ${kind === 'group' ? 'more than' : 'not'} the camera.`;
}

function deviceEvidence({ device, presence, alert, incident, platform }: DeviceFacts): string[] {
  const { lastSeenAt, lastConnectedAt, clockSkewSeconds, guardian, openAlerts, state } = device;
  const others = openAlerts.filter(({ alertId }) => alertId !== alert?.alertId);
  const ways = platform.ways.filter((way) => way.state !== 'sees').map((way) => `${way.name} ${way.state}`);
  return [
    lastSeenAt === null ? 'No report has ever come.' : `Last report: ${lastSeenAt}.`,
    ...(lastConnectedAt === null ? [] : [`Connected last at ${lastConnectedAt}.`]),
    ...presence.slice(0, 3).map(({ at, summary }) => `${at}: ${summary}.`),
    ...(alert ? [`Alert ${alert.alertId} (${alert.code}): ${handsOf(alert)}.`] : []),
    ...(state === 'offline' && !alert
      ? ['No alert is open for it: it is not yet due, or somebody has resolved it.']
      : []),
    ...(incident ? [`Incident ${incident.incidentId}: ${incident.title}. ${incident.evidence.join(' ')}`] : []),
    ...(alert?.maintenance ? [`The maintenance window ${alert.maintenance} keeps it quiet.`] : []),
    ...(ways.length > 0 ? [`The platform does not see by ${ways.join(', ')}.`] : []),
    ...(clockSkewSeconds === null ? [] : [`Its clock is off by ${clockSkewSeconds} s.`]),
    ...(guardian?.status === 'silent' ? ['Its guardian is silent too.'] : []),
    ...(others.length === 0
      ? []
      : [
          `${alert ? 'Also open' : 'Open alerts'}: ${others.map(({ code, alertId }) => `${code} (${alertId})`).join(', ')}.`,
        ]),
    ...(state === 'never-seen'
      ? ['Does its account at the broker exist? watchpost broker-accounts --check FILE.']
      : []),
  ];
}

/** In whose hands something is. */
function handsOf({ acknowledgedBy, acknowledgedAt, team, respondBy, snoozedUntil }: Alert): string {
  if (acknowledgedBy !== null) return `${acknowledgedBy} has it since ${acknowledgedAt}`;
  if (snoozedUntil !== null) return `snoozed until ${snoozedUntil}`;
  if (team !== null) return `escalated to ${team}, nobody has it`;
  return respondBy === null ? 'nobody has it' : `nobody has it, and it escalates at ${respondBy}`;
}

type Explanation = Parameters<typeof explanationLines>[0];

/** Why people were told of an alert or incident, or were not. `what`: what it is, as in "CONN_001 of Gate 2". */
export function whyTold(what: string, seen: string, explanation: Explanation): Answer {
  return { sentence: toldSentence(what, explanation), evidence: [seen, ...explanationLines(explanation)] };
}

function toldSentence(what: string, { notified, notNotified, channelsBy }: Explanation): string {
  const [first] = notified;
  if (first) {
    const targets = new Set(notified.map(({ channel, target }) => `${channel} to ${target}`));
    const others = targets.size - 1;
    const more = others === 0 ? '' : ` and ${others} more`;
    return `People were told of ${what} at ${first.at}, because ${reasonOf(first.because)}: by ${first.channel} to ${first.target}${more}.`;
  }
  if (channelsBy === 'suppressed') return `Nobody was told of ${what}: a rule suppresses it.`;
  const last = notNotified.at(-1);
  const latest = notNotified.filter(({ at, because }) => at === last?.at && because === last.because);
  const details = [...new Set(latest.map(({ detail }) => detail.replace(/\.$/, '')))];
  return `Nobody was told of ${what}${details.length === 0 ? '' : `: ${details.join('; ')}`}.`;
}

export function seenOfAlert({ message, timestamp, severity, occurrences, status }: Alert): string {
  const often = occurrences > 1 ? `, seen ${occurrences} times` : '';
  return `${severity} since ${timestamp}: ${message}${often}. It is ${status}.`;
}

export function seenOfIncident({ title, startedAt, severity, evidence, status }: Incident): string {
  return `${severity} since ${startedAt}: ${title}. ${evidence.join(' ')} It is ${status}.`;
}

function nameOf({ deviceId, name }: Device): string {
  return name === '' || name === deviceId ? deviceId : `${deviceId} (${name})`;
}

function since(at: string | null): string {
  return at === null ? '' : ` since ${at}`;
}
