import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { sweep } from '../../shared/app/due/sweep.ts';
import { summarizeFleet } from '../../shared/app/fleet/summaries.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { createOutbox } from '../support/notify/outbox.ts';
import { detection } from '../support/records/detections.ts';
import { hostileTexts, isUnseen } from '../support/records/lies.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score, sizeOf } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { frames } from '../support/world/frames.ts';
import { pdfText } from '../support/world/pdf-text.ts';
import { afterPause, createTestWorld, type TestWorld } from '../support/world/world.ts';

// S20: cameras have their texts made visible, and people are refused such texts. So nothing that leaves the service has a character that cannot be
// seen or turns others around.

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
let tried = 0;
let leaked = 0;
afterAll(() => score('S20', 'hostile texts, looked for in all that leaves', tried, leaked));

/** A text with something hostile somewhere, and letters of many scripts beside it. */
const hostile = fc
  .tuple(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.oneof(
      fc.constantFrom(...hostileTexts.map(([, text]) => text).filter((text) => text !== '' && text.length < 100)),
      fc.constantFrom(
        ...'\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200e\u200f\u061c\u0000\u0007\u001b\u0085\u009b\u2028\ud800',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  )
  .map((parts) => parts.join(''));

type Api = Awaited<ReturnType<typeof startTestApi>>;
type Leaving = [where: string, text: string];

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
};
/** The texts that the reader of a body gets. */
function readable(body: string): string[] {
  try {
    return textsIn(JSON.parse(body));
  } catch {
    return body.startsWith('To=') || body.includes('&Body=') ? [...new URLSearchParams(body).values()] : [body];
  }
}

/** Every message that a camera may send, with a text wherever it may choose one. */
async function saidBy(world: TestWorld, deviceId: string, text: string): Promise<void> {
  const timestamp = world.now();
  const drift = guardianAlert('drift', ['broker.host'], timestamp);
  const [field] = drift.alertCode === 'CONFIG_DRIFT' ? drift.drift.fields : [];
  const seen = detection(`s ${text}`);
  const bodies: [kind: string, body: object][] = [
    [
      'status',
      {
        ...{ groupId: 'north', name: text, model: text, serial: text, firmware: text, [text]: text },
        certificate: { valid: false, reason: text },
        auth: { failedAttempts: 9, windowSeconds: 60 },
        memory: { usedPercent: 97 },
      },
    ],
    [
      'event',
      { type: 'unauthorized_broker_attempt', timestamp, reason: text, expectedHost: text, attemptedHost: text },
    ],
    [
      'guardian',
      {
        ...drift,
        recommendation: text,
        drift: { fields: [{ ...field, actual: text, expected: text }], maxSeverity: 'CRITICAL', count: 1 },
      },
    ],
    [
      'detection',
      {
        ...{ ...seen, profile: { id: text, name: text }, skill: { id: 's', name: text } },
        analysis: { ...seen.analysis, summary: text },
        device: { name: text },
      },
    ],
    ['status', { name: [text], memory: { usedPercent: text } }],
    ['connection', { status: 'offline', timestamp, reason: text }],
    [text.toWellFormed(), { text }],
  ];
  for (const [kind, body] of bodies) await takeMessage(world, message(kind, body, { deviceId }), intake);
  await takeMessage(world, message('status', {}, { deviceId: text.toWellFormed() }), intake);
}

/** Every text that people may write, and questions that repeat one. @returns the answers */
async function writtenBy(api: Api, text: string, alertId: string): Promise<Leaving[]> {
  const span = { startsAt: '2026-11-01T00:00:00Z', endsAt: '2026-11-30T00:00:00Z' };
  const url = 'https://hooks.example.com/';
  const named = encodeURIComponent(text.toWellFormed());
  const asks: [method: string, path: string, body?: object][] = [
    ['PATCH', '/v1/devices/cam-0', { name: text, site: text, tags: { floor: text } }],
    ['PUT', '/v1/places/site/a', { name: text }],
    ['POST', `/v1/alerts/${alertId}/notes`, { text }],
    ['POST', `/v1/alerts/${alertId}/acknowledge`, { comment: text, note: text }],
    ['POST', '/v1/maintenance-windows', { name: text, comment: text, scope: { groups: ['north'] }, ...span }],
    ['POST', '/v1/rules', { name: text, condition: { code: '*' }, action: { priority: text } }],
    ['PUT', '/v1/teams/other', { name: text, emails: [text], people: [{ personId: 'a', name: text }] }],
    ['POST', '/v1/webhooks', { url, description: text, headers: { 'X-A': text } }],
    ['POST', '/v1/reports/schedules', { name: text, every: 'week', timeZone: text, emails: [text] }],
    ['PUT', '/v1/devices', { devices: [{ deviceId: 'new-1', name: text, groupId: text }] }],
    ['PUT', '/v1/settings', { timeZone: text, [text]: text }],
    ...['devices', 'alerts', 'teams', 'places/site', 'webhooks'].map((kind): [string, string] => [
      'GET',
      `/v1/${kind}/${named || 'x'}`,
    ]),
    ['GET', `/v1/alerts?q=${named}&status=${named}&pageToken=${named}`],
    ['GET', `/v1/devices?q=${named}&${named}=1`],
  ];
  const leaving: Leaving[] = [];
  for (const [method, path, body] of asks) {
    const answer = await api.call(method, path, body ? { body } : {});
    leaving.push([`${method} ${path} ${answer.status}`, JSON.stringify(answer.body ?? '')]);
  }
  return leaving;
}

const lists = [
  ...['alerts?status=all', 'devices', 'sites', 'now', 'incidents?status=all', 'guardian-alerts', 'fleet', 'teams'],
  ...[
    'quarantine?status=all',
    'audit',
    'deliveries?status=delivered',
    'webhooks',
    'webhook-health',
    'maintenance-windows',
    'rules',
  ],
  ...['reports/schedules', 'events', 'settings', 'fleet/trends?days=1', 'bridges', 'teams/operations'],
];

/** All that the API answers about what happened. */
async function answered(api: Api, deviceIds: readonly string[]): Promise<Leaving[]> {
  const leaving: Leaving[] = [];
  const headers = { Authorization: `Bearer ${await api.issuer.token()}` };
  const bytesOf = async (path: string) => {
    const response = await api.fetch(new Request(`http://watchpost.test${path}`, { headers }));
    return [response.status, new Uint8Array(await response.arrayBuffer())] as const;
  };
  const ask = async (path: string) => {
    const [status, bytes] = await bytesOf(path);
    leaving.push([`${path} ${status}`, Buffer.from(bytes).toString()]);
    return JSON.parse(leaving.at(-1)?.[1] || '{}');
  };
  for (const list of lists) await ask(`/v1/${list}`);
  const alerts = await api.world.store.find({ in: 'alerts', limit: 200 });
  for (const { id } of alerts.slice(0, 20))
    for (const part of ['', '/explain', '/history']) await ask(`/v1/alerts/${id}${part}`);
  for (const id of deviceIds) for (const part of ['', '/alerts', '/activity']) await ask(`/v1/devices/${id}${part}`);
  const quarantined = await api.world.store.find({ in: 'quarantine', limit: 20 });
  for (const { id } of quarantined) await ask(`/v1/quarantine/${id}`);
  const [, metrics] = await bytesOf('/metrics');
  leaving.push(['/metrics', Buffer.from(metrics).toString()]);
  const report = '/v1/reports/availability?from=2026-11-19T00:00:00Z&to=2026-11-20T00:00:00Z&by=device&format=';
  const [ofCsv, csv] = await bytesOf(`${report}csv`);
  const [ofPdf, pdf] = await bytesOf(`${report}pdf`);
  expect([ofCsv, ofPdf]).toEqual([200, 200]);
  // The byte order mark tells spreadsheets that it is UTF-8.
  leaving.push(
    [
      'CSV',
      Buffer.from(csv)
        .toString()
        .replace(/^\ufeff/, ''),
    ],
    ['PDF', pdfText(pdf)],
  );
  return leaving;
}

/** The events of the stream that follow. */
async function streamed(api: Api, act: () => Promise<void>): Promise<Leaving[]> {
  const headers = { Authorization: `Bearer ${await api.issuer.token()}` };
  const response = await api.fetch(new Request('http://watchpost.test/v1/stream', { headers }));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await act();
  let text = '';
  while (!text.includes('data: {')) text += Buffer.from((await reader.read()).value ?? []).toString();
  await reader.cancel();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => ['stream', data]);
}

