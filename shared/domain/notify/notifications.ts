import { isPeopleChannel } from '../../schema/channels.ts';
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
import { type Contact, contactsOfPeople, type TeamRecord } from './team.ts';
import { contactsOfTeam, everybodyIn, openingTeam, unique, unreachable } from './teams.ts';

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
  widen: 'updated',
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
  const { teams, settings } = configuration;
  const hours = teams.get(notifiedBy(alert, occasion, teams))?.quietHours ?? settings.quietHours;
  const isBegin = occasionTable[occasion].phase === 'began';
  const until = isBegin ? quietUntil(hours, settings, alert.severity, at) : null;
  return until === null
    ? audience
    : { occasion, contacts: [], notTold: [...notTold, quiet(until, configuration)], quietUntil: until };
}

/** The team that an occasion notifies: its quiet hours count. */
function notifiedBy(alert: Noted, occasion: Occasion, teams: Named['teams']): string {
  const isUrging = occasion === 'escalated' || occasion === 'reminded';
  return isUrging ? (alert.team ?? operationsTeam) : openingTeam(alert, teams);
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
  // What nobody knows of yet is told as it is when it is told.
  if (action === 'widen' && alert.announcedAt === null) return null;
  // Machines get its opening all the same, and people read why they did not.
  if (action === 'maintain') return alert.announcedAt === null ? 'opened' : null;
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
    } else if (isPeopleChannel(channel) && !contacts.some((contact) => contact.channel === channel)) {
      notTold.push(noContact(channel, team));
    }
  }
  return { contacts: contacts.filter(({ channel }) => alert.channels.includes(channel)), notTold };
}

/**
 * An escalation goes out on the channels of the alert, those of its step and always by mail; on every channel that there is, where it would
 * else reach nobody.
 */
function escalationAudience(alert: Life, teams: ReadonlyMap<string, TeamRecord>): Omit<Audience, 'occasion'> {
  const { team, step } = alert;
  const named = team ?? operationsTeam;
  const record = teams.get(named);
  const people = record && step?.people?.length ? contactsOfPeople(record, step.people) : [];
  const own = people.length > 0 ? people : contactsOfTeam(teams, named);
  // Better the wrong people than nobody.
  const contacts = own.length > 0 ? own : contactsOfTeam(teams, operationsTeam);
  const used: readonly Channel[] = ['email', ...alert.channels, ...(step?.channels ?? [])];
  const fitting = contacts.filter(({ channel }) => used.includes(channel));
  const missing = step?.missing ?? (own.length === 0 ? unreachable(teams, named) : null);
  const notTold: NotNotified[] =
    missing === null ? [] : [{ channel: null, team: named, reason: 'no-contact', detail: missing }];
  return { contacts: fitting.length > 0 ? fitting : contacts, notTold };
}

/** Who may know of it: the contacts that it notes, in whatever team they are by now; of an incident, which notes none, who hears of its opening. */
function knowing(alert: Noted, teams: ReadonlyMap<string, TeamRecord>): Contact[] {
  if (!alert.foldIds) return openingAudience(alert, teams).contacts;
  const noted = new Set(notesOf(alert.foldIds).map(({ targetId }) => targetId));
  if (noted.size === 0) return [];
  return unique([...teams.values()].flatMap(everybodyIn)).filter((contact) => noted.has(targetIdOf(contact)));
}

function noContact(channel: Channel, team: string): NotNotified {
  return { channel, team, reason: 'no-contact', detail: `The team ${team} has no ${channel} contact` };
}
