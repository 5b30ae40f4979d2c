import { describe, expect, test } from 'vitest';
import { type Life, newLife } from '../../../../shared/domain/alert/alert.ts';
import type { AlertChange } from '../../../../shared/domain/alert/change.ts';
import { type Audience, audienceOf } from '../../../../shared/domain/notify/notifications.ts';
import { targetIdOf, withNote } from '../../../../shared/domain/notify/target.ts';

import { contactsOf, emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import type { TakenStep } from '../../../../shared/domain/settings/escalation.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import type { AlertStatus, Channel } from '../../../../shared/schema/vocabulary.ts';
import { startOfTests } from '../../../support/world/world.ts';

type Noted = Parameters<typeof audienceOf>[0];
type Kind = AlertChange['kind'];
const team = (name: string, given: Partial<TeamRecord> = {}): TeamRecord => ({
  ...emptyTeam(name),
  emails: [`${name}@example.com`],
  phones: [`+4670${name.length}000000`],
  ...given,
});
const operations = team('operations');
const night = team('night');
const notified = { channels: ['email', 'sms', 'webhook'] as Channel[], announcedAt: startOfTests };
const life = (given: Partial<Noted> = {}): Noted => ({ ...newLife('CRITICAL', startOfTests), ...notified, ...given });
const fresh = (given: Partial<Noted> = {}) => life({ announcedAt: null, ...given });
type Given = { teams?: TeamRecord[]; settings?: Partial<Settings>; from?: AlertStatus | null; at?: string };
const ask = (record: Noted, action: Kind, { teams = [operations, night], settings, from = null, at }: Given = {}) =>
  audienceOf(
    record,
    { action, from },
    { teams: new Map(teams.map((each) => [each.name, each])), settings: { ...defaultSettings, ...settings } },
    at ?? null,
  );
const names = ({ contacts }: Audience) => contacts.map(({ channel, name }) => `${channel} ${name}`);
const noted = (record: TeamRecord, which = contactsOf(record)) =>
  which.reduce<string[]>(
    (digestIds, contact) => withNote(digestIds, { targetId: targetIdOf(contact), window: 1, occasion: 'opened' }),
    [],
  );

describe('a change is news for people', () => {
  const snoozed = { snoozedUntil: startOfTests };
  test.each<[Kind, Partial<Noted>, AlertStatus | null, string | null]>([
    ['open', { announcedAt: null }, null, 'opened'],
    ['announce', {}, null, 'opened'],
    ['leave', {}, null, 'opened'],
    ['join', { announcedAt: null }, null, 'opened'],
    ['join', {}, null, null],
    ['return', {}, null, 'reopened'],
    ['return', { flapping: true }, null, 'flapping'],
    ['end', { flapping: true }, null, 'resolved'],
    ['reopen', {}, null, 'reopened'],
    ['escalate', {}, null, 'escalated'],
    ['remind', {}, null, 'reminded'],
    ['announce-taken', {}, null, 'acknowledged'],
    ['snooze-end', {}, null, 'snooze-ended'],
    ['maintenance-end', {}, null, 'maintenance-ended'],
    ['end', {}, null, 'resolved'],
    ['resolve', {}, null, 'resolved'],
    ['end', { joinedTo: 'i-2' }, null, 'joined'],
    ['resolve', { joinedTo: 'i-2' }, null, 'joined'],
    ['reopen', { joinedTo: 'i-2' }, null, 'reopened'],
    ['widen', {}, null, 'updated'],
    ['widen', { announcedAt: null }, null, null],
    ['maintain', { announcedAt: null }, null, 'opened'],
    ['maintain', {}, null, null],
    // Escalation already notifies while nobody has answered. After an answer or a snooze, worsening is announced.
    ['worsen', {}, 'active', null],
    ['worsen', {}, 'escalated', null],
    ['worsen', {}, 'acknowledged', 'worsened'],
    ['worsen', {}, 'resolved', 'worsened'],
    ['worsen', snoozed, 'active', 'worsened'],
    ['quiet-end', {}, null, 'opened'],
    ['quiet-end', { status: 'escalated' }, null, 'escalated'],
    // For an acknowledged alert, a change that only continues it is no news.
    ['leave', { status: 'acknowledged' }, null, null],
    ['return', { status: 'acknowledged' }, null, null],
    ['announce', { status: 'acknowledged' }, null, null],
    ['maintenance-end', { status: 'acknowledged' }, null, null],
    ['widen', { status: 'acknowledged' }, null, 'updated'],
    ['leave', { status: 'escalated' }, null, 'opened'],
    ['see', {}, null, null],
    ['add-note', {}, null, null],
    ['acknowledge', {}, null, null],
    // If nobody was notified of it, nobody is notified that it is over.
    ['end', { announcedAt: null }, null, null],
    ['end', { notifiedVersions: [] }, null, null],
    ['end', { notifiedVersions: [1] }, null, 'resolved'],
    ['announce-taken', { announcedAt: null }, null, null],
  ])('%s of %j, from %s: %s', (action, given, from, occasion) => {
    expect(ask(life(given), action, { from }).occasion).toBe(occasion);
  });

  test('what is none tells nobody', () => {
    expect(ask(life(), 'see')).toEqual({ occasion: null, contacts: [], notNotified: [] });
    expect(ask(fresh(), 'end')).toEqual({ occasion: null, contacts: [], notNotified: [] });
  });
});

describe('what begins is silent', () => {
  const until = '2026-11-20T12:30:00.000Z';
  const by = (reason: string, detail: string) => ({
    ...{ occasion: 'opened', contacts: [] },
    notNotified: [{ channel: null, team: null, reason, detail }],
  });
  const members = by('incident', 'People are notified of its incident instead');
  const at = '20 Nov 2026, 13:30 CET';
  const rules = [
    { ruleId: 'r-1', name: 'A' },
    { ruleId: 'r-2', name: 'B' },
  ];

  test.each<[Partial<Noted>, unknown]>([
    [{ isMember: true, maintenanceUntil: until }, members],
    [{ maintenanceUntil: until, snoozedUntil: until }, by('maintenance', `In maintenance until ${at}`)],
    [{ snoozedUntil: until, notifyAfter: until }, by('snoozed', `Snoozed until ${at}`)],
    [{ notifyAfter: until, channelsBy: 'suppressed' }, by('held', `Sent if it lasts until ${at}`)],
    [{ channelsBy: 'suppressed', rules }, by('suppressed', 'By the rule A, B')],
  ])('of %j', (given, expected) => {
    expect(ask(fresh(given), 'open', { settings: { timeZone: 'Europe/Stockholm' } })).toEqual(expected);
  });

  test('a snooze does not hide that it got worse', () => {
    expect(names(ask(life({ snoozedUntil: until }), 'worsen'))).toHaveLength(2);
    expect(ask(life({ snoozedUntil: until, notifyAfter: until }), 'worsen').notNotified[0]?.reason).toBe('held');
  });

  test('and what a member ends is announced by its incident', () => {
    expect(ask(life({ isMember: true, digestIds: noted(operations) }), 'end')).toEqual({
      ...members,
      occasion: 'resolved',
    });
  });
});

/** The channels of the contract: others may be added. */
const ofContract = (found: ReturnType<typeof ask>['notNotified']) =>
  found.filter(({ channel }) => ['email', 'chat', 'sms', 'webhook', null].includes(channel));

describe('what begins is announced', () => {
  test('to operations on the channels of the alert, and why not on the others', () => {
    const { contacts, notNotified } = ask(fresh({ channels: ['email', 'chat', 'webhook'] }), 'open');
    expect(contacts).toEqual(contactsOf(operations).filter(({ channel }) => channel === 'email'));
    expect(ofContract(notNotified)).toEqual([
      { channel: 'chat', team: 'operations', reason: 'no-contact', detail: 'The team operations has no chat contact' },
      { channel: 'sms', team: 'operations', reason: 'matrix', detail: 'The settings do not use sms for CRITICAL' },
    ]);
  });

  test('by rules, where rules decided', () => {
    const rules = [{ ruleId: 'r-1', name: 'Quiet phones' }];
    const { notNotified } = ask(fresh({ channels: ['email', 'chat'], channelsBy: 'rules', rules }), 'open');
    const detail = 'Not used for CRITICAL, by the settings or the rules: Quiet phones';
    expect(ofContract(notNotified).slice(1)).toEqual([
      { channel: 'sms', team: 'operations', reason: 'rules', detail },
      { channel: 'webhook', team: 'operations', reason: 'rules', detail },
    ]);
  });

  test('to the team that a rule names, and to operations where that has no contacts', () => {
    expect(names(ask(fresh({ notifiedTeam: 'night' }), 'open'))[0]).toBe('email night@example.com');
    const [first] = names(ask(fresh({ notifiedTeam: 'night' }), 'open', { teams: [operations, emptyTeam('night')] }));
    expect(first).toBe('email operations@example.com');
  });
});

describe('an escalation is announced', () => {
  const step = (given: Partial<TakenStep> = {}): TakenStep => ({
    ...{ number: 1, of: 1, to: 'night', people: [], channels: [], reminders: 9, missing: null },
    ...given,
  });
  const people = [
    { personId: 'anna', name: 'Anna', email: 'anna@example.com', phone: '+46700000001' },
    { personId: 'bo', name: 'Bo', phone: '+46700000002' },
  ];
  const escalated = (given: Partial<Life>) =>
    life({ status: 'escalated', team: 'night', channels: ['webhook'], ...given });
  const missing = (detail: string) => [{ channel: null, team: 'night', reason: 'no-contact', detail }];

  test.each<[string, Partial<Life>, TeamRecord[], string[], unknown[]]>([
    ['always by mail', { step: step() }, [operations, night], ['email night@example.com'], []],
    [
      'on the channels of its step',
      { step: step({ channels: ['sms'] }) },
      [operations, night],
      ['email night@example.com', 'sms +46705000000'],
      [],
    ],
    [
      'on those of the alert',
      { channels: ['sms'], step: null },
      [operations, night],
      ['email night@example.com', 'sms +46705000000'],
      [],
    ],
    ['to operations where it names no team', { team: null }, [operations, night], ['email operations@example.com'], []],
    [
      'to the people of its step',
      { step: step({ people: ['bo'], channels: ['sms'] }) },
      [operations, { ...night, people }],
      ['sms Bo +46700000002'],
      [],
    ],
    [
      'to one whom no used channel reaches on any',
      { step: step({ people: ['bo'] }) },
      [operations, { ...night, people }],
      ['sms Bo +46700000002'],
      [],
    ],
    [
      'to the team where its people are gone',
      { step: step({ people: ['cy'] }) },
      [operations, { ...night, people }],
      ['email night@example.com'],
      [],
    ],
    [
      'to operations where the team has nobody',
      { step: step() },
      [operations, emptyTeam('night')],
      ['email operations@example.com'],
      missing('The team night has no contacts'),
    ],
    [
      'to operations where the team is gone',
      { step: null },
      [operations],
      ['email operations@example.com'],
      missing('There is no team night'),
    ],
    [
      'with what its step misses',
      { step: step({ missing: 'Nobody is on call in night' }) },
      [operations, night],
      ['email night@example.com'],
      missing('Nobody is on call in night'),
    ],
  ])('%s', (_, given, teams, expected, notNotified) => {
    for (const action of ['escalate', 'remind'] as const) {
      const audience = ask(escalated(given), action, { teams });
      expect(names(audience)).toEqual(expected);
      expect(audience.notNotified).toEqual(notNotified);
    }
  });
});
