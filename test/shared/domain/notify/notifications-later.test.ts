import { describe, expect, test } from 'vitest';
import { newLife } from '../../../../shared/domain/alert/alert.ts';
import type { AlertChange } from '../../../../shared/domain/alert/change.ts';
import { audienceOf } from '../../../../shared/domain/notify/notifications.ts';
import { targetIdOf, withNote } from '../../../../shared/domain/notify/target.ts';

import { contactsOf, emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { peopleChannels } from '../../../../shared/schema/channels.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import { startOfTests } from '../../../support/world/world.ts';

// Who is notified of later changes: that it was acknowledged, that it is over, and what quiet hours hold back.
type Noted = Parameters<typeof audienceOf>[0];
type Updates = NonNullable<Settings['updates']>;
const team = (name: string, phones: string[] = []): TeamRecord => ({
  ...emptyTeam(name),
  emails: [`${name}@example.com`],
  phones,
});
const teams = [team('operations', ['+46700000001']), team('night')];
const life = (given: Partial<Noted> = {}): Noted => ({
  ...newLife('CRITICAL', startOfTests),
  ...{ announcedAt: startOfTests, channels: ['email', 'sms'] },
  ...given,
});
type Given = { settings?: Partial<Settings>; at?: string | null; teams?: TeamRecord[] };
const ask = (record: Noted, action: AlertChange['kind'], { settings, at = null, teams: own = teams }: Given = {}) =>
  audienceOf(
    record,
    { action, from: null },
    { teams: new Map(own.map((each) => [each.name, each])), settings: { ...defaultSettings, ...settings } },
    at,
  );
const idsOf = (record: TeamRecord) => contactsOf(record).map(targetIdOf);
const digestIds = teams
  .flatMap(idsOf)
  .reduce<string[]>((all, targetId) => withNote(all, { targetId, window: 1, occasion: 'opened' }), []);
const names = (record: Noted, action: AlertChange['kind'], given: Given = {}) =>
  ask(record, action, given).contacts.map(({ name }) => name);

describe('who was notified that it began', () => {
  const [ops, nightly, phone] = ['operations@example.com', 'night@example.com', '+46700000001'];

  test('hears that it is over, in whatever team he is by now; by SMS only of what is critical', () => {
    expect(names(life({ digestIds }), 'end')).toEqual([ops, phone, nightly]);
    expect(names(life({ digestIds, severity: 'ERROR' }), 'end')).toEqual([ops, nightly]);
    expect(ask(life({ digestIds }), 'end').notNotified).toEqual([]);
  });

  test('hears that somebody has it, though not by SMS', () => {
    expect(names(life({ digestIds }), 'announce-taken')).toEqual([ops, nightly]);
  });

  test('hears it on the channels that the settings choose', () => {
    const none = Object.fromEntries(peopleChannels.map((channel) => [channel, []])) as unknown as Updates['resolved'];
    const updates: Updates = { acknowledged: none, resolved: { ...none, sms: ['CRITICAL'] } };
    expect(names(life({ digestIds }), 'end', { settings: { updates } })).toEqual([phone]);
    expect(names(life({ digestIds }), 'announce-taken', { settings: { updates } })).toEqual([]);
  });

  test('is the same once, in however many teams he is', () => {
    const twice = [...teams, { ...team('day'), emails: [ops.toUpperCase()] }];
    expect(names(life({ digestIds }), 'end', { teams: twice }).toSorted()).toEqual([phone, nightly, ops]);
  });

  test('is read from what the incident notes, and nobody where it notes nobody', () => {
    expect(names(life({ notifiedTargets: idsOf(team('night')) }), 'end')).toEqual([nightly]);
    expect(names(life({ notifiedTargets: [], digestIds }), 'end')).toEqual([]);
    expect(names(life({ digestIds: [] }), 'end')).toEqual([]);
    // A record from before `digestIds` existed: everybody who would be notified of its opening.
    expect(names(life(), 'end')).toEqual([ops, phone]);
  });
});

describe('quiet hours', () => {
  const quietAt = '2026-11-20T23:00:00.000Z';
  const morning = '2026-11-21T07:00:00.000Z';
  const warning = (given: Partial<Noted> = {}) => life({ severity: 'WARNING', ...given });
  const held = {
    channel: null,
    team: null,
    reason: 'quiet-hours',
    detail: 'Sent at 21 Nov 2026, 07:00 UTC, when the quiet hours end, if it is still true',
  };

  test('hold a warning until they end, with the reasons that there were before', () => {
    const { notNotified, ...others } = ask(warning({ announcedAt: null, channels: ['email'] }), 'open', {
      at: quietAt,
    });
    const ofContract = notNotified.filter(({ channel }) => ['email', 'chat', 'sms', 'webhook', null].includes(channel));
    expect({ ...others, notNotified: ofContract }).toEqual({
      occasion: 'opened',
      contacts: [],
      notNotified: [
        { channel: 'chat', team: 'operations', reason: 'matrix', detail: 'The settings do not use chat for WARNING' },
        { channel: 'sms', team: 'operations', reason: 'matrix', detail: 'The settings do not use sms for WARNING' },
        {
          channel: 'webhook',
          team: 'operations',
          reason: 'matrix',
          detail: 'The settings do not use webhook for WARNING',
        },
        held,
      ],
      quietUntil: morning,
    });
  });

  test.each<[string, Noted, AlertChange['kind'], string | null]>([
    ['what is more than a warning', life({ severity: 'ERROR' }), 'open', quietAt],
    ['what begins by day', warning(), 'open', '2026-11-20T12:00:00.000Z'],
    ['what is over', warning({ digestIds }), 'end', quietAt],
    ['what was never to wait', warning(), 'open', null],
  ])('do not hold %s', (_, record, action, at) => {
    const audience = ask(record, action, { at });
    expect(audience.contacts.length).toBeGreaterThan(0);
    expect(audience.quietUntil).toBeUndefined();
  });

  test('are not named where nobody would be notified, or where it is no news', () => {
    expect(ask(warning({ isMember: true }), 'open', { at: quietAt }).quietUntil).toBeUndefined();
    expect(ask(warning(), 'see', { at: quietAt })).toEqual({ occasion: null, contacts: [], notNotified: [] });
  });

  test('of a team stand in place of those of the settings: of the one that is notified', () => {
    const awake = { ...team('night'), quietHours: { schedule: 'night', hold: [] } };
    const own = { teams: [team('operations'), awake], at: quietAt };
    expect(ask(warning({ notifiedTeam: 'night' }), 'open', own).quietUntil).toBeUndefined();
    expect(ask(warning(), 'open', own).quietUntil).toBe(morning);
    const late = { status: 'escalated', notifiedTeam: 'night' } as const;
    for (const action of ['escalate', 'remind'] as const) {
      expect(ask(warning({ ...late, team: 'night' }), action, own).quietUntil).toBeUndefined();
      expect(ask(warning({ ...late, team: 'operations' }), action, own).quietUntil).toBe(morning);
      expect(ask(warning({ ...late, team: null }), action, own).quietUntil).toBe(morning);
    }
    expect(ask(warning({ ...late, team: 'operations' }), 'snooze-end', own).quietUntil).toBeUndefined();
  });
});
