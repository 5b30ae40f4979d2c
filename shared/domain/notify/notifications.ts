import { isPeopleChannel } from '../../schema/channels.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import { type AlertStatus, type Channel, channels, type Occasion } from '../../schema/vocabulary.ts';
import type { Life, UnusedChannel } from '../alert/alert.ts';
import type { AlertChange } from '../alert/change.ts';
import { lostReason } from '../restored/restored.ts';
import { spellTime } from '../settings/local-time.ts';
import { quietUntil } from '../settings/quiet-hours.ts';
import { defaultLoneCamera, isUpdateSent, operationsTeam } from '../settings/settings.ts';
import { type Instant, plus } from '../time.ts';
import { occasionTable } from './occasions.ts';
import { notesOf, targetIdOf } from './target.ts';

import {
  type Contact,
  contactsOfPeople,
  contactsOfTeam,
  everybodyIn,
  openingTeam,
  openingTeams,
  type Teams,
  unique,
  unreachable,
} from './team.ts';

/** A record with a life that notes its targets: an alert in `digestIds`, an incident in `notifiedTargets`. */
type AlertOrIncident = Life & {
  digestIds?: readonly string[];
  notifiedVersions?: readonly number[];
  notifiedTargets?: readonly string[];
  joinedTo?: string | null;
  groupTeams?: readonly string[];
  /** Null: an alert that is no loss. */
  lostAt?: Instant | null;
  isKnownAlone?: boolean;
};

/** The receivers of a change. `occasion` null: the change is not notified to people. */
export type Audience = {
  occasion: Occasion | null;
  contacts: Contact[];
  notNotified: UnusedChannel[];
  /** End of the quiet hours that delay it. */
  quietUntil?: Instant;
};

const occasions: Partial<Record<AlertChange['kind'], Occasion>> = {
  open: 'opened',
  announce: 'opened',
  join: 'opened',
  leave: 'opened',
  return: 'reopened',
  reopen: 'reopened',
  escalate: 'escalated',
  remind: 'reminded',
  'announce-taken': 'acknowledged',
  'snooze-end': 'snooze-ended',
  end: 'resolved',
  resolve: 'resolved',
  'maintenance-end': 'maintenance-ended',
  widen: 'updated',
  recover: 'recovering',
};

/** The occasions of changes that depend on the state of the alert. Undefined: the usual occasion of the change. */
const occasionsByState: Partial<
  Record<AlertChange['kind'], (alert: AlertOrIncident, from: AlertStatus | null) => Occasion | null | undefined>
> = {
  // While nobody has acknowledged, the escalation already notifies people. Otherwise they are notified that it got worse.
  worsen: ({ snoozedUntil }, from) =>
    from === 'acknowledged' || from === 'resolved' || snoozedUntil !== null ? 'worsened' : null,
  // If nobody was notified yet, the first notification will describe the present extent.
  widen: ({ announcedAt }) => (announcedAt === null ? null : undefined),
  // Machines get the opening in any case, and the explanation shows why people were not notified.
  maintain: ({ announcedAt }) => (announcedAt === null ? 'opened' : null),
  return: ({ flapping }) => (flapping ? 'flapping' : undefined),
  announce: ({ flapping, announcedAt, occurrences, status, lostAt }) => {
    // A loss and an outage are announced by the look, also where somebody has them. What is held back otherwise was told when it returned.
    if (flapping && lostAt !== null) return 'flapping';
    const isNews = status !== 'acknowledged' || typeof lostAt === 'string';
    return announcedAt !== null && occurrences > 1 && isNews ? 'reopened' : undefined;
  },
  end: ({ joinedTo }) => (joinedTo ? 'joined' : undefined),
  resolve: ({ joinedTo }) => (joinedTo ? 'joined' : undefined),
  // People were already notified of this alert itself.
  join: ({ announcedAt }) => (announcedAt === null ? undefined : null),
  'quiet-end': ({ status }) => (status === 'escalated' ? 'escalated' : 'opened'),
};

/**
 * Decides whom a change notifies by email, chat and SMS, and gives the reason for each channel that is not used.
 * @param at when they would be notified, for quiet hours
 */
export function audienceOf(
  alert: AlertOrIncident,
  { action, from }: { action: AlertChange['kind']; from: AlertStatus | null },
  configuration: Directory,
  at: Instant | null = null,
): Audience {
  const audience = patient(
    audienceFor(alert, occasionOf(alert, action, from), configuration),
    alert,
    configuration,
    at,
  );
  const { occasion, contacts, notNotified } = audience;
  if (at === null || occasion === null || contacts.length === 0) return audience;
  const { teams, settings } = configuration;
  const hours = teams.get(notifiedBy(alert, occasion, teams))?.quietHours ?? settings.quietHours;
  const isBegin = occasionTable[occasion].phase === 'began';
  const until = isBegin ? quietUntil(hours, settings, alert.severity, at) : null;
  return until === null
    ? audience
    : { occasion, contacts: [], notNotified: [...notNotified, quiet(until, configuration)], quietUntil: until };
}

