import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import type { Occasion, Severity } from '../../schema/vocabulary.ts';
import type { AlertRecord, Life } from '../alert/alert.ts';
import { titleOf } from '../alert/catalogue.ts';
import { actorName } from '../alert/change.ts';
import { isOfIncident } from '../alert/resumed.ts';
import type { GuardianAlertRecord } from '../guardian/guarding.ts';
import type { IncidentRecord } from '../incident/incident.ts';
import type { NextStep } from '../settings/escalation.ts';
import { spellClock } from '../settings/local-time.ts';
import { operationsTeam } from '../settings/settings.ts';
import { type Instant, msBetween, spell } from '../time.ts';
import { troubleOf } from './phrases.ts';

/** The content of a message before a channel formats it. Texts are plain; each channel escapes them. */
export type MessageContent = {
  severity: Severity | null;
  /** The priority that a rule gave the alert. */
  priority: string | null;
  title: string;
  lines: string[];
  links: { text: string; url: string }[];
  /** Parts of a text message, the most important first. Parts that do not fit are dropped from the end. */
  short: string[];
};

/** What surrounds the content of a message. `link`: its address in the console; `coming`: the next step if nobody acknowledges. */
export type MessageContext = { now: Instant; timeZone: string; link: string; coming?: NextStep | null };

/** The place and the name of a camera; the id only if it has no name. */
export function placeAndName(alert: {
  groupId: string;
  deviceId: string;
  deviceName?: string | null;
  site?: string | null;
}): string {
  return `${alert.site ?? alert.groupId} / ${alert.deviceName ?? alert.deviceId}`;
}

/** The message about one alert in its present state. An alert that is over shows no value. */
export function alertContent(alert: AlertRecord, occasion: Occasion, writing: MessageContext): MessageContent {
  const title = titleOf(alert.code);
  const id = alert.deviceName ? `Camera ${alert.deviceId}, ${alert.code} ${title}` : `${alert.code} ${title}`;
  // A loss is declared minutes after it began, so that its alert does not say when its camera was dark first.
  const began = { beganAt: beganAt(alert), firstAt: alert.lostAt === null ? alert.timestamp : null };
  const about = { where: placeAndName(alert), what: troubleOf(alert.code), ...began };
  const news = newsOf(alert, occasion, about, writing);
  const values = occasion === 'resolved' || isComing(alert) ? [] : [alert.message];
  return contentOf(
    alert,
    occasion,
    {
      ...news,
      values,
      details: [
        ...(values.length > 0 ? coarseLine(alert.context.lastConnected, alert.context.lastReportBy, writing) : []),
        id,
      ],
    },
    { text: 'Open the alert', url: writing.link },
  );
}

/** The beginning as people see it: a camera is offline since its last sign of life, while its alert begins only after the allowed time. */
function beganAt({ code, timestamp, context, occurrences }: AlertRecord): Instant {
  const { lastConnected = timestamp } = context;
  const isKnown = code === 'CONN_001' && (lastConnected < timestamp || occurrences > 1);
  return isKnown ? lastConnected : timestamp;
}

/** A camera that comes and goes may be back at any moment, so that nothing of it is said of the present. */
function isComing({ flapping, lostAt }: AlertRecord): boolean {
  return flapping && lostAt !== null;
}

/** The beginning of an incident as people see it: an outage that has returned began when it was dark again, one that comes and goes when it first was. */
function darkSince({ timestamp, flapping, outage }: IncidentRecord): Instant {
  return flapping ? timestamp : (outage?.spells.at(-1)?.darkAt ?? timestamp);
}

/** The message about an incident in its present state. */
export function incidentContent(incident: IncidentRecord, occasion: Occasion, writing: MessageContext): MessageContent {
  const { title: where, timestamp: firstAt } = incident;
  const news = newsOf(incident, occasion, { where, what: '', beganAt: darkSince(incident), firstAt }, writing);
  const link = { text: 'Open the incident', url: writing.link };
  // The evidence describes the time before the end.
  const { darkAt, lastReportBy } = incident.outage?.spells.at(-1) ?? {};
  const evidence =
    occasion === 'resolved' || occasion === 'joined'
      ? []
      : [...coarseLine(darkAt, lastReportBy, writing), ...incident.evidence.slice(0, 5)];
  return contentOf(incident, occasion, { ...news, values: [incident.message], details: evidence }, link);
}

/** Between which times the last report came, where sightings are too coarse to say it in one. */
function coarseLine(
  from: Instant | undefined,
  to: Instant | null | undefined,
  { now, timeZone }: MessageContext,
): string[] {
  if (!from || !to) return [];
  return [`Last report ${spellClock(from, now, timeZone)} to ${spellClock(to, now, timeZone)}.`];
}

type News = { title: string; lines: string[] };