test('no character that cannot be seen leaves the service: in no answer, feed, stream, report, mail, chat, SMS, hand-off or webhook', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 4, maxLength: 4 }), async (texts) => {
      const api = await startTestApi(createTestWorld());
      const { world } = api;
      const outbox = await createOutbox(world);
      const ids = texts.map((_, index) => `cam-${index}`);
      const leaving = await streamed(api, async () => {
        for (const [index, text] of texts.entries()) await saidBy(world, `cam-${index}`, text);
      });
      await outbox.post.pass(120);
      await sweep({ ...world, after: afterPause(async () => {}) });
      await summarizeFleet(world);
      const [alert] = await world.store.find({ in: 'alerts', limit: 1 });
      for (const text of texts) leaving.push(...(await writtenBy(api, text, alert?.id ?? '')));
      await outbox.post.pass(4000);
      leaving.push(...(await answered(api, ids)));
      leaving.push(...outbox.mails.map(({ delivery }): Leaving => ['mail', delivery.body]));
      for (const { url, headers, body } of outbox.requests)
        leaving.push([url, JSON.stringify(headers)], [url, String(body)]);
      for (const { kind, request } of outbox.handedOver) leaving.push([kind, String(request.body)]);
      await api.stop();
      const places = new Set(leaving.map(([where]) => where.replace(/[/ ].*/, '')));
      for (const place of ['stream', 'CSV', 'PDF', 'mail']) expect(places).toContain(place);
      tried += leaving.length;
      const unseen = leaving.flatMap(([where, text]) =>
        readable(text).flatMap((each) => (isUnseen(each) ? [`${where}: ${JSON.stringify(each).slice(0, 200)}`] : [])),
      );
      leaked += unseen.length;
      expect(unseen).toEqual([]);
    }),
    { numRuns: sizeOf(2, 50), endOnFailure: true },
  );
});
