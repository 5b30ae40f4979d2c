import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { type AlertCode, type Occasion, type Severity, severities } from '../../schema/vocabulary.ts';
import type { IncidentRecord } from '../incident/incident.ts';
import type { Instant } from '../time.ts';
import { guardianTitles, isGone, type MessageContent } from './content.ts';
import { counted, troubleOf } from './phrases.ts';

/**
 * One occasion in a digest. `gone`: the alerts ended because their cameras were moved or deleted, and are not over. Codes and groups are sorted by count;
 * `others`: there are more groups than those that are named.
 */
export type Section = {
  occasion: Occasion;
  gone: WayGone | null;
  count: number;
  codes: { code: AlertCode; count: number }[];
  groups: { groupId: string; count: number }[];
  others: boolean;
};

/** The state of a window when its digest is sent. */
export type DigestFacts = {
  sections: Section[];
  /** Alerts that ended before anybody could be notified. */
  went: number;
  /** Alerts of the window that began and have ended. */
  over: number;
  /** Alerts that were found after their digest had been sent. */
  late: number;
  /** The most severe alerts by place and name. */
  gravest: { severity: Severity; what: string }[];
  incidents: { severity: Severity; title: string }[];
  guardian: { alertCode: GuardianAlert['alertCode']; count: number }[];
};

/** The number of groups and of alerts that a digest names. */
export const named = { groups: 5, gravest: 5 } as const;

const headings: Record<Occasion, string> = {
  opened: 'opened',
  reopened: 'back again',
  worsened: 'got worse',
  updated: 'wider than reported before',
  recovering: 'partly back',
  flapping: 'come and go',
  'snooze-ended': 'no longer snoozed',
  'maintenance-ended': 'open after maintenance',
  escalated: 'escalated, nobody has answered',
  reminded: 'still without an answer',
  acknowledged: 'in hands by now',
  resolved: 'over',
  joined: 'part of a wider outage',
};

/** How a camera can leave its group while something is open on it. */
export const waysGone = ['moved', 'deleted'] as const;
export type WayGone = (typeof waysGone)[number];

function headingOf({ occasion, gone }: Pick<Section, 'occasion' | 'gone'>): string {
  return gone === null ? headings[occasion] : `of ${gone} cameras`;
}

/** An incident in a digest: its title if it began, otherwise what is new about it. What comes and goes may be over at the moment. */
export function incidentInDigest(
  incident: Pick<IncidentRecord, 'title' | 'resolution' | 'flapping'>,
  occasion: Occasion,
): string {
  const { resolution, flapping } = incident;
  const isSeries = flapping && occasion !== 'resolved' && occasion !== 'joined';
  const title = isSeries ? `${incident.title} comes and goes` : incident.title;
  if (occasion === 'opened' || occasion === 'flapping') return title;
  if (occasion === 'resolved' && isGone(incident)) return `${title}: ${resolution}, still dark`;
  if (occasion === 'resolved' && resolution === 'manual') return `Closed: ${title}`;
  return occasion === 'resolved' ? `Over: ${title}` : `${title}, ${headings[occasion]}`;
}

/** The message that replaces all messages without a slot in a window. Null if it has no content. */
export function digestContent(facts: DigestFacts, consoleUrl: string): MessageContent | null {
  const { sections, incidents, guardian, late, went, over, gravest } = facts;
  const parts = [
    ...incidents.slice(0, 3).map(({ title }) => title),
    ...(incidents.length > 3 ? [`${incidents.length - 3} more incidents`] : []),
    ...sections.map((section) => `${counted(section.count, 'alert')} ${headingOf(section)}`),
    // Guardian alerts are counted, because one camera can send many.
    ...guardian.map(({ alertCode, count }) => `${guardianTitles[alertCode].title} ${counted(count, 'time')}`),
    ...(late > 0 ? [`${late} more from the minute before`] : []),
  ];
  if (parts.length === 0) return null;
  const gone = went + over;
  const cameAndWent = gone > 0 ? [`${gone} more came and went.`] : [];
  return {
    severity: gravestOf(facts),
    priority: null,
    title: `Digest: ${parts.join('; ')}`,
    lines: [
      ...incidents.map(({ title }) => title),
      ...sections.map(lineOf),
      ...cameAndWent,
      ...(gravest.length > 0 ? ['The gravest:', ...gravest.map(({ severity, what }) => `${severity} ${what}`)] : []),
    ],
    links: [{ text: 'Open all of them', url: linkOf(facts, consoleUrl) }],
    short: [parts.join('; '), ...sections.slice(0, 1).map(lineOf), ...cameAndWent],
  };
}

/** `39 opened: offline 37, memory high 2; gbg 20, sthlm 19` */
function lineOf(section: Section): string {
  const { count, codes, groups, others } = section;
  const what = codes.map(({ code, count: each }) => `${troubleOf(code)} ${each}`).join(', ');
  const where = groups.map(({ groupId, count: each }) => `${groupId} ${each}`).join(', ');
  return `${count} ${headingOf(section)}: ${what}; ${where}${others ? ' and other groups' : ''}`;
}

function gravestOf({ gravest, incidents, guardian }: DigestFacts): Severity | null {
  const all = new Set([
    ...gravest.map(({ severity }) => severity),
    ...incidents.map(({ severity }) => severity),
    ...guardian.map(({ alertCode }) => guardianTitles[alertCode].severity),
  ]);
  return severities.find((severity) => all.has(severity)) ?? null;
}

function linkOf({ incidents, sections, guardian }: DigestFacts, consoleUrl: string): string {
  if (incidents.length > 0) return `${consoleUrl}/incidents`;
  if (sections.length === 0 && guardian.length > 0) return `${consoleUrl}/guardian`;
  const [only, ...rest] = sections;
  const code = only?.codes.length === 1 && rest.length === 0 ? `?code=${only.codes[0]?.code}` : '';
  return `${consoleUrl}/alerts${code}`;
}

/** What the notice of a used-up hour says. `sent`: when the messages of the hour left. */
type HeldNotice = { count: number; sent: readonly Instant[]; nextAt: Instant };

/** The notice that a phone's hourly budget is used up: how many were sent, when it gets more, and the gravest that is held. */
export function heldContent(
  { count, sent, nextAt }: HeldNotice,
  { incidents, gravest }: Pick<DigestFacts, 'incidents' | 'gravest'>,
  { clock, consoleUrl }: { clock: (at: Instant) => string; consoleUrl: string },
): MessageContent {
  const [first] = sent;
  const since = first ? ` since ${clock(first)}` : '';
  const title = `SMS LIMIT: ${sent.length} sent${since}, next at ${clock(nextAt)}`;
  const named = [...incidents.map(({ title: what }) => what), ...gravest.map(({ what }) => what)];
  const held = `Held: ${[...named.slice(0, 1), ...moreOf(count, named.length)].join(' and ')}`;
  return {
    severity: null,
    priority: null,
    title,
    lines: [held, 'They come with the next digest.'],
    links: [{ text: 'Look at', url: `${consoleUrl}/alerts` }],
    short: [title, held],
  };
}

function moreOf(count: number, named: number): string[] {
  if (named === 0) return [counted(count, 'message')];
  return count > 1 ? [`${count - 1} more`] : [];
}
