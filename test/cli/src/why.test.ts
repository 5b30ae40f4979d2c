import { describe, expect, test } from 'vitest';
import { whyDevice, whyTold } from '../../../cli/src/why.ts';
import type { Schemas } from '../../../sdk/typescript/src/index.ts';

const [lostAt, heardAt] = ['2026-11-24T06:21:01.000Z', '2026-11-24T06:20:40.000Z'];
const why: Schemas['DeviceWhy'] = {
  deviceId: 'cam-7',
  state: 'offline',
  since: lostAt,
  sentence: 'Its connection was lost (keepalive timeout); so were all 24 other cameras behind uplink u-1.',
  evidence: [
    { at: lostAt, text: 'Its connection was lost: keepalive timeout' },
    { at: heardAt, text: 'Its last sign of life on record' },
    { at: null, text: 'The 24 other cameras behind uplink u-1: 24 dark now, 24 since the same time' },
  ],
  neighbours: [],
  incident: { incidentId: '22222222-2222-4222-8222-222222222222', title: 'Outage behind uplink u-1' },
};

describe('a camera', () => {
  test('is named with its state before the sentence of the service, and its incident after the evidence', () => {
    expect(whyDevice(why)).toEqual({
      sentence: `cam-7 is offline since ${lostAt}. ${why.sentence}`,
      evidence: [
        `${lostAt}: Its connection was lost: keepalive timeout.`,
        `${heardAt}: Its last sign of life on record.`,
        'The 24 other cameras behind uplink u-1: 24 dark now, 24 since the same time.',
        'Incident 22222222-2222-4222-8222-222222222222: Outage behind uplink u-1.',
      ],
    });
  });

  test('that is not silent has no instant and no incident', () => {
    const online = {
      ...why,
      state: 'online' as const,
      since: null,
      sentence: 'It is connected and reports.',
      evidence: [],
    };
    expect(whyDevice({ ...online, incident: null })).toEqual({
      sentence: 'cam-7 is online. It is connected and reports.',
      evidence: [],
    });
  });
});

describe('of an alert', () => {
  const told = (target: string, because = 'open') => ({
    ...{ at: lostAt, because, channel: 'email', team: 'operations', target, how: 'sent' },
    ...{ deliveryId: null, deliveryStatus: 'delivered', resent: [] },
  });
  const untold = (detail: string, because = 'open', at = lostAt) => ({
    at,
    because,
    channel: 'sms',
    team: null,
    reason: 'matrix',
    detail,
  });
  const of = (given: object) =>
    whyTold('CONN_001 of Gate 2', 'seen', {
      ...{ rules: [], channels: ['email'], channelsBy: 'matrix', notified: [], notNotified: [], next: [] },
      ...given,
    } as unknown as Parameters<typeof whyTold>[2]).sentence;

  test.each([
    [
      { notified: [told('ana@example.com')] },
      `People were told of CONN_001 of Gate 2 at ${lostAt}, because it was opened: by email to ana@example.com.`,
    ],
    [
      {
        notified: [
          told('ana@example.com', 'escalate'),
          told('bo@example.com', 'escalate'),
          told('bo@example.com', 'remind'),
        ],
      },
      `People were told of CONN_001 of Gate 2 at ${lostAt}, because nobody had answered: by email to ana@example.com and 1 more.`,
    ],
    [{ channelsBy: 'suppressed' }, 'Nobody was told of CONN_001 of Gate 2: a rule suppresses it.'],
    // The first look only waited; the last word counts.
    [
      {
        notNotified: [
          untold('Sent with the next look.'),
          untold('No team has a number.', 'announce'),
          untold('No team has a number', 'announce'),
        ],
      },
      'Nobody was told of CONN_001 of Gate 2: No team has a number.',
    ],
    [{}, 'Nobody was told of CONN_001 of Gate 2.'],
  ])('the first who was told is named with the reason, or the reason of the silence', (given, said) => {
    expect(of(given)).toBe(said);
  });
});
