import type { Settings } from '../../schema/settings/settings.ts';
import { type AlertStatus, type Channel, channels, type Occasion } from '../../schema/vocabulary.ts';
import type { Life } from '../alert/alert.ts';
import type { AlertChange } from '../alert/change.ts';
import type { NotNotified } from '../alert/notified.ts';
import { spellTime } from '../settings/local-time.ts';
import { quietUntil } from '../settings/quiet-hours.ts';
import { isUpdateSent, operationsTeam } from '../settings/settings.ts';
import type { Instant } from '../time.ts';
import { notesOf } from './notes.ts';
import { occasionTable } from './occasions.ts';
import { targetIdOf } from './target.ts';
import { type Contact, contactKey, contactsOf, type TeamRecord } from './team.ts';

/** What has a life, and may note whom it was to be notified to. */
type Noted = Life & { foldIds?: readonly string[]; joinedTo?: string | null };

/** Whom a change shall tell. `occasion` null: it is no news for people. */
export type Audience = {
  occasion: Occasion | null;
  contacts: Contact[];
  notTold: NotNotified[];
  /** The end of the quiet hours for which it waits. */
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
};

/**
 * Decides whom a change of an alert tells on email, chat and SMS, and says of every channel that stays silent why.
 * @param at when they would be notified, where quiet hours hold it back
 */
export function audienceOf(
  alert: Noted,
  { action, from }: { action: AlertChange['kind']; from: AlertStatus | null },
  configuration: Named,
  at: Instant | null = null,
): Audience {
  const audience = audienceFor(alert, occasionOf(alert, action, from), configuration);
  const { occasion, contacts, notTold } = audience;
  if (at === null || occasion === null || contacts.length === 0) return audience;
  const until =
    occasionTable[occasion].phase === 'began' ? quietUntil(configuration.settings, alert.severity, at) : null;
  return until === null
    ? audience
    : { occasion, contacts: [], notTold: [...notTold, quiet(until, configuration)], quietUntil: until };
}

type Named = { teams: ReadonlyMap<string, TeamRecord>; settings: Settings };

function quiet(until: Instant, { settings }: Named): NotNotified {
  const detail = `Told at ${spellTime(until, settings.timeZone)}, when the quiet hours end, if it still holds`;
  return { channel: null, team: null, reason: 'quiet-hours', detail };
}

function audienceFor(alert: Noted, occasion: Occasion | null, { teams, settings }: Named): Audience {
  if (occasion === null) return { occasion, contacts: [], notTold: [] };
  const { phase } = occasionTable[occasion];
  if (phase !== 'began') {
    // Of what nobody was told, nobody is told that it is over.
    if (alert.announcedAt === null) return { occasion: null, contacts: [], notTold: [] };
    if (alert.isFolded) return { occasion, contacts: [], notTold: [foldedSilence] };
    const contacts = knowing(alert, teams).filter(({ channel }) =>
      isUpdateSent(settings, phase, alert.severity, channel),
    );
    return { occasion, contacts, notTold: [] };
  }
  const silence = silenceOf(alert, occasion, settings.timeZone);
  if (silence) return { occasion, contacts: [], notTold: [silence] };
  return occasion === 'escalated' || occasion === 'reminded'
    ? { occasion, ...escalationAudience(alert, teams) }
    : { occasion, ...openingAudience(alert, teams) };
}

function occasionOf(alert: Noted, action: AlertChange['kind'], from: AlertStatus | null): Occasion | null {
  if (action === 'worsen') {
    // Who has not answered yet is being called; who has, or wanted quiet, hears that it got worse.
    const isQuiet = from === 'acknowledged' || from === 'resolved' || alert.snoozedUntil !== null;
    return isQuiet ? 'worsened' : null;
  }
  if (action === 'return' && alert.flapping) return 'flapping';
  if ((action === 'end' || action === 'resolve') && alert.joinedTo) return 'joined';
  // It has been told of by itself before.
  if (action === 'join' && alert.announcedAt !== null) return null;
  if (action === 'quiet-end') return alert.status === 'escalated' ? 'escalated' : 'opened';
  if (alert.status === 'acknowledged' && goesOn.has(action)) return null;
  return occasions[action] ?? null;
}

/** Changes after which an alert goes on as before: of one that somebody has, people hear nothing new. */
const goesOn: ReadonlySet<AlertChange['kind']> = new Set(['leave', 'return', 'announce', 'maintenance-end']);

const foldedSilence: NotNotified = {
  channel: null,
  team: null,
  reason: 'incident',
  detail: 'Its incident is told in its stead',
};

