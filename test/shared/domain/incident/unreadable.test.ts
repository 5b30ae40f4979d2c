import { expect, test } from 'vitest';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { faultKeyOf } from '../../../../shared/domain/device/sighting.ts';
import { isCommon, readableAgain, unreadableIncident } from '../../../../shared/domain/incident/unreadable.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const at = (minutes: number) => plus(startOfTests, minutes * 60_000);
const reason = '/mqtt/latencyMs must be at least 0';
const camera = (model: string | null, firmware: string | null) => ({
  ...newDevice('cam-1', at(-60)),
  ...{ model, firmware },
  unreadable: [
    { reason: '/memory must be an object', at: at(-2), messageId: 'm-1' },
    { reason, at: at(-1), messageId: 'm-2' },
  ],
});
const gathered = { now: 6, byGroup: { north: 4, south: 2 } };

test.each([
  [4, false],
  [5, true],
])('%d cameras of one model and firmware are a cause in common: %s', (now, expected) => {
  expect(isCommon({ now, byGroup: {} })).toBe(expected);
});

test('the incident names model, firmware and the member that cannot be read, and is announced a minute later', () => {
  const shown = camera('P1465', '11.9');
  const key = faultKeyOf(shown, reason);
  const made = unreadableIncident(key, shown, gathered, at(0), waits);
  const counts = (now: number) => ({ now, peak: now, back: 0 });
  expect(made).toEqual(
    incident({
      incidentId: made?.incidentId ?? 'none',
      kind: 'unreadable',
      severity: 'WARNING',
      groups: ['north', 'south'],
      byGroup: { north: counts(4), south: counts(2) },
      members: counts(6),
      scope: { kind: 'firmware', id: 'P1465 11.9', name: null },
      title: 'Reports cannot be read in part: P1465, firmware 11.9',
      message:
        `6 cameras (P1465, firmware 11.9) report something that cannot be read: ${reason}. ` +
        'That section is left out and nothing is known of it; the rest of each report counts.',
      evidence: [`6 cameras of P1465, firmware 11.9 within an hour: ${reason}`],
      notifyAfter: at(1),
    }),
  );
  expect(unreadableIncident(key, shown, gathered, at(60), waits)?.incidentId).not.toBe(made?.incidentId);
});

test('a model or firmware that no report named is unknown', () => {
  const shown = camera(null, null);
  expect(unreadableIncident(faultKeyOf(shown, reason), shown, gathered, at(0), waits)).toMatchObject({
    scope: { kind: 'firmware', id: 'unknown unknown', name: null },
    title: 'Reports cannot be read in part: unknown model, firmware unknown',
  });
});

test('there is none where the camera no longer shows the fault, or another one', () => {
  const shown = camera('P1465', '11.9');
  expect(unreadableIncident(faultKeyOf(shown, 'another'), shown, gathered, at(0), waits)).toBeNull();
  expect(unreadableIncident(faultKeyOf(camera('P1465', '12'), reason), shown, gathered, at(0), waits)).toBeNull();
});

test.each([
  [0, 6, '6 cameras have not reported it again in the last hour and more; it lasted 3 h.'],
  [1, 11, '10 cameras have not reported it again in the last hour and more; it lasted 3 h. 1 still does.'],
  [2, 30, '28 cameras have not reported it again in the last hour and more; it lasted 3 h. 2 still do.'],
  [0, 1, '1 camera has not reported it again in the last hour and more; it lasted 3 h.'],
])('when it is over it says how long it lasted and who still does: %d', (now, peak, message) => {
  const before = incident({ members: { now, peak, back: peak - now } });
  expect(readableAgain(before, at(180))).toEqual({
    ...before,
    endedAt: at(180),
    message,
    evidence: [...before.evidence, message],
  });
});
