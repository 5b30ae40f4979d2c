import { expect, test } from 'vitest';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { canBeMember, placed } from '../../../../shared/domain/incident/standing.ts';
import { alertCodes } from '../../../../shared/schema/vocabulary.ts';
import { startOfTests } from '../../../support/world/world.ts';

test('only a lost connection becomes a member of an incident', () => {
  expect(alertCodes.filter((code) => canBeMember({ code }))).toEqual(['CONN_001']);
});

test('a member is announced by its incident only, and what has none by itself', () => {
  const seed = {
    alertId: 'a',
    deviceId: 'cam-1',
    groupId: 'north',
    code: 'CONN_001',
    message: 'm',
    context: {},
  } as const;
  const alert = seedAlert({ ...seed, notifyAfter: startOfTests, isMember: true }, startOfTests);
  const incident = { incidentId: 'i-1', status: 'active', snoozedUntil: null } as const;
  expect(placed(alert, { incident: null, isHeld: true })).toEqual({ ...alert, isMember: false });
  expect(placed({ ...alert, isMember: false }, { incident, isHeld: false })).toEqual({
    ...alert,
    incidentId: 'i-1',
    isMember: true,
    notifyAfter: null,
  });
});
