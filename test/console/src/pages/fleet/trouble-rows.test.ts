import { expect, test } from 'vitest';
import { troubleRows, troubleWords } from '../../../../../console/src/pages/fleet/trouble-rows.ts';
import type { Alert } from '../../../../../shared/schema/alert/alert.ts';
import type { Incident } from '../../../../../shared/schema/incident/incident.ts';
import type { TroubledSite } from '../../../../../shared/schema/place/place.ts';

const none = { CRITICAL: 0, ERROR: 0, WARNING: 0, INFO: 0 };
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();

function place(id: string, alerts: Partial<TroubledSite['alerts']>, waitsSince: number | null): TroubledSite {
  return {
    ...{ kind: 'site', id, groupId: 'north', name: null, shared: false, incidentId: null },
    devices: { total: 12, online: 12, offline: 0, unknown: 0 },
    alerts: { ...none, ...alerts },
    oldestUnanswered: waitsSince === null ? null : ({ timestamp: at(waitsSince) } as Alert),
    respondBy: null,
    takenBy: null,
  };
}
const incident = (incidentId: string, status: Incident['status'], minute: number) =>
  ({ incidentId, severity: 'CRITICAL', status, startedAt: at(minute) }) as Incident;
const names = (rows: ReturnType<typeof troubleRows>) =>
  rows.map((row) => (row.kind === 'incident' ? row.incident.incidentId : row.site.id));

test('the most severe rows come first, then unacknowledged before acknowledged, then the oldest', () => {
  const sites = [
    place('warned', { WARNING: 3 }, 0),
    place('young', { CRITICAL: 1 }, 30),
    place('old', { CRITICAL: 1 }, 10),
    place('taken', { CRITICAL: 2 }, null),
    place('failing', { ERROR: 1 }, 5),
  ];
  const incidents = [incident('taken outage', 'acknowledged', 1), incident('outage', 'escalated', 20)];
  expect(names(troubleRows(incidents, sites))).toEqual([
    ...['old', 'outage', 'young'],
    ...['taken', 'taken outage'],
    ...['failing', 'warned'],
  ]);
});

test('a place with a listed incident is shown only as that incident', () => {
  const dark = { ...place('dark', { CRITICAL: 9 }, 1), incidentId: 'outage' };
  expect(names(troubleRows([incident('outage', 'active', 2)], [dark]))).toEqual(['outage']);
  expect(names(troubleRows([], [dark]))).toEqual(['dark']);
});

test('shows the numbers of dark and unknown cameras only if they are not zero', () => {
  const { devices } = place('a', {}, 0);
  expect(troubleWords({ devices, alerts: { ...none, WARNING: 1 } })).toBe('1 alert · 12 cameras');
  const dark = { total: 1200, online: null, offline: 1100, unknown: 3 };
  expect(troubleWords({ devices: dark, alerts: { ...none, CRITICAL: 7, ERROR: 1 } })).toMatch(
    /^1.100 dark, 3 unknown, 8 alerts · 1.200 cameras$/,
  );
  expect(troubleWords({ devices: { ...dark, unknown: null }, alerts: none })).not.toContain('unknown');
});
