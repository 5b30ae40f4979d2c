import { describe, expect, test } from 'vitest';
import { type DeviceFacts, whyDevice, whyTold } from '../../../cli/src/why.ts';
import type { Schemas } from '../../../sdk/typescript/src/index.ts';

const [lostAt, heardAt] = ['2026-11-24T06:21:01.000Z', '2026-11-24T06:20:40.000Z'];
const device = {
  deviceId: 'cam-7',
  name: 'Gate 2',
  state: 'offline',
  registeredAt: '2026-11-01T00:00:00.000Z',
  lastSeenAt: heardAt,
  lastConnectedAt: null,
  clockSkewSeconds: null,
  guardian: null,
  openAlerts: [],
} as unknown as DeviceFacts['device'];
const platform = { state: 'sees', since: null, ways: [] } as unknown as DeviceFacts['platform'];
const alert = {
  alertId: '01234567-0000-4000-8000-000000000001',
  code: 'CONN_001',
  context: { cause: 'disconnected', reason: 'keepalive timeout' },
  acknowledgedBy: null,
  snoozedUntil: null,
  team: null,
  respondBy: null,
  maintenance: null,
} as unknown as Schemas['Alert'];
const incident = {
  incidentId: '22222222-2222-4222-8222-222222222222',
  title: 'Outage at Terminal 2',
  scope: { kind: 'uplink', id: 'terminal-2', name: null },
  members: { now: 25, peak: 25, back: 0 },
  evidence: ['25 of 25 cameras dark.'],
} as unknown as Schemas['Incident'];
const disconnected = {
  at: lostAt,
  summary: 'Disconnected: keepalive timeout',
  detail: { status: 'offline' },
} as unknown as DeviceFacts['presence'][number];
const connected = {
  at: '2026-11-23T00:00:00.000Z',
  summary: 'Connected',
  detail: { status: 'online' },
} as unknown as DeviceFacts['presence'][number];
const facts: DeviceFacts = { device, presence: [disconnected, connected], alert, incident: null, platform };

describe('a camera', () => {
  const sentences: [string, Partial<DeviceFacts>, string][] = [
    [
      'whose connection was lost',
      {},
      `cam-7 (Gate 2) is offline since ${lostAt}: its connection was lost (keepalive timeout).`,
    ],
    [
      'that was lost with others',
      { incident },
      `cam-7 (Gate 2) is offline since ${lostAt}: its connection was lost (keepalive timeout). So are 24 others of uplink terminal-2: probably it is not the camera.`,
    ],
    [
      'that is alone in its outage',
      { incident: { ...incident, members: { now: 1, peak: 25, back: 24 } } },
      `cam-7 (Gate 2) is offline since ${lostAt}: its connection was lost (keepalive timeout).`,
    ],
    [
      'that no longer reports, whose connection nobody has reported lost',
      { presence: [connected], alert: { ...alert, context: { cause: 'silent' } } },
      `cam-7 (Gate 2) is silent since ${heardAt}: no report has come, and nobody said that its connection was lost.`,
    ],
    [
      'of whose absence no alert is open yet',
      { alert: null },
      `cam-7 (Gate 2) is offline since ${lostAt}: its connection was lost.`,
    ],
    [
      'that was never heard',
      { device: { ...device, state: 'never-seen', lastSeenAt: null }, presence: [], alert: null },
      'cam-7 (Gate 2) was registered at 2026-11-01T00:00:00.000Z, and nothing was ever heard of it.',
    ],
    [
      'that is overdue while the platform is blind',
      { device: { ...device, state: 'unknown' }, platform: { ...platform, state: 'blind', since: heardAt } },
      `Nobody knows whether cam-7 (Gate 2) is connected: it is overdue, but the platform itself is blind since ${heardAt}.`,
    ],
    [
      'that is online and has no name of its own',
      { device: { ...device, state: 'online', name: 'cam-7' }, alert: null },
      `cam-7 is online: it was last heard at ${heardAt}.`,
    ],
  ];
  test.each(sentences)('%s', (_, given, said) => {
    expect(whyDevice({ ...facts, ...given }).sentence).toBe(said);
  });

  test('has as evidence what it was heard of last, in whose hands it is, and what else is wrong', () => {
    const given: DeviceFacts = {
      device: {
        ...device,
        openAlerts: [{ code: 'SEC_004', alertId: 'aaaaaaaa-0000-4000-8000-000000000001' }],
        clockSkewSeconds: 90,
      },
      presence: [disconnected, connected],
      alert: { ...alert, acknowledgedBy: 'user:ana', acknowledgedAt: lostAt, maintenance: 'New switch' },
      incident,
      platform: { ...platform, ways: [{ name: 'broker', state: 'lags' }] } as unknown as DeviceFacts['platform'],
    };
    expect(whyDevice(given).evidence).toEqual([
      `Last report: ${heardAt}.`,
      `${lostAt}: Disconnected: keepalive timeout.`,
      '2026-11-23T00:00:00.000Z: Connected.',
      `Alert 01234567-0000-4000-8000-000000000001 (CONN_001): user:ana has it since ${lostAt}.`,
      'Incident 22222222-2222-4222-8222-222222222222: Outage at Terminal 2. 25 of 25 cameras dark.',
      'The maintenance window New switch keeps it quiet.',
      'The platform does not see by broker lags.',
      'Its clock is off by 90 s.',
      'Also open: SEC_004 (aaaaaaaa-0000-4000-8000-000000000001).',
    ]);
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
