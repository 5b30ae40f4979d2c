import { expect, test } from 'vitest';
import { afterBlindness, blindIncident } from '../../../../shared/domain/incident/blind.ts';
import { newSight, type SightRecord, type WaySight } from '../../../../shared/domain/sight/sight.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

const at = (minutes: number) => plus(startOfTests, minutes * 60_000);
const sight = (states: Partial<Record<'broker' | 'ingest', WaySight['state']>>, since = at(-3)): SightRecord => {
  const { ways, ...rest } = newSight(since);
  const way = (name: 'broker' | 'ingest') => ({ ...ways[name], state: states[name] ?? 'sees' });
  return { ...rest, ways: { broker: way('broker'), ingest: way('ingest') } };
};
const messageOf = (where: string) =>
  `Nothing comes through ${where} any more, not even what Watchpost itself sends. ` +
  'No camera is declared lost or silent meanwhile. ' +
  'The console, acknowledging, escalations and messages work as ever.';

test('blindness is one incident that concerns everybody, and says what still works', () => {
  const { incidentId, ...rest } = blindIncident(sight({ broker: 'blind' }), { unknown: 12, online: 40 }, [], at(0));
  const { incidentId: _, ...expected } = incident({
    kind: 'blind',
    groups: ['*'],
    scope: { kind: 'platform', id: 'watchpost', name: null },
    title: 'Watchpost is blind',
    message: messageOf('the MQTT broker'),
    members: { now: 12, peak: 12, back: 0 },
    evidence: [
      'the MQTT broker: everything came through up to 2026-11-20T09:57:00.000Z',
      '12 of 40 cameras that count as online are overdue',
    ],
  });
  expect(rest).toEqual(expected);
  const later = blindIncident(sight({ broker: 'blind' }), { unknown: 20, online: 40 }, [], at(1));
  expect(later.incidentId).toBe(incidentId);
  const another = blindIncident(sight({ broker: 'blind' }, at(30)), { unknown: 12, online: 40 }, [], at(33));
  expect(another.incidentId).not.toBe(incidentId);
});

test('it names both ways where nothing comes through either, and none that only lags', () => {
  const both = blindIncident(sight({ broker: 'blind', ingest: 'blind' }), { unknown: 1, online: 1 }, [], at(0));
  expect(both.message).toBe(messageOf('the MQTT broker and Pub/Sub and ingest'));
  expect(both.evidence).toHaveLength(3);
  const one = blindIncident(sight({ broker: 'lags', ingest: 'blind' }), { unknown: 1, online: 1 }, [], at(0));
  expect(one.message).toBe(messageOf('Pub/Sub and ingest'));
});

test.each([
  [0, 12, 12, 'All 40 cameras that count as online report again.'],
  [3, 12, 9, '3 of 40 cameras that count as online have not reported again yet: they are looked at one by one now.'],
  [15, 15, 0, '15 of 40 cameras that count as online have not reported again yet: they are looked at one by one now.'],
])('when it is over it says how long it lasted and what was found: %d overdue', (unknown, peak, back, found) => {
  const before = incident({ members: { now: 12, peak: 12, back: 0 } });
  expect(afterBlindness(before, { unknown, online: 40 }, at(14))).toEqual({
    ...before,
    endedAt: at(14),
    title: 'Watchpost was blind',
    message: `Watchpost sees again after 14 min. ${found}`,
    members: { now: unknown, peak, back },
    evidence: [...before.evidence, found],
  });
});

test('it names each of several bridges through which nothing came, and no bridge that is alone', () => {
  const bridges = [
    { partition: 1, of: 1, heardAt: at(-60) },
    { partition: 1, of: 4, heardAt: at(-1) },
    { partition: 2, of: 4, heardAt: at(-10) },
    { partition: 3, of: 4, heardAt: null },
  ];
  const named = (state: 'broker' | 'ingest') =>
    blindIncident(sight({ [state]: 'blind' }), { unknown: 1, online: 2 }, bridges, at(0)).evidence.filter((line) =>
      line.startsWith('bridge'),
    );
  expect(named('broker')).toEqual([
    'bridge 2 of 4 not heard since 2026-11-20T09:50:00.000Z',
    'bridge 3 of 4 not heard',
  ]);
  expect(named('ingest')).toEqual([]);
});