/** An escalation begins with the fact that nobody acknowledged, a person's closing with what he said, every other message with the problem. */
function contentOf(
  { severity, priority, resolution }: Life,
  occasion: Occasion,
  { title, lines, values, details }: News & { values: string[]; details: string[] },
  link: MessageContent['links'][number],
): MessageContent {
  const isUrging = occasion === 'escalated' || occasion === 'reminded';
  const isClosed = occasion === 'resolved' && resolution === 'manual';
  const said = isUrging || isClosed ? [...lines, ...values] : [...values, ...lines];
  return { severity, priority, title, lines: [...said, ...details], links: [link], short: [title, ...said] };
}

/** Openings, escalations, reminders and ends always have different texts. Each begins with the place. */
function newsOf(
  life: Life,
  occasion: Occasion,
  about: { where: string; what: string; beganAt: Instant; firstAt: Instant | null },
  { now, timeZone, coming }: MessageContext,
): News {
  const clock = (at: Instant) => spellClock(at, now, timeZone);
  const { where, what } = about;
  const isComingAndGoing = life.flapping && (about.firstAt === null || what === '');
  const latest = `${what} since ${clock(about.beganAt)}`.trim();
  const since = isComingAndGoing ? 'comes and goes' : latest;
  const to = life.step?.to ?? life.team ?? operationsTeam;
  const who = life.acknowledgedBy ? actorName(life.acknowledgedBy) : 'somebody';
  switch (occasion) {
    case 'opened':
      return { title: `${where} ${since}`, lines: holderOf(life, clock) };
    case 'reopened':
      return {
        title: `${where} ${what} again${againSince(about, clock)}`.replace('  ', ' '),
        lines: holderOf(life, clock),
      };
    case 'worsened':
      return { title: `${where}: worse, ${since}`, lines: holderOf(life, clock) };
    case 'updated':
      return { title: `${where}: wider than reported before, ${since}`, lines: holderOf(life, clock) };
    case 'recovering':
      return { title: `${where}: partly back, ${since}`, lines: holderOf(life, clock) };
    case 'flapping':
      return { title: `${where}: comes and goes, ${latest}`, lines: holderOf(life, clock) };
    case 'snooze-ended':
      return { title: `${where}: snooze ended, ${since}`, lines: holderOf(life, clock) };
    case 'maintenance-ended':
      return { title: `${where}: open after maintenance, ${since}`, lines: holderOf(life, clock) };
    case 'escalated':
      return {
        title: `${where}: escalated to ${to}${stepOf(life)}, ${since}`,
        lines: [...silenceOf(life, now, clock), ...(coming ? [`Next: ${coming.to} at ${clock(coming.at)}.`] : [])],
      };
    case 'reminded':
      return {
        title: `${where}: ${reminderOf(life)} to ${to}, ${since}`,
        lines: silenceOf(life, now, clock),
      };
    case 'acknowledged':
      return { title: `${where}: ${who} has it, ${since}`, lines: holderOf(life, clock) };
    case 'resolved':
      if (isGone(life)) return { title: `${where}: ${goneOf(life, what)}`, lines: [] };
      if (life.closing && life.resolution === 'manual')
        return {
          title: `${where}: closed ${closerOf(life.closing)}, ${latest}`,
          lines: closingOf(life.closing, life),
        };
      return { title: `${where}: over, ${overOf(life, about, clock)}`, lines: [endOf(life)] };
    case 'joined':
      return { title: `${where}: part of a wider outage`, lines: [] };
    default:
      return occasion satisfies never;
  }
}

/** Whether it ended because its cameras were moved or deleted, so that nothing is over. */
export function isGone({ resolution }: Pick<Life, 'resolution'>): boolean {
  return resolution === 'moved' || resolution === 'deleted';
}

/** What became of it. Of an outage, its own words say who did it. */
function goneOf({ resolution, leftBy }: Life, what: string): string {
  if (leftBy === undefined) return `${resolution}, still dark`;
  return `${resolution} by ${actorName(leftBy)}, ${what === 'offline' ? 'still dark when it left' : `${what} until it left`}`;
}

/** How long it lasted. What came and went has no one span, and its end is that of a quiet time. */
function overOf(
  life: Life,
  { what, beganAt: from, firstAt }: { what: string; beganAt: Instant; firstAt: Instant | null },
  clock: (at: Instant) => string,
): string {
  if (life.flapping) return firstAt === null || what === '' ? 'came and went' : `came and went since ${clock(firstAt)}`;
  return `${what} ${spanOf(from, life, clock)}`.trim();
}

/** Since when it is there again, and when it was first, as far as that is known. */
function againSince(
  { beganAt, firstAt }: { beganAt: Instant; firstAt: Instant | null },
  clock: (at: Instant) => string,
): string {
  if (firstAt === null) return ` since ${clock(beganAt)}`;
  const since = beganAt > firstAt ? ` since ${clock(beganAt)}` : '';
  return `${since}, first at ${clock(firstAt)}`;
}

