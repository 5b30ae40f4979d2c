import { expect, test } from 'vitest';
import {
  asOfWords,
  calmWords,
  clockWords,
  headline,
  partLeft,
  rowWords,
  whoWords,
} from '../../../../../console/src/pages/now/cause-words.ts';
import { plainText, type Said } from '../../../../../console/src/said.ts';
import type { Fleet } from '../../../../../shared/schema/fleet/fleet.ts';
import type { Cause } from '../../../../../shared/schema/fleet/now.ts';

const at = (minute: number) => new Date(2026, 10, 20, 10, minute).toISOString();
const now = Date.parse(at(30));
const camera: Cause = {
  ...{ key: 'k', severity: 'CRITICAL', code: 'CONN_001', incident: null, places: 1, cameras: 1, of: 34, since: at(20) },
  alert: { alertId: 'a', deviceId: 'cam-1', deviceName: 'Gate 2' },
  place: { kind: 'site', id: 'gbg', groupId: 'north', name: 'Gbg Central' },
  among: [],
  spells: [],
  ...{ status: 'active', startedAt: at(20), respondBy: at(40), escalatedAt: null, acknowledgedBy: null, team: null },
  ...{ priority: null, told: { accepted: 2, pending: 0, digest: false } },
};
const outage: Cause = {
  ...{ ...camera, code: null, alert: null, cameras: 34 },
  incident: { incidentId: 'i', kind: 'outage', title: 'Outage at Gbg Central' },
};
const many: Cause = {
  ...{ ...camera, place: null, places: 14, cameras: 14 },
  among: ['a', 'b', 'c', 'd'].map((id) => ({ kind: 'site', id, groupId: 'north', name: null, cameras: 1 })),
};
const text = (said: Said | null) => said && plainText(said);
const row = (cause: Cause) => Object.values(rowWords(cause)).map(plainText);

test('a row names what is wrong and where, by the size of the cause', () => {
  expect(row(camera)).toEqual(['Gate 2', 'MQTT connection lost · Gbg Central']);
  expect(row({ ...camera, cameras: 4 })).toEqual(['Gbg Central', 'MQTT connection lost · 4 of 34 cameras']);
  expect(row(outage)).toEqual(['Gbg Central is dark', '34 of 34 cameras']);
  expect(row(many)).toEqual(['MQTT connection lost', '14 cameras at 14 places: a, b, c …']);
  const blind = { ...outage, cameras: null, of: null };
  const incident = { incidentId: 'i', kind: 'blind', title: 'Watchpost is blind' } as const;
  expect(row({ ...blind, incident })).toEqual(['Watchpost is blind', 'The whole fleet']);
});

test('the first sentence of the page is whole', () => {
  expect(text(headline(outage))).toMatch(/^Gbg Central is dark: 34 of 34 cameras since .*10:20\.$/);
  expect(text(headline(camera))).toMatch(/^Gate 2 at Gbg Central: MQTT connection lost since .*10:20\.$/);
  expect(text(headline(many))).toMatch(/^MQTT connection lost: 14 cameras at 14 places since .*10:20\.$/);
});

test.each([
  [{ told: { accepted: 2, pending: 0, digest: false } }, '2 told, nobody has it'],
  [{ told: { accepted: 0, pending: 1, digest: false } }, 'Being told, nobody has it'],
  [{ told: { accepted: 0, pending: 0, digest: true } }, 'Left to a digest, nobody has it'],
  [{ told: { accepted: 0, pending: 0, digest: false } }, 'Nobody reached'],
  [{ told: null }, 'Nobody has it'],
  [{ status: 'acknowledged', acknowledgedBy: 'user:ana' }, 'ana has it'],
  [{ status: 'acknowledged', acknowledgedBy: null }, 'Somebody has it'],
] as const)('%o is said as: %s', (changes, words) => {
  expect(text(whoWords({ ...camera, ...changes }))).toBe(words);
});

test('the clock is that of the worst alert, and one that escalated never counts down again', () => {
  expect([text(clockWords(camera, now)), partLeft(camera, now)]).toEqual(['Escalates in 10 min', 0.5]);
  const escalated: Cause = { ...camera, status: 'escalated', escalatedAt: at(28) };
  expect([text(clockWords(escalated, now)), partLeft(escalated, now)]).toEqual(['Escalated 2 min ago', 0]);
  const taken: Cause = { ...camera, status: 'acknowledged' };
  expect([clockWords(taken, now), partLeft(taken, now)]).toEqual([null, null]);
});

test('nothing is calm that is not known', () => {
  const fleet = (devices: Partial<Fleet['devices']>, state: Fleet['platform']['state'] = 'sees') =>
    ({
      devices: { total: 20, online: 20, offline: 0, unknown: 0, neverSeen: 0, ...devices },
      platform: { state },
    }) as Fleet;
  expect(text(calmWords(fleet({})))).toBe('All 20 cameras are online; Watchpost sees everything.');
  expect(text(calmWords(fleet({ offline: 2, online: 18 })))).toBe('Nothing needs you. 2 of 20 cameras are not online.');
  for (const unsure of [fleet({}, 'blind'), fleet({}, 'lags'), fleet({ online: null })]) {
    expect(text(calmWords(unsure))).not.toMatch(/All|Nothing needs/);
  }
  expect(text(asOfWords({ generatedAt: null }, now))).toBe('The service has not looked yet.');
  expect(asOfWords({ generatedAt: at(29) }, now)).toBeNull();
  expect(text(asOfWords({ generatedAt: at(28) }, now))).toMatch(/^As of .*10:28: the service is behind\.$/);
});
