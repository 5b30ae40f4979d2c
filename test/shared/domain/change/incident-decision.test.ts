import { describe, expect, test } from 'vitest';
import type { AlertChange } from '../../../../shared/domain/alert/change.ts';
import {
  type Beside,
  decideIncident,
  type IncidentChange,
  openingOf,
} from '../../../../shared/domain/change/incident-decision.ts';
import type { HandoffRecord } from '../../../../shared/domain/delivery/handoff.ts';
import type { Webhook } from '../../../../shared/domain/delivery/webhook.ts';
import type { IncidentRecord } from '../../../../shared/domain/incident/incident.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { targetIdOf } from '../../../../shared/domain/notify/target.ts';
import { contactsOf, emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { channels, type Severity } from '../../../../shared/schema/vocabulary.ts';
import { incident } from '../../../support/records/incidents.ts';
import { at } from '../../../support/world/timeline.ts';

const operations: TeamRecord = { ...emptyTeam('operations'), emails: ['ops@example.com'], phones: ['+46700000001'] };
const given = { at: at(590), recordedAt: at(600), waits: waitsAt(1) };
const endpoint = { webhookId: 'hook', events: ['incident'], filter: null, isEnabled: true, challenge: null };
const webhooks = [{ ...endpoint, maxAttempts: 5 }] as unknown as Webhook[];
const configurationOf = (team: TeamRecord = operations) => ({
  ...{ webhooks, rules: [], teams: new Map([[team.name, team]]), windows: [], settings: defaultSettings },
});
const ids = contactsOf(operations).map(targetIdOf);
const outage = (more: Partial<IncidentRecord> = {}) => incident({ channels: [...channels], version: 1, ...more });
const notified = { announcedAt: at(100), notifiedVersions: [1], notifiedTargets: ids };

function decided(record: IncidentRecord, change: AlertChange, beside?: Beside, team?: TeamRecord): IncidentChange {
  const outcome = decideIncident(record, { change, who: 'system' }, configurationOf(team), given, beside);
  if (outcome.kind !== 'change') throw new Error(`it was ${outcome.kind}`);
  return outcome;
}
const changesOf = ({ events }: IncidentChange) => events.map(({ body }) => JSON.parse(body ?? '{}').change);
const occasionsOf = ({ deliveries }: IncidentChange) =>
  deliveries.flatMap(({ message, channel }) => (message ? [`${channel} ${message.occasion}`] : []));
const step = { number: 1, of: 1, to: 'operations', people: [], channels: [], reminders: 0, missing: null };
const taken = { team: 'operations', step, remindAt: at(2400) };
const changes = {
  acknowledge: { kind: 'acknowledge' },
  announce: { kind: 'announce', why: 'It lasts' },
  end: { kind: 'end', resolution: 'automatic', why: 'Back' },
  escalate: { kind: 'escalate', why: 'Nobody', ...taken },
  remind: { kind: 'remind', why: 'Nobody', ...taken },
  maintain: { kind: 'maintain', why: 'The window' },
  'maintenance-end': { kind: 'maintenance-end', why: 'The window ended', escalated: null },
  'quiet-end': { kind: 'quiet-end', why: 'The night is over', escalated: null },
  update: { kind: 'update', why: '2 dark' },
  widen: { kind: 'widen', why: 'Wider' },
  'snooze-end': { kind: 'snooze-end', why: 'The snooze ended' },
} as const satisfies Record<string, AlertChange>;

describe('an incident begins', () => {
  const opening = (severity: Severity, settings = defaultSettings) =>
    openingOf(incident({ severity }), { ...configurationOf(), settings }, given);

  test('on every channel where it is critical, and otherwise on those of its severity and by mail', () => {
    const none = Object.fromEntries(channels.map((channel) => [channel, false]));
    const silent = {
      ...defaultSettings,
      channels: { CRITICAL: none, ERROR: none, WARNING: none, INFO: none } as never,
    };
    expect(opening('CRITICAL', silent).plan.channels).toEqual([...channels]);
    expect(opening('ERROR', silent).plan.channels).toEqual(['email']);
    const chat = { ...none, chat: true, webhook: true };
    const some = { ...defaultSettings, channels: { ERROR: chat } as never };
    expect(opening('ERROR', some).plan).toEqual({
      ...{ rules: [], channels: expect.arrayContaining(['email', 'chat', 'webhook']), channelsBy: 'matrix' },
      ...{ escalation: null, priority: null, notifiedTeam: null },
    });
    expect(opening('ERROR', some).plan.channels).toHaveLength(3);
  });

  test('with the response time of its severity', () => {
    expect(['CRITICAL', 'ERROR', 'WARNING', 'INFO'].map((one) => opening(one as Severity).responseMs)).toEqual([
      ...[300_000, 3_600_000, 86_400_000, null],
    ]);
  });

  test('with a message to each contact, an event, and notes of whom it was to reach', () => {
    const change = decided(outage({ version: 0 }), openingOf(outage(), configurationOf(), given));
    expect(occasionsOf(change)).toEqual(['email opened', 'sms opened']);
    expect(changesOf(change)).toEqual(['opened']);
    expect(change.incident).toMatchObject({
      announcedAt: at(600),
      notifiedVersions: [1],
      notifiedTargets: ids,
      version: 1,
    });
    expect(change.entry).toMatchObject({
      ...{ at: at(590), recordedAt: at(600), action: 'open', who: 'system' },
      ...{ entryId: `${change.incident.incidentId}-000001`, incidentId: change.incident.incidentId },
      changes: { announcedAt: at(600), notifiedVersions: [1] },
    });
    expect(change.entry.notified.map(({ channel, target }) => `${channel} ${target}`)).toEqual([
      ...['email operations: ops@example.com', 'sms operations: +46700000001', 'webhook hook'],
    ]);
  });

  test('silently while it is held back', () => {
    const opening = openingOf(outage(), configurationOf(), given);
    const change = decided(outage({ version: 0, notifyAfter: at(660) }), opening);
    expect([change.deliveries, change.events, change.incident.announcedAt]).toEqual([[], [], null]);
    expect(change.incident.notifiedVersions).toEqual([]);
    expect(change.entry.notNotified).toMatchObject([{ reason: 'held' }]);
    expect(changesOf(decided(change.incident, changes.announce))).toEqual(['opened']);
  });
});

describe('a change of an incident', () => {
  const waiting = { respondBy: at(900) };
  const hold = { windowId: 'w-1', name: 'Works', until: at(900) };
  test.each<[keyof typeof changes, Partial<IncidentRecord>, string[], string[]]>([
    ['acknowledge', notified, [], ['acknowledged']],
    ['acknowledge', { notifyAfter: at(700) }, [], []],
    ['escalate', { ...notified, ...waiting }, ['email escalated', 'sms escalated'], ['escalated']],
    ['remind', { ...notified, status: 'escalated' }, ['email reminded', 'sms reminded'], []],
    ['update', notified, [], ['updated']],
    ['update', {}, [], []],
    ['widen', notified, ['email updated', 'sms updated'], ['updated']],
    ['widen', {}, [], []],
    ['snooze-end', notified, ['email snooze-ended', 'sms snooze-ended'], []],
    ['maintain', {}, [], ['opened']],
    ['maintain', notified, [], []],
    ['maintenance-end', {}, ['email maintenance-ended', 'sms maintenance-ended'], ['opened']],
    ['maintenance-end', notified, ['email maintenance-ended', 'sms maintenance-ended'], []],
    ['quiet-end', notified, ['email opened', 'sms opened'], []],
    ['end', notified, ['email resolved'], ['resolved']],
    ['end', {}, [], []],
  ])('%s of %j tells people %j and endpoints %j', (kind, record, people, endpoints) => {
    const ending = kind === 'maintenance-end' ? { maintenanceUntil: at(580) } : {};
    const beside = kind === 'maintain' ? { hold } : {};
    const change = decided(outage({ ...record, ...ending }), changes[kind], beside);
    expect([occasionsOf(change).filter((each) => !each.startsWith('sms resolved')), changesOf(change)]).toEqual([
      people,
      endpoints,
    ]);
  });

  test('in maintenance is explained as what people would have got', () => {
    const change = decided(outage(), changes.maintain, { hold });
    expect(change.incident).toMatchObject({ maintenanceUntil: at(900), announcedAt: at(600), notifiedVersions: [] });
    expect(change.entry.notNotified).toMatchObject([{ reason: 'maintenance' }]);
    // Endpoints get `opened`, with the maintenance window, and only once.
    expect(changesOf(change)).toEqual(['opened']);
    expect(decided(outage(notified), changes.maintain, { hold }).incident.announcedAt).toBe(at(100));
  });

  test('that is not possible is refused, and one that changes nothing is none', () => {
    const decide = (record: IncidentRecord, change: AlertChange) =>
      decideIncident(record, { change, who: 'ana' }, configurationOf(), given).kind;
    const over = outage({ status: 'resolved', isOpen: false });
    expect(decide(over, changes.acknowledge)).toBe('refused');
    expect(decide(outage({ status: 'acknowledged' }), changes.acknowledge)).toBe('unchanged');
  });

  test('names its members to endpoints', () => {
    const members = [{ deviceId: 'cam-1', alertId: 'a-1', groupId: 'north' }];
    const [event] = decided(outage(notified), changes.update, { members }).events;
    expect(JSON.parse(event?.body ?? '').members).toEqual([{ deviceId: 'cam-1', alertId: 'a-1' }]);
    expect(JSON.parse(decided(outage(notified), changes.update).events[0]?.body ?? '').members).toEqual([]);
  });
});

describe('whom it was to reach', () => {
  const widened = (record: Partial<IncidentRecord>) => decided(outage(record), changes.widen).incident;

  test('is noted with the first version and the last seven', () => {
    const versions = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    const noted = (count: number) =>
      widened({ ...notified, notifiedVersions: versions(count), version: 20 }).notifiedVersions;
    expect(noted(7)).toEqual([1, 2, 3, 4, 5, 6, 7, 21]);
    expect(noted(8)).toEqual([1, 3, 4, 5, 6, 7, 8, 21]);
  });

  test('is noted for at most 200 targets, each once, and not in records that note none', () => {
    const others = (count: number) => Array.from({ length: count }, (_, index) => `t-${index}`);
    const noted = (notifiedTargets: string[]) => widened({ ...notified, notifiedTargets }).notifiedTargets;
    expect(noted([])).toEqual(ids);
    expect(noted(ids)).toEqual(ids);
    expect(noted(others(198))).toEqual([...others(198), ...ids]);
    expect(noted(others(199))).toEqual([...others(199), ids[0]]);
    const { notifiedTargets: _, ...old } = outage({ announcedAt: at(100), notifiedVersions: [1] });
    expect(decided(old, changes.widen).incident).not.toHaveProperty('notifiedTargets');
  });

  test('does not change with a reminder, with an end, or where there is nobody to notify', () => {
    const kept = (record: Partial<IncidentRecord>, change: AlertChange, team = operations) => {
      const { notifiedVersions, notifiedTargets } = decided(
        outage({ ...notified, notifiedTargets: ['t'], ...record }),
        change,
        {},
        team,
      ).incident;
      return [notifiedVersions, notifiedTargets];
    };
    expect(kept({ status: 'escalated' }, changes.remind)).toEqual([[1], ['t']]);
    expect(kept({}, changes.end)).toEqual([[1], ['t']]);
    expect(kept({}, changes.widen, emptyTeam('operations'))).toEqual([[1], ['t']]);
    expect(kept({}, changes.escalate)).toEqual([
      [1, 2],
      ['t', ...ids],
    ]);
  });
});

describe('a message', () => {
  const slotOf = (record: Partial<IncidentRecord>, change: AlertChange) =>
    decided(outage({ ...notified, ...record }), change).deliveries.find(({ channel }) => channel === 'email')?.slot;

  test('is urgent where the service is blind, and not when it sees again', () => {
    expect(slotOf({}, changes.widen)?.isUrgent).toBe(false);
    expect(slotOf({ kind: 'blind' }, changes.widen)?.isUrgent).toBe(true);
    expect(slotOf({ kind: 'blind' }, changes.end)?.isUrgent).toBe(false);
  });

  test('is gathered where many are sent at once', () => {
    expect(slotOf({}, changes['quiet-end'])).toMatchObject({ isGathered: true });
    expect(slotOf({}, changes.widen)).not.toHaveProperty('isGathered');
  });

  test('goes to each address once, about the version of the incident', () => {
    const twice = { ...operations, emails: ['ops@example.com', 'OPS@example.com'], phones: [] };
    const { deliveries, incident: after } = decided(outage(notified), changes.widen, {}, twice);
    const messages = deliveries.filter(({ channel }) => channel === 'email');
    expect(messages).toMatchObject([
      {
        ...{
          eventType: 'notification',
          eventId: `${after.incidentId} 2`,
          alertId: null,
          deviceId: null,
          groupId: null,
        },
        message: { about: 'incident', id: after.incidentId, occasion: 'updated' },
      },
    ]);
  });
});

test('a hand-off gets it once, and it is noted', () => {
  const handoff: HandoffRecord = {
    ...{ handoffId: 'h-1', kind: 'pagerduty', name: 'Pager', settings: {}, sealedCredential: null },
    severities: ['CRITICAL'],
  };
  const team = { ...operations, handoffs: [handoff] };
  const change = decided(outage(notified), changes.widen, {}, team);
  const deliveryId = change.deliveries.find(({ channel }) => channel === 'handoff')?.deliveryId;
  const handed = [{ handoffId: 'h-1', action: 'trigger', deliveryId, behind: null }];
  expect([change.incident.handed, change.entry.changes.handed]).toEqual([handed, handed]);
  const next = decided(change.incident, changes.update, {}, team);
  expect([next.incident.handed, 'handed' in next.entry.changes]).toEqual([handed, false]);
});