function holderOf(
  { status, acknowledgedBy, acknowledgedAt, respondBy }: Life,
  clock: (at: Instant) => string,
): string[] {
  if (status === 'acknowledged' && acknowledgedAt)
    return [`${actorName(acknowledgedBy ?? '')} has it since ${clock(acknowledgedAt)}.`];
  return respondBy ? [`Nobody has it yet. It is escalated at ${clock(respondBy)}.`] : [];
}

function stepOf({ step }: Life): string {
  return step && step.of > 1 ? ` (step ${step.number} of ${step.of})` : '';
}

/** How long nobody has answered: since people were told. An escalation may be the first that anybody hears; where a rule escalates at once, it says nothing. */
function silenceOf(
  { toldAt, escalatedAt, quietUntil = null, escalation, step, reminders }: Life,
  now: Instant,
  clock: (at: Instant) => string,
): string[] {
  const isFirstStep = (step?.number ?? 1) === 1 && reminders === 0;
  if (toldAt === null || (isFirstStep && escalatedAt !== null && toldAt >= escalatedAt)) {
    if (quietUntil !== null) return [`Nobody was told (quiet hours until ${clock(quietUntil)}).`];
    return escalation === null ? ['Nobody was told (no contact).'] : [];
  }
  const ms = msBetween(toldAt, now);
  return ms < leastSilenceMs ? [] : [`Nobody has answered for ${spell(ms)}.`];
}

/** A shorter silence is not worth a word. */
const leastSilenceMs = 60_000;

/** The number of a reminder and the total in the first four hours. Later reminders are less frequent and have no total. */
function reminderOf({ reminders, step }: Life): string {
  const number = Math.max(1, reminders);
  const of = step?.reminders ?? 0;
  return number <= of ? `reminder ${number} of ${of}` : `reminder ${number}`;
}

function spanOf(beganAt: Instant, { timestamp, resolvedAt }: Life, clock: (at: Instant) => string): string {
  const end = resolvedAt ?? timestamp;
  return `from ${clock(beganAt)} to ${clock(end)} (${spell(msBetween(beganAt, end))})`;
}

function closerOf({ by }: NonNullable<Life['closing']>): string {
  return isOfIncident(by) ? 'with its incident' : `by ${actorName(by)}`;
}

/** What a person said who resolved it, and who had it before. Whether it is over, nobody knows. */
function closingOf({ by, comment }: NonNullable<Life['closing']>, { acknowledgedBy }: Life): string[] {
  const said = comment ? [`"${comment}".`] : [];
  return acknowledgedBy && acknowledgedBy !== by ? [...said, `${actorName(acknowledgedBy)} had it.`] : said;
}

function endOf({ resolution, acknowledgedBy }: Life): string {
  // Who has an incident is named by its own messages.
  const by = acknowledgedBy && !isOfIncident(acknowledgedBy) ? ` ${actorName(acknowledgedBy)} had it.` : '';
  return resolution === 'superseded' ? `Something else took its place.${by}` : `It ended by itself.${by}`;
}

type GuardianCode = GuardianAlert['alertCode'];

/** Guardian alerts in a few words, with the contract's severity. */
export const guardianTitles: Record<GuardianCode, { title: string; severity: Severity }> = {
  CONFIG_DRIFT: { title: 'Configuration drift', severity: 'WARNING' },
  CONFIG_HEALED: { title: 'Configuration healed', severity: 'INFO' },
  CONFIG_CONFLICT: { title: 'Configuration conflict', severity: 'CRITICAL' },
};

/** The mail about one alert of a guardian. */
export function guardianContent(
  { alertCode, deviceId, groupId, madeAt }: GuardianAlertRecord,
  { fields = [], remark = null }: { fields?: readonly string[] | undefined; remark?: string | null | undefined },
  { now, timeZone, link }: MessageContext,
): MessageContent {
  const { title: what, severity } = guardianTitles[alertCode];
  const title = `${groupId} / ${deviceId}: ${what}${remark ? ` (${remark})` : ''} at ${spellClock(madeAt, now, timeZone)}`;
  return {
    severity,
    priority: null,
    title,
    lines: [
      `The guardian of camera ${deviceId} says ${alertCode}.`,
      ...(fields.length > 0 ? [`Fields: ${fields.slice(0, 20).join(', ')}`] : []),
    ],
    links: [{ text: 'Open the camera', url: link }],
    short: [title],
  };
}

/** A message about the platform itself. */
export function noticeContent(text: string, consoleUrl: string, team = operationsTeam): MessageContent {
  const title = `Watchpost: a notice to ${team}`;
  const links = [{ text: 'Open the console', url: consoleUrl }];
  return { severity: null, priority: null, title, lines: [text], links, short: [title, text] };
}
