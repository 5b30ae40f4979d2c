import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import type { AlertChange } from '../../../../shared/domain/alert/change.ts';
import type { Change, DecisionContext, KnownAll } from '../../../../shared/domain/change/change.ts';
import { consequencesOf } from '../../../../shared/domain/change/consequences.ts';
import type { Step, Steps } from '../../../../shared/domain/change/steps.ts';
import type { Webhook } from '../../../../shared/domain/delivery/webhook.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { type TargetRecord, targetIdOf, withNote } from '../../../../shared/domain/notify/target.ts';

import { contactsOf, emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { channels } from '../../../../shared/schema/vocabulary.ts';
import { at } from '../../../support/world/timeline.ts';

type Kind = AlertChange['kind'];
type Some = Partial<AlertRecord>;

const operations: TeamRecord = { ...emptyTeam('operations'), emails: ['ops@example.com'] };
const night: TeamRecord = { ...emptyTeam('night'), emails: ['OPS@example.com', 'night@example.com'] };
const endpoint = {
  webhookId: 'all',
  events: ['alert'],
  filter: null,
  isEnabled: true,
  challenge: null,
  maxAttempts: 5,
};
const webhooks = [endpoint, { ...endpoint, webhookId: 'alone', membersOfIncidents: false }] as unknown as Webhook[];
const configuration = {
  webhooks,
  rules: [],
  teams: new Map<string, TeamRecord>(),
  windows: [],
  settings: defaultSettings,
};
const [opsId = '', _same, nightId = ''] = [...contactsOf(operations), ...contactsOf(night)].map(targetIdOf);
const seed = {
  alertId: 'a-1',
  deviceId: 'cam-1',
  groupId: 'north',
  code: 'CONN_001',
  message: 'Lost',
  context: {},
} as const;
const alert = (given: Some = {}): AlertRecord => ({
  ...seedAlert(seed, at(0)),
  ...{ channels: [...channels], version: 1, respondBy: at(900), dueAt: at(900) },
  ...given,
});

/** One change of an alert: what it was before (null: there was none), and what the change sets. */
function step(action: Kind, was: Some | null, is: Some = {}): Step {
  const before = was && alert(was);
  const after = alert({ ...was, version: (before?.version ?? 0) + 1, ...is });
  const who = { entryId: `a-1-${after.version}`, alertId: 'a-1', deviceId: 'cam-1', groupId: 'north', who: 'system' };
  const when = { at: at(590), recordedAt: at(590), expireAt: at(9000) };
  const status = { from: before?.status ?? null, to: after.status, why: null };
  return {
    before,
    after,
    entry: { ...who, ...when, ...status, action, changes: is, notified: [], notNotified: [] },
  };
}
type Beside = { teams?: TeamRecord[]; targets?: KnownAll['targets']; recordedAt?: string };
const decide = (lives: Steps[], { teams = [operations, night], targets, recordedAt = at(600) }: Beside = {}) => {
  const none = new Map<string, null>([opsId, nightId].map((id) => [id, null]));
  const beside = { alerts: new Map(), activity: new Map(), targets: targets ?? none };
  const known = { ...beside, configuration: { ...configuration, teams: new Map(teams.map((one) => [one.name, one])) } };
  return consequencesOf(lives, known, { at: at(590), recordedAt, waits: waitsAt(1) } satisfies DecisionContext);
};
function caused(steps: Steps | Step, beside: Beside = {}): Change {
  const change = decide(['after' in steps ? [steps] : steps], beside);
  if (change.kind === 'needs') throw new Error(`needs ${change.targets}`);
  return change;
}
const eventsOf = ({ events }: Change) => events.map(({ body }) => `${JSON.parse(body ?? '{}').change}`);
const endpointsOf = ({ deliveries }: Change) =>
  deliveries.flatMap(({ channel, targetName }) => (channel === 'webhook' ? [targetName] : []));
const peopleOf = ({ deliveries }: Change) =>
  deliveries.flatMap(({ channel, targetName }) => (channel === 'email' ? [targetName] : []));
const notified = { announcedAt: at(100) };
const held = { notifyAfter: at(700) };
const noted = (...ids: string[]) =>
  ids.reduce<string[]>((notes, targetId) => withNote(notes, { targetId, window: 1, occasion: 'opened' }), []);
/** A target that got the opening of the alert as a message of its own. */
const knows = {
  window: 1,
  left: [{ about: 'a-1', occasion: 'opened' }],
  directAt: [],
  smsAt: [],
  urgentAt: [],
  urgentDevices: [],
  dueAt: null,
};
const known = new Map([opsId, nightId].map((id) => [id, knows as unknown as TargetRecord]));

describe('endpoints get', () => {
  test.each<[string, Kind, Some | null, Some, string[]]>([
    ['an opening', 'open', null, {}, ['opened']],
    ['nothing of an opening that is held back', 'open', null, held, []],
    ['nothing of an opening that a rule suppresses', 'open', null, { channelsBy: 'suppressed' }, []],
    ['nothing of an opening that is snoozed', 'open', null, { snoozedUntil: at(900) }, []],
    ['nothing where the settings do not use them', 'open', null, { channels: ['email'] }, []],
    ['the opening in maintenance', 'open', null, { maintenanceUntil: at(900) }, ['opened']],
    ['the opening of a member', 'open', null, { isMember: true }, ['opened']],
    ['what was held back, when it lasts', 'announce', held, { notifyAfter: null }, ['opened']],
    ['the return of what was held back', 'announce', { ...notified, ...held }, { notifyAfter: null }, ['reopened']],
    ['what was held back, when it joins', 'join', held, { notifyAfter: null, isMember: true }, ['opened']],
    ['nothing when what they know joins', 'join', notified, { isMember: true }, []],
    ['nothing when what they know and is held joins', 'join', { ...notified, ...held }, { notifyAfter: null }, []],
    [
      'what was held back, in maintenance',
      'maintain',
      held,
      { notifyAfter: null, maintenanceUntil: at(900) },
      ['opened'],
    ],
    ['nothing when what they know is maintained', 'maintain', notified, { maintenanceUntil: at(900) }, []],
    ['the acknowledgement of what they know', 'acknowledge', notified, { status: 'acknowledged' }, ['acknowledged']],
    ['nothing of what they do not know', 'acknowledge', {}, { status: 'acknowledged' }, []],
    ['nothing of a return that is held', 'acknowledge', { ...notified, ...held }, {}, []],
    ['nothing of the end of a held return', 'end', { ...notified, ...held }, { notifyAfter: null, isOpen: false }, []],
    ['the first worsening of what they do not know', 'worsen', { status: 'acknowledged' }, {}, ['opened']],
    ['no worsening of what they know', 'worsen', notified, {}, []],
    ['an escalation', 'escalate', notified, { status: 'escalated' }, ['escalated']],
    ['an end', 'end', notified, { status: 'resolved', isOpen: false }, ['resolved']],
    ['no end of what they do not know', 'end', {}, { status: 'resolved', isOpen: false }, []],
    ['a return', 'return', notified, {}, ['reopened']],
    ['a reopening', 'reopen', notified, {}, ['reopened']],
    ['no sighting', 'see', notified, {}, []],
    ['what leaves its incident', 'leave', { ...notified, isMember: true }, { isMember: false }, ['opened']],
  ])('%s', (_, action, was, is, events) => {
    expect(eventsOf(caused(step(action, was, is)))).toEqual(events);
  });

  test('the opening although a team has nobody to notify', () => {
    const change = caused(step('open', null), { teams: [emptyTeam('operations')] });
    expect([eventsOf(change), peopleOf(change), change.alerts[0]?.announcedAt]).toEqual([['opened'], [], at(600)]);
  });

  test('members of incidents only where they want them, and what is released only where they did not', () => {
    const folded = { isMember: true };
    expect(endpointsOf(caused(step('open', null)))).toEqual(['all', 'alone']);
    expect(endpointsOf(caused(step('open', null, folded)))).toEqual(['all']);
    expect(endpointsOf(caused(step('join', {}, folded)))).toEqual(['all']);
    expect(endpointsOf(caused(step('acknowledge', { ...notified, ...folded })))).toEqual(['all']);
    expect(endpointsOf(caused(step('leave', { ...notified, ...folded }, { isMember: false })))).toEqual(['alone']);
    expect(endpointsOf(caused(step('acknowledge', notified)))).toEqual(['all', 'alone']);
  });

  test('all of what they got by itself until its end, in an incident too, and nothing of its release', () => {
    const taken = { ...notified, isMember: true, isKnownAlone: true };
    expect(endpointsOf(caused(step('acknowledge', taken)))).toEqual(['all', 'alone']);
    const ended = caused(step('end', taken, { status: 'resolved', isOpen: false }));
    expect([endpointsOf(ended), ended.alerts[0]?.isKnownAlone]).toEqual([['all', 'alone'], false]);
    expect(eventsOf(caused(step('leave', taken, { isMember: false })))).toEqual([]);
  });

  test.each<[string, Kind, Some | null, Some, boolean]>([
    ['an opening', 'open', null, {}, true],
    ['an opening in maintenance', 'open', null, { maintenanceUntil: at(900) }, true],
    ['the release from an incident', 'leave', { ...notified, isMember: true }, { isMember: false }, true],
    ['the opening of a member', 'open', null, { isMember: true }, false],
    ['an opening that is held back', 'open', null, held, false],
    ['a return that is held back', 'return', notified, held, false],
    ['an opening that is suppressed', 'open', null, { channelsBy: 'suppressed' }, false],
  ])('is %s known by itself?', (_, action, was, is, isKnownAlone) => {
    const { alerts, entries } = caused(step(action, was, is));
    expect(alerts[0]?.isKnownAlone).toBe(isKnownAlone);
    expect(entries[0]?.changes).toMatchObject(isKnownAlone ? { isKnownAlone } : {});
  });

  test('each change at its own time and version', () => {
    const [event] = caused(step('acknowledge', { ...notified, version: 6 })).events;
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ timestamp: at(590), alert: { alertId: 'a-1' } });
    expect(event?.eventId).toBe('a-1:7');
  });
});

