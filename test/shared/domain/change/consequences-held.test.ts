import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import type { AlertChange } from '../../../../shared/domain/alert/change.ts';
import { consequencesOf, gatheredChanges } from '../../../../shared/domain/change/consequences.ts';
import type { Step, Steps } from '../../../../shared/domain/change/steps.ts';
import type { HandoffRecord } from '../../../../shared/domain/delivery/handoff.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { emptyTeam, type TeamRecord } from '../../../../shared/domain/notify/team.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { channels } from '../../../../shared/schema/vocabulary.ts';
import { at } from '../../../support/world/timeline.ts';

type Some = Partial<AlertRecord>;

const handoff: HandoffRecord = {
  ...{ handoffId: 'h-1', kind: 'pagerduty', name: 'Pager', settings: {}, sealedCredential: null },
  severities: ['CRITICAL', 'WARNING'],
};
const operations: TeamRecord = { ...emptyTeam('operations'), emails: ['ops@example.com'] };
const paged: TeamRecord = { ...operations, handoffs: [handoff] };
const seed = {
  alertId: 'a-1',
  deviceId: 'cam-1',
  groupId: 'north',
  code: 'RES_002',
  message: 'High',
  context: {},
} as const;
const alert = (given: Some = {}): AlertRecord => ({ ...seedAlert(seed, at(0)), channels: [...channels], ...given });

function step(action: AlertChange['kind'], was: Some | null, is: Some = {}): Step {
  const before = was && alert({ version: 1, ...was });
  const after = alert({ version: 2, ...was, ...is });
  const who = { entryId: 'a-1-2', alertId: 'a-1', deviceId: 'cam-1', groupId: 'north', who: 'system', why: null };
  const when = { at: at(590), recordedAt: at(590), expireAt: at(9000) };
  const status = { from: before?.status ?? null, to: after.status };
  return {
    before,
    after,
    entry: { ...who, ...when, ...status, action, changes: is, notified: [], notNotified: [] },
  };
}
/** Half past eleven in the evening. At night warnings wait until seven. */
const evening = '2026-11-20T23:30:00.000Z';
const morning = '2026-11-21T07:00:00.000Z';

function caused(steps: Steps, { recordedAt = at(600), team = operations } = {}) {
  const teams = new Map([['operations', team]]);
  const configuration = { webhooks: [], rules: [], teams, windows: [], settings: defaultSettings };
  const beside = {
    alerts: new Map(),
    activity: new Map(),
    targets: { has: () => true, get: () => null },
  };
  const known = { ...beside, configuration } as unknown as Parameters<typeof consequencesOf>[1];
  const change = consequencesOf([steps], known, { at: at(590), recordedAt, waits: waitsAt(1) });
  if (change.kind === 'needs') throw new Error('needs more');
  return change;
}
const left = (given: Step, recordedAt = evening) => caused([given], { recordedAt }).alerts[0];