/** The audience of something that may have ended in the time that a restore lost: nobody, until what waited has arrived. */
export function withoutLostTime(audience: Audience, { restoredUntil }: AlertOrIncident, at: Instant): Audience {
  const isHeld = restoredUntil !== undefined && at < restoredUntil && audience.contacts.length > 0;
  return isHeld ? { occasion: audience.occasion, contacts: [], notNotified: [ofLostTime] } : audience;
}

/** The team whose quiet hours apply to an occasion. */
function notifiedBy(alert: AlertOrIncident, occasion: Occasion, teams: Directory['teams']): string {
  const isUrging = occasion === 'escalated' || occasion === 'reminded';
  return isUrging ? (alert.team ?? operationsTeam) : openingTeam(alert, teams);
}

type Directory = { teams: Teams; settings: Settings };

/** The audience without the phones that a lone camera does not wake yet, as long as another channel tells of it. */
function patient(audience: Audience, alert: AlertOrIncident, { settings }: Directory, at: Instant | null): Audience {
  const { occasion, contacts, notNotified } = audience;
  const from = occasion && occasionTable[occasion].phase === 'began' && at ? phonesFrom(alert, settings, at) : null;
  const others = contacts.filter(({ channel }) => channel !== 'sms');
  if (from === null || others.length === 0 || others.length === contacts.length) return audience;
  const detail = `One camera of ${alert.loneOf}: phones hear of it from ${spellTime(from, settings.timeZone)} on, if nobody has answered`;
  return {
    ...audience,
    contacts: others,
    notNotified: [...notNotified, { channel: 'sms', team: null, reason: 'lone-camera', detail }],
  };
}

/** From when on phones hear of a camera that is the only one that is lost at its place. Null: they do now. */
function phonesFrom({ loneOf, toldAt }: AlertOrIncident, { telling }: Settings, at: Instant): Instant | null {
  const { placeOf, smsAfterMinutes } = telling?.loneCamera ?? defaultLoneCamera;
  if (loneOf === null || placeOf === 0 || loneOf < placeOf) return null;
  const from = plus(toldAt ?? at, smsAfterMinutes * 60_000);
  return from > at ? from : null;
}

function quiet(until: Instant, { settings }: Directory): UnusedChannel {
  const detail = `Sent at ${spellTime(until, settings.timeZone)}, when the quiet hours end, if it is still true`;
  return { channel: null, team: null, reason: 'quiet-hours', detail };
}

function audienceFor(alert: AlertOrIncident, occasion: Occasion | null, { teams, settings }: Directory): Audience {
  if (occasion === null) return { occasion, contacts: [], notNotified: [] };
  const { phase } = occasionTable[occasion];
  if (phase !== 'began') {
    // If nobody was notified of the beginning, nobody is notified of the end.
    if (alert.announcedAt === null || alert.notifiedVersions?.length === 0)
      return { occasion: null, contacts: [], notNotified: [] };
    if (alert.isMember && !(alert.isKnownAlone && phase === 'over'))
      return { occasion, contacts: [], notNotified: [memberSilence] };
    const contacts = knowing(alert, teams).filter(({ channel }) =>
      isUpdateSent(settings, phase, alert.severity, channel),
    );
    return { occasion, contacts, notNotified: [] };
  }
  const silence = silenceOf(alert, occasion, settings.timeZone);
  if (silence) return { occasion, contacts: [], notNotified: [silence] };
  if (occasion === 'reopened' && alert.status === 'acknowledged')
    return { occasion, contacts: knowing(alert, teams), notNotified: [] };
  return occasion === 'escalated' || occasion === 'reminded'
    ? { occasion, ...escalationAudience(alert, teams) }
    : { occasion, ...openingAudience(alert, teams) };
}

function occasionOf(alert: AlertOrIncident, action: AlertChange['kind'], from: AlertStatus | null): Occasion | null {
  const occasion = occasionsByState[action]?.(alert, from);
  if (occasion !== undefined) return occasion;
  if (alert.status === 'acknowledged' && goesOn.has(action)) return isOutageBack(alert, action) ? 'reopened' : null;
  return occasions[action] ?? null;
}

/** An outage that somebody has and that is dark again is told to everybody who was told of it. An alert that returns is not. */
function isOutageBack({ notifiedTargets }: AlertOrIncident, action: AlertChange['kind']): boolean {
  return action === 'return' && notifiedTargets !== undefined;
}