test('the first change that is announced is noted, and no later one replaces it', () => {
  const announced = (...given: Parameters<typeof step>) => caused(step(...given)).alerts[0]?.announcedAt;
  expect(announced('open', null)).toBe(at(600));
  expect(announced('open', null, { channels: ['email'] })).toBe(at(600));
  expect(announced('open', null, held)).toBeNull();
  expect(announced('see', {})).toBeNull();
  expect(announced('reopen', notified)).toBe(at(100));
});

describe('people get', () => {
  test('one message for an opening that also escalates, and who is only on the later step gets that', () => {
    const steps: Steps = [step('open', null), step('escalate', {}, { status: 'escalated', team: 'night', version: 2 })];
    const { deliveries, entries, alerts } = caused(steps);
    const messages = deliveries.filter(({ channel }) => channel === 'email');
    expect(messages.map(({ targetName, eventId, message }) => `${targetName} ${eventId} ${message?.occasion}`)).toEqual(
      ['operations: ops@example.com a-1 1 opened', 'night: night@example.com a-1 2 escalated'],
    );
    expect(entries.map((entry) => entry.notified.map(({ target, channel }) => `${channel} ${target}`))).toEqual([
      ['email ops@example.com', 'webhook all', 'webhook alone'],
      ['email night@example.com', 'webhook all', 'webhook alone'],
    ]);
    expect(alerts.map(({ digestIds, version }) => [digestIds, version])).toEqual([
      [withNote(noted(opsId), { targetId: nightId, window: 1, occasion: 'escalated' }), 2],
    ]);
  });

  test('the end of a member only where they were told of it by itself', () => {
    const told = { ...notified, isMember: true, digestIds: noted(opsId) };
    const over = { status: 'resolved', isOpen: false } as const;
    const endOf = (was: Some) => peopleOf(caused(step('end', { ...told, ...was }, over), { targets: known }));
    expect(endOf({ isKnownAlone: true })).toEqual(['operations: ops@example.com']);
    expect(endOf({})).toEqual([]);
    expect(peopleOf(caused(step('acknowledge', { ...told, isKnownAlone: true }), { targets: known }))).toEqual([]);
  });

  test('nothing by itself of what an incident takes in before its first message leaves', () => {
    const notesOf = (toldAt: string) =>
      caused(step('join', { ...notified, digestIds: noted(opsId), toldAt }, { isMember: true, toldAt })).alerts[0]
        ?.digestIds;
    expect(notesOf(at(600))).toEqual([]);
    expect(notesOf(at(580))).toEqual(noted(opsId));
  });

  test('the end as well as the news of the same moment', () => {
    const notes = { ...notified, digestIds: noted(opsId) };
    const end = step('end', { ...notes, version: 2 }, { status: 'resolved', isOpen: false });
    const change = caused([step('reopen', notes), end], { targets: known });
    expect(change.deliveries.flatMap(({ message }) => message?.occasion ?? [])).toEqual(['reopened', 'resolved']);
  });

  test.each<[Kind, Some, { isUrgent: boolean; isGathered?: true }]>([
    ['open', {}, { isUrgent: false }],
    ['open', { category: 'security' }, { isUrgent: true }],
    ['end', { category: 'security', isOpen: false, ...notified, digestIds: noted(opsId) }, { isUrgent: false }],
    ['quiet-end', {}, { isUrgent: false, isGathered: true }],
    ['quiet-end', { category: 'security' }, { isUrgent: true, isGathered: true }],
    ['maintenance-end', {}, { isUrgent: false, isGathered: true }],
    ['remind', { status: 'escalated' }, { isUrgent: false, isGathered: true }],
    ['snooze-end', {}, { isUrgent: false }],
  ])('a message of %s of %j with the slot %j', (action, is, slot) => {
    const { deliveries } = caused(step(action, {}, is), { targets: known });
    const { isUrgent, isGathered, window } = deliveries.find(({ channel }) => channel === 'email')?.slot ?? {};
    expect({ isUrgent, isGathered, window }).toEqual({ isGathered: undefined, ...slot, window: 1 });
  });

  test('nothing of a change that is no news, and its notes stay', () => {
    const change = caused(step('see', { ...notified, digestIds: noted(opsId) }));
    expect([change.deliveries, change.alerts[0]?.digestIds]).toEqual([[], noted(opsId)]);
    expect(change.entries[0]).toMatchObject({ notified: [], notNotified: [] });
  });

  test('the reason where they are not notified', () => {
    expect(caused(step('open', null, held)).entries[0]?.notNotified).toMatchObject([{ channel: null, reason: 'held' }]);
  });

  test('nothing before their budgets are known, each asked once', () => {
    const other: Steps = [{ ...step('open', null), after: alert({ alertId: 'a-2' }) }];
    const asked = (targets: KnownAll['targets']) => decide([[step('open', null)], other], { targets });
    expect(asked(new Map())).toEqual({ kind: 'needs', alerts: [], targets: [opsId] });
    expect(asked(new Map([[opsId, null]]))).toMatchObject({ kind: 'change', alerts: [{}, { alertId: 'a-2' }] });
    expect(decide([[step('see', null)]], { targets: new Map() }).kind).toBe('change');
  });
});

test('the trail says when it was written, and of which incident an alert became a member', () => {
  const joined = (action: Kind) => caused(step(action, notified, { incidentId: 'i-1' }));
  const entry = ({ entries: [first] }: Change) => ({ ...first?.changes, recordedAt: first?.recordedAt });
  expect(entry(joined('join'))).toMatchObject({ incidentId: 'i-1', recordedAt: at(600), announcedAt: at(100) });
  const changes = (action: Kind) => {
    const given = step(action, { ...notified, incidentId: 'i-1' });
    return caused(given).entries[0]?.changes;
  };
  expect(changes('join')).toHaveProperty('incidentId', 'i-1');
  expect(changes('return')).toHaveProperty('incidentId', 'i-1');
  expect(changes('acknowledge')).not.toHaveProperty('incidentId');
});

test('what is counted is counted with the change', () => {
  expect(caused(step('open', null)).counters).toMatchObject([
    { set: { groupId: 'north' }, add: { hours: { '10': { 'opened CRITICAL': 1 } } } },
  ]);
  expect(caused(step('see', notified)).counters).toEqual([]);
});
