import { expect, test } from 'vitest';
import { sightWords } from '../../../../../console/src/components/shell/sight-words.ts';
import type { Fleet } from '../../../../../shared/schema/fleet/fleet.ts';

const noon = Date.parse('2026-11-20T12:00:00.000Z');
const since = '2026-11-20T11:56:00.000Z';

function fleet(platform: Partial<Fleet['platform']>, online: number | null = 3): Fleet {
  const counts = { CRITICAL: 0, ERROR: 0, WARNING: 0, INFO: 0 };
  const way = { state: 'sees', lastHandledAt: null } as const;
  return {
    devices: { total: 4, online, offline: 1, unknown: 0, neverSeen: 0, onlinePercent: online && 75 },
    platform: {
      state: 'blind',
      since,
      horizonAt: null,
      lastReportAt: null,
      ways: [
        { name: 'broker', ...way },
        { name: 'ingest', ...way },
      ],
      incidentId: null,
      drill: null,
      ...platform,
    },
    reach: { contacts: true },
    alerts: { open: counts, last24h: counts },
    recentAlerts: [],
    generatedAt: since,
  };
}

test('while the platform sees, no banner is shown', () => {
  expect(sightWords(fleet({ state: 'sees' }), noon)).toBeNull();
});

test('the banner of a blind platform names only the paths that are blind', () => {
  const ways: Fleet['platform']['ways'] = [
    { name: 'broker', state: 'sees', lastHandledAt: null },
    { name: 'ingest', state: 'blind', lastHandledAt: null },
  ];
  const words = sightWords(fleet({ ways }), noon);
  expect(words).toMatchObject({ tone: 'bad', title: 'Watchpost is blind' });
  expect(words?.since).toContain('4 min');
  expect(words?.text).toMatch(/^Nothing comes through Pub\/Sub and ingest\. No camera/);
});

test('while no sweep runs, the banner names no path and does not claim that escalations work', () => {
  const words = sightWords(fleet({}, null), noon);
  expect(words?.title).toBe('Watchpost has not looked at the fleet');
  expect(words?.text).not.toContain('escalations');
  expect(sightWords(fleet({ since: null }, null), noon)?.title).toBe('Watchpost has not looked at the fleet yet');
});

test('the banner of late reports says up to which time all reports have arrived', () => {
  const words = sightWords(fleet({ state: 'lags', horizonAt: since }), noon);
  expect(words).toMatchObject({ tone: 'wait', title: 'Reports come late' });
  expect(words?.text).toMatch(/^Everything up to .* is in\./);
});

test('a path that no canary ever came through is named while the platform sees, and alerting is said to work', () => {
  const ways: Fleet['platform']['ways'] = [
    { name: 'broker', state: 'unproven', lastHandledAt: null },
    { name: 'ingest', state: 'sees', lastHandledAt: since },
  ];
  const words = sightWords(fleet({ state: 'sees', ways }), noon);
  expect(words).toMatchObject({ tone: 'wait', title: 'The way through the MQTT broker is unproven' });
  expect(words?.text).toContain('alerting works');
});
