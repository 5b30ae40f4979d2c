import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { alertHandedOver, handoffDelivery, incidentHandedOver } from '../../../../shared/domain/change/handoffs.ts';
import type { Handed, HandoffEvent, HandoffRecord } from '../../../../shared/domain/delivery/handoff.ts';
import { emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import { incident } from '../../../support/records/incidents.ts';
import { at } from '../../../support/world/timeline.ts';

const handoff = (given: Partial<HandoffRecord> = {}): HandoffRecord => ({
  handoffId: 'h-1',
  kind: 'pagerduty',
  name: 'Pager',
  settings: {},
  sealedCredential: null,
  severities: ['CRITICAL', 'ERROR'],
  ...given,
});
const settings = { timeZone: 'UTC', businessHours: [], schedules: {} };
const teamsOf = (...given: [name: string, ...handoffs: HandoffRecord[]][]) => ({
  teams: new Map<string, TeamRecord>(given.map(([name, ...handoffs]) => [name, { ...emptyTeam(name), handoffs }])),
  settings,
});
const seed = {
  alertId: 'a-1',
  deviceId: 'cam-1',
  groupId: 'north',
  code: 'CONN_001',
  message: 'Lost',
  context: {},
} as const;
const alert = (given: Partial<AlertRecord> = {}): AlertRecord => ({
  ...seedAlert(seed, at(0)),
  announcedAt: at(0),
  version: 3,
  ...given,
});
const handed = (action: Handed['action'], handoffId = 'h-1'): readonly Handed[] => [
  { handoffId, action, deliveryId: 'd-0', behind: null },
];
const operations = teamsOf(['operations', handoff()]);
const actions = (given: Partial<AlertRecord>, teams = operations) =>
  alertHandedOver(alert(given), teams, at(60)).deliveries.map(({ handoff: order }) => order?.action);

test('a hand-off with a filter gets what it chose, and the end of what it once got', () => {
  const choosy = (filter: NonNullable<HandoffRecord['filter']>) => teamsOf(['operations', handoff({ filter })]);
  const tagged = { tags: { wing: 'a' }, site: 'gate' };
  expect(actions(tagged, choosy({ codes: ['CONN_*'], tags: { wing: ['a'] }, sites: ['gate'] }))).toEqual(['trigger']);
  expect(actions(tagged, choosy({ codes: ['RES_*'] }))).toEqual([]);
  expect(actions(tagged, choosy({ groups: ['south'] }))).toEqual([]);
  expect(actions({ isOpen: false, handed: handed('trigger') }, choosy({ codes: ['RES_*'] }))).toEqual(['resolve']);
  const sent = (filter: NonNullable<HandoffRecord['filter']>) =>
    incidentHandedOver(incident({ announcedAt: at(0), groups: ['north', 'south'] }), choosy(filter), at(60)).deliveries;
  expect(sent({ groups: ['south'], codes: ['RES_*'] })).toHaveLength(1);
  expect(sent({ kinds: ['blind'] })).toHaveLength(0);
});

describe('a hand-off is sent', () => {
  test.each<[string, Partial<AlertRecord>, string[]]>([
    ['a trigger of what is open', {}, ['trigger']],
    ['a trigger and an acknowledgement of what somebody has', { status: 'acknowledged' }, ['trigger', 'acknowledge']],
    ['nothing of what was not announced yet', { announcedAt: null }, []],
    ['nothing of what is held back', { notifyAfter: at(90) }, []],
    ['nothing in maintenance', { maintenanceUntil: at(90) }, []],
    ['nothing of what a rule suppresses', { channelsBy: 'suppressed' }, []],
    ['nothing of a member of an incident', { isMember: true }, []],
    ['nothing of what is over', { isOpen: false, status: 'resolved' }, []],
    ['nothing of a severity that it does not take', { severity: 'WARNING' }, []],
    ['nothing twice', { handed: handed('trigger') }, []],
    ['nothing twice of what somebody has', { status: 'acknowledged', handed: handed('acknowledge') }, []],
    ['an acknowledgement of what it knows', { status: 'acknowledged', handed: handed('trigger') }, ['acknowledge']],
    ['a trigger when nobody has it any more', { handed: handed('acknowledge') }, ['trigger']],
    ['the end of what it knows', { isOpen: false, status: 'resolved', handed: handed('trigger') }, ['resolve']],
    ['the end when an incident takes its place', { isMember: true, handed: handed('acknowledge') }, ['resolve']],
    ['no second end', { isOpen: false, status: 'resolved', handed: handed('resolve') }, []],
    ['a trigger when it is back', { handed: handed('resolve') }, ['trigger']],
    ['no trigger of a return in maintenance', { handed: handed('resolve'), maintenanceUntil: at(90) }, []],
    [
      'what it knows even in maintenance',
      { status: 'acknowledged', handed: handed('trigger'), maintenanceUntil: at(90) },
      ['acknowledge'],
    ],
  ])('%s', (_, given, expected) => {
    expect(actions(given)).toEqual(expected);
  });

  test('no acknowledgement where its kind has none', () => {
    const teams = teamsOf(['operations', handoff({ kind: 'servicenow' })]);
    expect(actions({ status: 'acknowledged' }, teams)).toEqual(['trigger']);
    expect(actions({ status: 'acknowledged', handed: handed('trigger') }, teams)).toEqual([]);
  });

  test('nothing new while it is paused, but the end of what it knows', () => {
    const teams = teamsOf(['operations', handoff({ isPaused: true })]);
    expect(actions({}, teams)).toEqual([]);
    expect(actions({ isOpen: false, status: 'resolved', handed: handed('trigger') }, teams)).toEqual(['resolve']);
  });

  test('of another team only what a rule gave to the team or what was escalated to it', () => {
    const night = teamsOf(['night', handoff()]);
    expect(
      [{}, { notifiedTeam: 'night' }, { team: 'night' }, { team: 'day' }].map((given) => actions(given, night)),
    ).toEqual([[], ['trigger'], ['trigger'], []]);
  });
});

describe('what was handed over is noted', () => {
  test('for each hand-off its last event, in the order of the teams', () => {
    const teams = teamsOf(
      ['operations', handoff(), handoff({ handoffId: 'h-2', severities: ['INFO'] })],
      ['night', handoff({ handoffId: 'h-3' })],
    );
    const other = { handoffId: 'h-9', action: 'resolve', deliveryId: 'd-9', behind: null } as const;
    const before = alert({ status: 'acknowledged', team: 'night', handed: [other, ...handed('trigger')] });
    const { handed: after, deliveries } = alertHandedOver(before, teams, at(60));
    const [first, second, third] = deliveries;
    expect(after).toEqual([
      other,
      { handoffId: 'h-1', action: 'acknowledge', deliveryId: first?.deliveryId, behind: 'd-0' },
      { handoffId: 'h-3', action: 'acknowledge', deliveryId: third?.deliveryId, behind: second?.deliveryId },
    ]);
    expect(deliveries.map(({ handoff: order }) => order?.behind)).toEqual(['d-0', null, second?.deliveryId]);
  });

  test('and stays as it is where nothing is sent', () => {
    const known = handed('trigger');
    expect(alertHandedOver(alert({ handed: known }), operations, at(60))).toEqual({ handed: known, deliveries: [] });
    expect(alertHandedOver(alert(), operations, at(60)).deliveries).toHaveLength(1);
    expect(alertHandedOver(alert(), teamsOf(['operations']), at(60))).toEqual({ handed: [], deliveries: [] });
    expect(alertHandedOver(alert(), teamsOf(), at(60))).toEqual({ handed: [], deliveries: [] });
    // The hand-off that was notified of the alert no longer exists.
    expect(alertHandedOver(alert({ handed: known }), teamsOf(['operations']), at(60))).toEqual({
      handed: known,
      deliveries: [],
    });
    const old = { ...alert(), handed: [] };
    expect(alertHandedOver(old, teamsOf(['operations']), at(60))).toEqual({ handed: [], deliveries: [] });
  });
});

describe('the event', () => {
  test('of an alert names its camera and where it is', () => {
    const [delivery] = alertHandedOver(
      alert({ deviceName: 'Entrance', site: 'gbg', priority: 'P1' }),
      operations,
      at(60),
    ).deliveries;
    expect(JSON.parse(delivery?.body ?? '')).toEqual({
      ...{ action: 'trigger', key: 'a-1', about: 'alert', severity: 'CRITICAL', priority: 'P1', code: 'CONN_001' },
      ...{ deviceId: 'cam-1', groupId: 'north', site: 'gbg', path: 'alerts/a-1', startedAt: at(0), at: at(60) },
      ...{ title: expect.stringContaining('Entrance'), text: 'Lost' },
    });
    expect(delivery).toMatchObject({
      ...{ channel: 'handoff', target: { kind: 'handoff', team: 'operations', handoffId: 'h-1' } },
      ...{
        targetName: 'operations: Pager',
        eventType: 'alert',
        eventId: 'a-1:3:trigger',
        alertId: 'a-1',
        maxAttempts: 5,
      },
      handoff: { about: 'alert', key: 'a-1', action: 'trigger', behind: null, isRepeated: false },
    });
  });

  test('of an incident names its group where it has one, and its site where that is its scope', () => {
    const notified = (given: Parameters<typeof incident>[0]) => {
      const matter = incident({ severity: 'CRITICAL', announcedAt: at(0), notifyAfter: null, handed: [], ...given });
      const [delivery] = incidentHandedOver(matter, operations, at(60)).deliveries;
      const { groupId, site, deviceId, about, path } = JSON.parse(delivery?.body ?? '{}') as HandoffEvent;
      return { groupId, site, deviceId, about, path: path.split('/')[0], alertId: delivery?.alertId };
    };
    const common = { deviceId: null, about: 'incident', path: 'incidents', alertId: null };
    const scope = (kind: string) => ({ kind, id: 'gbg', name: 'Gbg' }) as never;
    expect(notified({ groups: ['north'], scope: scope('site') })).toEqual({ ...common, groupId: 'north', site: 'gbg' });
    expect(notified({ groups: ['north', 'south'], scope: scope('switch') })).toEqual({
      ...common,
      groupId: '*',
      site: null,
    });
    expect(incidentHandedOver(incident({ handed: [] }), teamsOf(), at(60))).toEqual({ handed: [], deliveries: [] });
  });
});

describe('the delivery', () => {
  const event: HandoffEvent = {
    ...{ action: 'trigger', key: 'a-1', about: 'alert', severity: 'CRITICAL', priority: null, title: '', text: '' },
    ...{ code: 'CONN_001', deviceId: 'cam-1', groupId: 'north', site: null, startedAt: at(0), at: at(60), path: '' },
  };
  const made = (kind: HandoffRecord['kind'], given: Partial<HandoffEvent> = {}, version = 1) =>
    handoffDelivery(
      { team: 'night', handoff: handoff({ kind }) },
      { ...event, ...given },
      { version, behind: null, alertId: null },
    );

  test('is the same for the same change, and another for another', () => {
    const ids = [made('generic'), made('generic'), made('generic', {}, 2), made('generic', { action: 'resolve' })];
    const [first, ...others] = ids.map(({ deliveryId }) => deliveryId);
    expect(others.map((id) => id === first)).toEqual([true, false, false]);
  });

  test('of a test is tried once and never repeated; a receiver that forgets is repeated what is open', () => {
    const repeated = (given: Partial<HandoffEvent>) => made('alertmanager', given).handoff?.isRepeated;
    expect([repeated({}), repeated({ action: 'resolve' }), repeated({ about: 'test' })]).toEqual([true, false, false]);
    expect([made('pagerduty').maxAttempts, made('pagerduty', { about: 'test' }).maxAttempts]).toEqual([5, 1]);
  });
});
