import { expect, test } from 'vitest';
import { type AlertRecord, type AlertSeed, type Life, seedAlert } from '../../shared/domain/alert/alert.ts';
import { type IncidentRecord, seedIncident } from '../../shared/domain/incident/incident.ts';
import { bodyFor, gsmLength } from '../../shared/domain/messages/bodies.ts';
import { alertContent, incidentContent, type MessageContent } from '../../shared/domain/messages/content.ts';
import { type DigestFacts, digestContent, heldContent } from '../../shared/domain/messages/digest.ts';
import { spellClock } from '../../shared/domain/settings/local-time.ts';

import { plus } from '../../shared/domain/time.ts';
import { occasions } from '../../shared/schema/vocabulary.ts';
import { startOfTests } from '../support/world/world.ts';

const consoleUrl = 'https://wp.example.com';
const now = plus(startOfTests, 20 * 60_000);
const writing = (path: string) => ({ now, timeZone: 'Europe/Stockholm', link: `${consoleUrl}/${path}` });

const seeds: Pick<AlertSeed, 'code' | 'groupId' | 'deviceName' | 'message'>[] = [
  {
    code: 'CONN_001',
    groupId: 'Gbg Central',
    deviceName: 'Norra entrén 2',
    message: 'MQTT connection lost for more than 5 minutes: no report comes any more',
  },
  { code: 'CONN_003', groupId: 'malmo', deviceName: null, message: 'Network latency at 900 ms, limit 500 ms' },
  {
    code: 'SEC_002',
    groupId: 'sthlm',
    deviceName: 'Valv – plan 3',
    message: 'Unauthorized broker connection attempt to evil.example',
  },
  { code: 'CFG_001', groupId: 'sthlm', deviceName: 'Lager 12', message: 'Critical configuration drift: broker.host' },
  { code: 'RES_001', groupId: 'sthlm', deviceName: 'Северный вход', message: 'Memory at 93 %, limit 90 %' },
  { code: 'RES_003', groupId: 'sthlm', deviceName: 'Garage', message: 'Free storage at 50 MB, limit 100 MB' },
];

const life: Partial<Life> = {
  team: 'night',
  reminders: 2,
  step: { number: 1, of: 1, to: 'night', people: [], channels: [], reminders: 9, missing: null },
  acknowledgedBy: 'user:anna',
  acknowledgedAt: plus(startOfTests, 12 * 60_000),
  respondBy: plus(startOfTests, 25 * 60_000),
  resolvedAt: plus(startOfTests, 19 * 60_000),
  resolution: 'automatic',
};

const alerts: AlertRecord[] = seeds.map((seed, index) => ({
  ...seedAlert(
    { ...seed, alertId: `00000000-0000-4000-8000-00000000000${index}`, deviceId: `cam-${index}`, context: {} },
    startOfTests,
  ),
  ...life,
}));

const incident = (title: string, message: string): IncidentRecord => ({
  ...seedIncident(
    {
      incidentId: '11111111-1111-4111-8111-111111111111',
      kind: 'blind',
      groups: ['*'],
      scope: { kind: 'platform', id: 'watchpost', name: null },
      title,
      message,
      members: { now: 47, peak: 47, back: 0 },
      evidence: ['47 of 48 cameras that count as online are overdue'],
    },
    'CRITICAL',
    startOfTests,
  ),
  ...life,
});
const incidents = [
  incident(
    'Watchpost is blind',
    'Nothing comes through the MQTT broker any more, not even what Watchpost itself sends.',
  ),
  incident('47 of 48 cameras behind switch sw-12 dark', '212 of 213 elsewhere at Gbg Central report.'),
];

const facts: DigestFacts = {
  sections: [
    {
      occasion: 'opened',
      count: 39,
      codes: [
        { code: 'CONN_001', count: 37 },
        { code: 'RES_002', count: 2 },
      ],
      groups: [
        { groupId: 'Gbg Central', count: 20 },
        { groupId: 'sthlm', count: 19 },
      ],
      others: false,
    },
    {
      occasion: 'resolved',
      count: 1,
      codes: [{ code: 'RES_001', count: 1 }],
      groups: [{ groupId: 'malmo', count: 1 }],
      others: false,
    },
  ],
  went: 2,
  over: 1,
  late: 0,
  gravest: [{ severity: 'CRITICAL', what: 'Gbg Central / Norra entrén 2 offline' }],
  incidents: [],
  guardian: [],
};

function shown(
  { subject, text }: { subject: string; text: string },
  slack: { attachments: { text: string }[] },
  sms: string,
): string {
  const lines = text.split('\n').slice(2);
  const places = gsmLength(sms) === null ? `${sms.length} of 70, UCS-2` : `${gsmLength(sms)} of 160`;
  return [
    '```text',
    `Email   ${subject}`,
    ...lines.filter((line) => line !== '').map((line) => `        ${line}`),
    `Chat    ${subject}`,
    ...(slack.attachments[0]?.text.split('\n') ?? []).map((line) => `        ${line}`),
    `SMS     ${sms}`,
    `        (${places})`,
    '```',
  ].join('\n');
}

function every(content: MessageContent): string {
  return shown(JSON.parse(bodyFor('email', content)), JSON.parse(bodyFor('slack', content)), bodyFor('sms', content));
}

/** The record in the status in which a message of this occasion is sent. */
function at<Record extends Life>(record: Record, occasion: (typeof occasions)[number]): Record {
  const status = {
    escalated: 'escalated',
    reminded: 'escalated',
    acknowledged: 'acknowledged',
    resolved: 'resolved',
  } as const;
  return { ...record, status: status[occasion as keyof typeof status] ?? 'active' };
}

test('docs/messages.md shows the message of each occasion on each channel', async () => {
  const parts = [
    '# Messages',
    'What Watchpost says on each occasion, made by the code (`npm test -- test/docs/messages.test.ts -u`). Twenty minutes after it began, on a clock in Stockholm.',
    ...alerts.flatMap((alert) => [
      `## ${alert.code}: ${alert.message}`,
      // Only incidents are updated: an outage can turn out to be wider than it was reported.
      ...occasions
        .filter((occasion) => occasion !== 'updated')
        .flatMap((occasion) => [
          `### ${alert.code} ${occasion}`,
          every(alertContent(at(alert, occasion), occasion, writing(`alerts/${alert.alertId}`))),
        ]),
    ]),
    ...incidents.flatMap((each) => [
      `## Incident: ${each.title}`,
      ...occasions.flatMap((occasion) => [
        `### ${each.title}, ${occasion}`,
        every(incidentContent(at(each, occasion), occasion, writing(`incidents/${each.incidentId}`))),
      ]),
    ]),
    '## Digest',
    every(digestContent(facts, consoleUrl) as MessageContent),
    '## A phone whose hour is used up',
    every(
      heldContent(
        {
          count: 14,
          sent: Array.from({ length: 20 }, () => '2026-11-20T09:16:00.000Z'),
          nextAt: '2026-11-20T10:16:00.000Z',
        },
        facts,
        { clock: (each) => spellClock(each, '2026-11-20T10:00:00.000Z', 'Europe/Stockholm'), consoleUrl },
      ),
    ),
  ];
  const page = `${parts.join('\n\n')}\n`;
  expect(page).not.toMatch(/\d{4}-\d\d-\d\dT|undefined|null|\b1 (alerts|cameras)\b/);
  await expect(page).toMatchFileSnapshot(`${process.cwd()}/docs/messages.md`);
});