/** Changes after which an alert continues as before. If somebody has acknowledged it, they are no news for people. */
const goesOn: ReadonlySet<AlertChange['kind']> = new Set(['leave', 'return', 'announce', 'maintenance-end']);

const ofLostTime: UnusedChannel = {
  channel: null,
  team: null,
  reason: lostReason,
  detail: 'The database was restored, and it began before: one message says so for all',
};

const memberSilence: UnusedChannel = {
  channel: null,
  team: null,
  reason: 'incident',
  detail: 'People are notified of its incident instead',
};

function silenceOf(
  { notifyAfter, awaitsLook, snoozedUntil, maintenanceUntil, channelsBy, rules, isMember }: Life,
  occasion: Occasion,
  timeZone: string,
): UnusedChannel | null {
  const all = { channel: null, team: null };
  if (isMember) return memberSilence;
  if (maintenanceUntil) {
    return { ...all, reason: 'maintenance', detail: `In maintenance until ${spellTime(maintenanceUntil, timeZone)}` };
  }
  if (snoozedUntil !== null && occasion !== 'worsened')
    return { ...all, reason: 'snoozed', detail: `Snoozed until ${spellTime(snoozedUntil, timeZone)}` };
  if (awaitsLook) return { ...all, reason: 'held', detail: 'Sent with the next look, if it belongs to no outage' };
  if (notifyAfter !== null)
    return { ...all, reason: 'held', detail: `Sent if it lasts until ${spellTime(notifyAfter, timeZone)}` };
  if (channelsBy === 'suppressed') {
    return { ...all, reason: 'suppressed', detail: `By the rule ${rules.map(({ name }) => name).join(', ')}` };
  }
  return null;
}

function openingAudience(alert: AlertOrIncident, teams: Teams): Omit<Audience, 'occasion'> {
  const team = openingTeam(alert, teams);
  const contacts = unique(openingTeams(alert, teams).flatMap((each) => contactsOfTeam(teams, each)));
  const notNotified: UnusedChannel[] = [];
  for (const channel of channels) {
    const isUsed = alert.channels.includes(channel);
    if (!isUsed) {
      const byRules = alert.channelsBy === 'rules';
      const detail = byRules
        ? `Not used for ${alert.severity}, by the settings or the rules: ${alert.rules.map(({ name }) => name).join(', ')}`
        : `The settings do not use ${channel} for ${alert.severity}`;
      notNotified.push({ channel, team, reason: byRules ? 'rules' : 'matrix', detail });
    } else if (isPeopleChannel(channel) && !contacts.some((contact) => contact.channel === channel)) {
      notNotified.push(noContact(channel, team));
    }
  }
  return { contacts: contacts.filter(({ channel }) => alert.channels.includes(channel)), notNotified };
}

/** Channels of an escalation: those of the alert, those of the step, and always mail. If these reach nobody, all channels are used. */
function escalationAudience(alert: Life, teams: Teams): Omit<Audience, 'occasion'> {
  const { team, step } = alert;
  const named = team ?? operationsTeam;
  const record = teams.get(named);
  const people = record && step?.people?.length ? contactsOfPeople(record, step.people) : [];
  const own = people.length > 0 ? people : contactsOfTeam(teams, named);
  // If the step reaches nobody, notify `operations`: the wrong people are better than nobody.
  const contacts = own.length > 0 ? own : contactsOfTeam(teams, operationsTeam);
  const used: readonly Channel[] = ['email', ...alert.channels, ...(step?.channels ?? [])];
  const fitting = contacts.filter(({ channel }) => used.includes(channel));
  const missing = step?.missing ?? (own.length === 0 ? unreachable(teams, named) : null);
  const notNotified: UnusedChannel[] =
    missing === null ? [] : [{ channel: null, team: named, reason: 'no-contact', detail: missing }];
  return { contacts: fitting.length > 0 ? fitting : contacts, notNotified };
}

/** The contacts that may know of a record: those that it notes, in whatever team they are now. If it has no notes: the receivers of its opening. */
function knowing(alert: AlertOrIncident, teams: Teams): Contact[] {
  const { notifiedTargets = alert.digestIds && notesOf(alert.digestIds).map(({ targetId }) => targetId) } = alert;
  if (!notifiedTargets) return openingAudience(alert, teams).contacts;
  const noted = new Set(notifiedTargets);
  if (noted.size === 0) return [];
  return unique([...teams.values()].flatMap(everybodyIn)).filter((contact) => noted.has(targetIdOf(contact)));
}

function noContact(channel: Channel, team: string): UnusedChannel {
  return { channel, team, reason: 'no-contact', detail: `The team ${team} has no ${channel} contact` };
}
