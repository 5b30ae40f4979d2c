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

const outage: IncidentRecord = {
  ...seedIncident(
    {
      incidentId: '11111111-1111-4111-8111-111111111111',
      kind: 'outage',
      groups: ['town'],
      scope: { kind: 'switch', id: 'sw-12', name: null },
      title: 'Outage behind switch sw-12',
      message: '47 of 48 cameras behind switch sw-12 are dark. 1 more was dark before.',
      members: { now: 47, peak: 47, back: 0 },
      evidence: ['47 of 48 cameras behind switch sw-12 dark within 40 s', '212 of 213 elsewhere at Gbg Central report'],
    },
    'CRITICAL',
    startOfTests,
  ),
  ...life,
};
const closed: Partial<Life> = {
  resolution: 'manual',
  closing: { by: 'user:anna', comment: 'power company says 2 h' },
};

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
      gone: null,
    },
    {
      occasion: 'resolved',
      count: 1,
      codes: [{ code: 'RES_001', count: 1 }],
      groups: [{ groupId: 'malmo', count: 1 }],
      others: false,
      gone: null,
    },
  ],
  went: 2,
  over: 1,
  late: 0,
  gravest: [{ severity: 'CRITICAL', what: 'Gbg Central / Norra entrén 2 offline' }],
  incidents: [],
  guardian: [],
};

/** A message as it arrives on a phone, with the places that it takes. */
function onPhone(what: string, content: MessageContent): string {
  const text = bodyFor('sms', content);
  const places = gsmLength(text) === null ? `${text.length} of 70, UCS-2` : `${gsmLength(text)} of 160`;
  return `**${what}** (${places})\n\n> ${text}`;
}

/** The same message on every channel. */
function everywhere(content: MessageContent): string {
  const { text } = JSON.parse(bodyFor('email', content)) as { text: string };
  const chat = JSON.parse(bodyFor('slack', content)) as { text: string; attachments: { text: string }[] };
  const block = (of: string) => ['```text', of, '```'].join('\n');
  return [
    onPhone('SMS', content),
    '**Email**',
    block(text),
    '**Chat**',
    block([chat.text, chat.attachments[0]?.text].join('\n')),
  ].join('\n\n');
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

test('docs/messages.md shows each kind of message once, as it arrives on a phone', async () => {
  const [camera, ...others] = alerts as [AlertRecord, ...AlertRecord[]];
  const link = writing('t/OIQ8MgVxTn2pWk0aYzR3qA');
  const ofCamera = (occasion: (typeof occasions)[number], given: Partial<Life> = {}) =>
    alertContent({ ...at(camera, occasion), ...given }, occasion, link);
  const ofOutage = (occasion: (typeof occasions)[number], given: Partial<Life> = {}) =>
    incidentContent({ ...at(outage, occasion), ...given }, occasion, link);
  const [clock, sent] = [(each: string) => spellClock(each, now, 'Europe/Stockholm'), '2026-11-20T09:16:00.000Z'];
  const held = { count: 14, sent: Array.from({ length: 20 }, () => sent), nextAt: '2026-11-20T10:16:00.000Z' };
  const page = [
    '# Messages',
    'Each kind of message once, as it arrives on a phone, made by the code (`npm test -- test/docs/messages.test.ts -u`): twenty minutes after it began, on a clock in Stockholm. Parts that do not fit are left out from the end. Mail and chat say all of it.',
    '## A camera',
    // Only incidents are updated, recover in part and become part of another.
    ...occasions
      .filter((occasion) => !['updated', 'recovering', 'joined'].includes(occasion))
      .map((occasion) => onPhone(occasion, ofCamera(occasion))),
    onPhone('closed by a person', ofCamera('resolved', closed)),
    onPhone('comes and goes, over', ofCamera('resolved', { flapping: true })),
    '## Other troubles',
    ...others.map((alert) => onPhone(alert.code, alertContent(at(alert, 'opened'), 'opened', link))),
    '## An outage',
    ...occasions.map((occasion) => onPhone(occasion, ofOutage(occasion))),
    onPhone('closed by a person', ofOutage('resolved', closed)),
    '## Many at once',
    onPhone('digest', digestContent(facts, consoleUrl) as MessageContent),
    onPhone('a phone whose hour is used up', heldContent(held, facts, { clock, consoleUrl })),
    '## The same on every channel',
    everywhere(ofOutage('opened')),
  ].join('\n\n');
  expect(page).not.toMatch(/\d{4}-\d\d-\d\dT|undefined|null|\b1 (alerts|cameras)\b|\.\.\./);
  await expect(`${page}\n`).toMatchFileSnapshot(`${process.cwd()}/docs/messages.md`);
});