function silenceOf(
  { notifyAfter, snoozedUntil, maintenanceUntil, channelsBy, rules, isFolded }: Life,
  occasion: Occasion,
  timeZone: string,
): NotNotified | null {
  const all = { channel: null, team: null };
  if (isFolded) return foldedSilence;
  if (maintenanceUntil) {
    return { ...all, reason: 'maintenance', detail: `In maintenance until ${spellTime(maintenanceUntil, timeZone)}` };
  }
  if (snoozedUntil !== null && occasion !== 'worsened')
    return { ...all, reason: 'snoozed', detail: `Snoozed until ${spellTime(snoozedUntil, timeZone)}` };
  if (notifyAfter !== null)
    return { ...all, reason: 'held', detail: `Told if it lasts until ${spellTime(notifyAfter, timeZone)}` };
  if (channelsBy === 'suppressed') {
    return { ...all, reason: 'suppressed', detail: `By the rule ${rules.map(({ name }) => name).join(', ')}` };
  }
  return null;
}

function openingAudience(alert: Life, teams: ReadonlyMap<string, TeamRecord>): Omit<Audience, 'occasion'> {
  const team = openingTeam(alert, teams);
  const contacts = contactsOfTeam(teams, team);
  const notTold: NotNotified[] = [];
  for (const channel of channels) {
    const isUsed = alert.channels.includes(channel);
    if (!isUsed) {
      const byRules = alert.channelsBy === 'rules';
      const detail = byRules
        ? `Not used for ${alert.severity}, by the settings or the rules: ${alert.rules.map(({ name }) => name).join(', ')}`
        : `The settings do not use ${channel} for ${alert.severity}`;
      notTold.push({ channel, team, reason: byRules ? 'rules' : 'matrix', detail });
    } else if (channel !== 'webhook' && !contacts.some((contact) => contact.channel === channel)) {
      notTold.push(noContact(channel, team));
    }
  }
  return { contacts: contacts.filter(({ channel }) => alert.channels.includes(channel)), notTold };
}

/** Better the wrong people than nobody: a team without contacts is none. */
function openingTeam({ notifiedTeam }: Life, teams: ReadonlyMap<string, TeamRecord>): string {
  return notifiedTeam && contactsOfTeam(teams, notifiedTeam).length > 0 ? notifiedTeam : operationsTeam;
}

/** An escalation goes out on the channels of the alert and always by mail; on every channel that the team has, where it would else reach nobody. */
function escalationAudience(alert: Life, teams: ReadonlyMap<string, TeamRecord>): Omit<Audience, 'occasion'> {
  const named = alert.team ?? operationsTeam;
  const contacts = contactsOfTeam(teams, named);
  const fitting = contacts.filter(({ channel }) => channel === 'email' || alert.channels.includes(channel));
  if (contacts.length > 0) return { contacts: fitting.length > 0 ? fitting : contacts, notTold: [] };
  const missing: NotNotified = {
    channel: null,
    team: named,
    reason: 'no-contact',
    detail: teams.has(named) ? `The team ${named} has no contacts` : `There is no team ${named}`,
  };
  if (named === operationsTeam) return { contacts: [], notTold: [missing] };
  // Better the wrong people than nobody: an escalation that would reach no one goes to operations.
  return { contacts: contactsOfTeam(teams, operationsTeam), notTold: [missing] };
}

/** Who may know of it: the contacts that it notes, in whatever team they are by now; of an incident, which notes none, who hears of its opening. */
function knowing(alert: Noted, teams: ReadonlyMap<string, TeamRecord>): Contact[] {
  if (!alert.foldIds) return openingAudience(alert, teams).contacts;
  const noted = new Set(notesOf(alert.foldIds).map(({ targetId }) => targetId));
  if (noted.size === 0) return [];
  return unique([...teams.values()].flatMap(contactsOf)).filter((contact) => noted.has(targetIdOf(contact)));
}

function contactsOfTeam(teams: ReadonlyMap<string, TeamRecord>, name: string): Contact[] {
  const team = teams.get(name);
  return team ? unique(contactsOf(team)) : [];
}

/** Each receiver once, whatever number of teams or entries names it. */
export function unique(contacts: readonly Contact[]): Contact[] {
  return [...new Map(contacts.toReversed().map((contact) => [contactKey(contact), contact])).values()].toReversed();
}

function noContact(channel: Channel, team: string): NotNotified {
  return { channel, team, reason: 'no-contact', detail: `The team ${team} has no ${channel} contact` };
}

/** What will happen next without anybody's doing, soonest first. */
export function nextOf(alert: Life): { at: Instant; what: string }[] {
  const steps: [Instant | null, string][] = [
    [alert.snoozedUntil, 'The snooze ends: one reminder goes out and the response time starts anew'],
    [alert.maintenanceUntil, 'The maintenance ends: what is open then is told, and the response time starts'],
    [alert.quietUntil ?? null, 'The quiet hours end: it is told then, if it still holds'],
    [alert.notifyAfter, 'The alert is told, if the condition still holds'],
    [alert.respondBy, 'The alert is escalated, unless somebody acknowledges it'],
    [alert.remindAt, 'The team is reminded, unless somebody acknowledges it'],
  ];
  return steps.flatMap(([at, what]) => (at === null ? [] : [{ at, what }])).toSorted((a, b) => (a.at < b.at ? -1 : 1));
}
