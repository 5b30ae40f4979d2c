import { describe, expect, test } from 'vitest';
import { type AlertCommand, actOnAlert, changeOf, getAlert, refusalOf } from '../../../../shared/app/alerts/actions.ts';
import { actOnAlerts } from '../../../../shared/app/alerts/batch.ts';
import type { AppError } from '../../../../shared/errors.ts';
import { alertOf, ana, giveTeam, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { createFaultyStore } from '../../../support/stores/faulty-store.ts';
import { at } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const now = at(0);
const days = 24 * 60 * 60;
const faultOf = (command: AlertCommand) => {
  try {
    return changeOf(command, now);
  } catch (error) {
    return (error as AppError).message;
  }
};

describe('a snooze', () => {
  test.each<[string, AlertCommand & { kind: 'snooze' }, string]>([
    ['neither', { kind: 'snooze' }, 'The body must contain either `until` or `minutes`.'],
    ['both', { kind: 'snooze', until: at(60), minutes: 1 }, 'The body must contain either `until` or `minutes`.'],
    ['now', { kind: 'snooze', until: at(0) }, '/until must lie ahead.'],
    ['no minutes', { kind: 'snooze', minutes: 0 }, '/minutes must lie ahead.'],
    [
      'more than 30 days',
      { kind: 'snooze', until: at(30 * days + 0.001) },
      '/until must be at most 30 days in the future.',
    ],
    [
      'as many minutes',
      { kind: 'snooze', minutes: 30 * 24 * 60 + 1 },
      '/minutes must be at most 30 days in the future.',
    ],
  ])('with %s is refused', (_what, command, said) => {
    expect(faultOf(command)).toBe(said);
  });

  test('ends at a time or after minutes, at most 30 days ahead, and keeps its comment', () => {
    expect(faultOf({ kind: 'snooze', until: at(0.001) })).toEqual({ kind: 'snooze', until: at(0.001) });
    expect(faultOf({ kind: 'snooze', until: at(30 * days) })).toEqual({ kind: 'snooze', until: at(30 * days) });
    expect(faultOf({ kind: 'snooze', minutes: 5, comment: 'Later' })).toEqual({
      kind: 'snooze',
      until: at(300),
      comment: 'Later',
    });
    expect(faultOf({ kind: 'snooze', until: '2026-11-20T12:00:00+01:00' })).toEqual({
      kind: 'snooze',
      until: at(3600),
    });
  });
});

test('a command other than a snooze is used as the change', () => {
  expect(changeOf({ kind: 'resolve', comment: 'Done' }, now)).toEqual({ kind: 'resolve', comment: 'Done' });
});

test('a refusal says what is not possible, why, and what is possible', () => {
  const refused = { status: 'resolved', availableActions: ['reopen'] };
  const said = (kind: 'acknowledge' | 'unsnooze', more = {}) =>
    refusalOf('alert', { kind }, { ...refused, ...more }) as AppError;
  expect(said('acknowledge')).toMatchObject({
    code: 'invalid-transition',
    message: 'An alert that is resolved cannot acknowledge.',
    members: { alertStatus: 'resolved', availableActions: ['reopen'] },
  });
  expect(said('acknowledge').members).not.toHaveProperty('openAlertId');
  expect(said('unsnooze').message).toBe(
    'An alert that is resolved cannot unsnooze: only the person who did it can undo it, for 60 s.',
  );
  const note = refusalOf('incident', { kind: 'add-note', text: 'x' }, refused);
  expect(note.message).toBe('An incident that is resolved cannot take a note.');
  const beside = said('acknowledge', { openAlertId: 'a-2' });
  expect([beside.message, beside.members['openAlertId']]).toEqual([
    'Another alert of its code is open on this device.',
    'a-2',
  ]);
});

test('an alert of another group is not found, to read or to act on', async () => {
  const world = createTestWorld();
  const alertId = await openTestAlert(world, { groupId: 'south' });
  const ofNorth = { ...ana, groups: ['north'] };
  await expect(getAlert(world, ofNorth, alertId)).rejects.toMatchObject({ code: 'not-found' });
  await expect(actOnAlert(world, ofNorth, alertId, { kind: 'resolve' }, null)).rejects.toMatchObject({
    code: 'not-found',
  });
  expect((await getAlert(world, { ...ana, groups: ['south'] }, alertId)).alert.alertId).toBe(alertId);
});

test('a person can undo an action for a minute, and the answer says until when', async () => {
  const world = createTestWorld();
  const alertId = await openTestAlert(world);
  const taken = await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
  expect(taken.alert).toMatchObject({ status: 'acknowledged', undoUntil: at(60) });
  const again = await actOnAlert(world, { ...ana, subject: 'bo' }, alertId, { kind: 'acknowledge' }, null);
  expect(again.alert.undoUntil ?? null).toBeNull();
  const noted = await actOnAlert(world, ana, alertId, { kind: 'add-note', text: 'On my way' }, null);
  expect(noted.alert.undoUntil ?? null).toBeNull();
});

describe('one action on many alerts', () => {
  test('returns a result for each, in the order of the request', async () => {
    const world = createTestWorld();
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    const ids: string[] = [];
    for (let number = 0; number < 12; number += 1) ids.push(await openTestAlert(world));
    const missing = uuidOf(777);
    const { results } = await actOnAlerts(world, ana, {
      action: 'snooze',
      alertIds: [...ids, missing],
      minutes: 5,
      comment: 'Works',
    });
    expect(results.map(({ alertId, status }) => [alertId, status])).toEqual([
      ...ids.map((id) => [id, 200]),
      [missing, 404],
    ]);
    expect(results.at(-1)).toMatchObject({ problem: { code: 'not-found', detail: `There is no alert ${missing}.` } });
    expect(await alertOf(world, ids[11] ?? '')).toMatchObject({ snoozedUntil: at(300) });
    const [first = ''] = ids;
    const until = at(600);
    await actOnAlerts(world, ana, { action: 'snooze', alertIds: [first], until });
    expect(await alertOf(world, first)).toMatchObject({ snoozedUntil: until });
    const taken = await actOnAlerts(world, ana, { action: 'acknowledge', alertIds: ids.slice(0, 1), comment: 'Mine' });
    expect(taken.results).toMatchObject([{ status: 200, alert: { status: 'acknowledged' } }]);
    const noted = await actOnAlerts(world, ana, { action: 'add-note', alertIds: ids.slice(0, 1), text: 'Ladder' });
    expect(noted.results).toMatchObject([{ status: 200 }]);
    const audit = await world.store.find({
      in: 'audit',
      where: [{ field: 'alertId', is: '==', value: first }],
      limit: 9,
    });
    expect(audit.map(({ data }) => [data.action, data.why])).toEqual([
      ['open', null],
      ['snooze', 'Works'],
      ['snooze', null],
      ['acknowledge', 'Mine'],
      ['add-note', 'Ladder'],
    ]);
  });

  test('without the text of its note is refused as a whole', async () => {
    await expect(
      actOnAlerts(createTestWorld(), ana, { action: 'add-note', alertIds: [uuidOf(1)] }),
    ).rejects.toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/text', detail: 'is required' }] });
  });

  test('reports a failure of one alert, and continues with the others', async () => {
    const plain = createTestWorld();
    const ids = [await openTestAlert(plain), await openTestAlert(plain)];
    let isFirst = true;
    const store = createFaultyStore(plain.store, (_call, name) => {
      if (name !== 'commit' || !isFirst) return null;
      isFirst = false;
      return { when: 'before', error: () => new Error('secret of the store') };
    });
    const { results } = await actOnAlerts({ ...plain, store }, ana, { action: 'acknowledge', alertIds: ids });
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 500]);
    const failed = results.find(({ status }) => status === 500);
    expect(failed).toMatchObject({ problem: { code: 'internal', detail: 'The service failed.' } });
    expect(plain.lines).toEqual([
      { event: 'batch.failed', fields: { alertId: failed?.alertId, error: 'Error: secret of the store' } },
    ]);
  });
});