describe('quiet hours', () => {
  const waiting = { respondBy: '2026-11-22T00:00:00.000Z', dueAt: '2026-11-22T00:00:00.000Z' };

  test('hold an opening until they end, and wake then', () => {
    const change = caused([step('open', null, waiting)], { recordedAt: evening });
    expect(change.deliveries).toEqual([]);
    expect(change.alerts[0]).toMatchObject({ quietUntil: morning, dueAt: morning, digestIds: [] });
    expect(change.entries[0]).toMatchObject({
      changes: { quietUntil: morning, dueAt: morning },
      notNotified: expect.arrayContaining([expect.objectContaining({ reason: 'quiet-hours' })]),
    });
    // Endpoints are notified at once.
    expect(change.alerts[0]?.announcedAt).toBe(evening);
  });

  test('hold nothing by day', () => {
    const change = caused([step('open', null, waiting)]);
    expect(change.deliveries).toHaveLength(1);
    // People are told ten seconds after the report, and the response time starts then.
    expect(change.alerts[0]).toMatchObject({ quietUntil: null, dueAt: '2026-11-22T00:00:10.000Z' });
  });

  test('go on after a change that is no news, and are over where a change ends them', () => {
    expect(left(step('see', { ...waiting, quietUntil: morning }))).toMatchObject({
      quietUntil: morning,
      dueAt: morning,
    });
    expect(left(step('acknowledge', { ...waiting, quietUntil: morning }, { quietUntil: null }))).toMatchObject({
      quietUntil: null,
      dueAt: waiting.dueAt,
    });
    const undone = step('unacknowledge', waiting, { quietUntil: morning });
    expect(left(undone)).toMatchObject({ quietUntil: morning, dueAt: morning });
    const { quietUntil: _, ...old } = alert();
    const first = step('see', waiting);
    expect(left({ ...first, after: old as AlertRecord })?.quietUntil).toBeNull();
    const lacking = { ...first, entry: { ...first.entry, changes: { quietUntil: undefined } }, after: old };
    expect(left(lacking as unknown as Step)?.quietUntil).toBeNull();
  });

  test('that began with the first of two changes last through the second, unless it ends them', () => {
    const second = step('see', { ...waiting, version: 2 }, { version: 3 });
    const change = caused([step('open', null, waiting), second], { recordedAt: evening });
    expect(change.alerts[0]).toMatchObject({ quietUntil: morning, dueAt: morning, version: 3 });
    const taken = step('acknowledge', waiting, { quietUntil: null, version: 3 });
    expect(caused([step('open', null, waiting), taken], { recordedAt: evening }).alerts[0]).toMatchObject({
      quietUntil: null,
      dueAt: waiting.dueAt,
    });
  });

  const urging = { status: 'escalated', remindAt: '2026-11-21T00:00:00.000Z' } as const;
  test.each(['escalate', 'remind'] as const)('keep the next step after a held %s waiting', (action) => {
    const was = { announcedAt: at(0), status: 'escalated' } as const;
    expect(left(step(action, was, urging))).toMatchObject({ remindAt: null, dueAt: morning, quietUntil: morning });
    expect(left(step(action, was, urging), at(600))).toMatchObject({ remindAt: urging.remindAt, quietUntil: null });
    const change = caused([step(action, was, urging)], { recordedAt: evening });
    expect(change.entries[0]?.changes).toMatchObject({ remindAt: null });
  });

  test('keep the next step going after another change that they hold', () => {
    expect(left(step('snooze-end', { announcedAt: at(0) }, urging))).toMatchObject({
      remindAt: urging.remindAt,
      quietUntil: morning,
      dueAt: urging.remindAt,
    });
    expect(left(step('see', { announcedAt: at(0), quietUntil: null }, urging))?.remindAt).toBe(urging.remindAt);
  });
});

describe('a hand-off', () => {
  test('gets the opening, which the alert and its trail note', () => {
    const change = caused([step('open', null)], { team: paged });
    const [delivery] = change.deliveries.filter(({ channel }) => channel === 'handoff');
    const handed = [{ handoffId: 'h-1', action: 'trigger', deliveryId: delivery?.deliveryId, behind: null }];
    expect(change.alerts[0]?.handed).toEqual(handed);
    expect(change.entries[0]?.changes).toMatchObject({ handed });
    expect(change.entries[0]?.notified.map(({ channel, target }) => `${channel} ${target}`)).toEqual([
      'email ops@example.com',
      'handoff operations: Pager',
    ]);
  });

  test('gets both of two changes in a row, one behind the other', () => {
    const taken = step('acknowledge', { announcedAt: at(600) }, { status: 'acknowledged', version: 3 });
    const change = caused([step('open', null), taken], { team: paged });
    const handoffs = change.deliveries.filter(({ channel }) => channel === 'handoff');
    expect(handoffs.map(({ handoff: order }) => [order?.action, order?.behind])).toEqual([
      ['trigger', null],
      ['acknowledge', handoffs[0]?.deliveryId],
    ]);
    expect(change.alerts[0]?.handed).toMatchObject([{ handoffId: 'h-1', action: 'acknowledge' }]);
  });

  test('is noted as before where it gets nothing, and the trail does not repeat it', () => {
    const handed = [{ handoffId: 'h-1', action: 'trigger', deliveryId: 'd-1', behind: null }] as const;
    const change = caused([step('see', { announcedAt: at(0), handed })], { team: paged });
    expect(change.alerts[0]?.handed).toEqual(handed);
    expect(change.entries[0]?.changes).not.toHaveProperty('handed');
  });

  test('that does not exist is not noted', () => {
    const change = caused([step('open', null)]);
    expect(change.alerts[0]).not.toHaveProperty('handed');
    expect(change.entries[0]?.changes).not.toHaveProperty('handed');
  });
});

test('the ends of quiet hours and of maintenance, and reminders, are gathered', () => {
  expect([...gatheredChanges].toSorted()).toEqual(['maintenance-end', 'quiet-end', 'remind']);
});
