import { describe, expect, test } from 'vitest';
import { maxReportBytes, readMessage } from '../../../../shared/domain/intake/message.ts';
import { message } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at } from '../../../support/world/timeline.ts';

const read = (kind: string, body: unknown, deviceId = 'cam-1') =>
  readMessage(message(kind, body, { deviceId }), 'native');
const refusalOf = (outcome: ReturnType<typeof readMessage>) => (outcome.kind === 'refused' ? outcome.refusal : null);
const unseen = 'gate\u200b';
const isUnseen = 'holds U+200B, which cannot be seen';

test('the greatest size is 256 KiB, and a larger message without an address is nobody’s', () => {
  expect(maxReportBytes).toBe(262_144);
  const data = Buffer.alloc(262_145, 32);
  const bare = readMessage(message('', data, { attributes: {} }), 'native');
  expect(refusalOf(bare)).toEqual({
    ...{ reason: 'too-large', deviceId: null, kind: null, seen: null },
    errors: [{ pointer: '', detail: 'is 262145 bytes, at most 262144 are read' }],
  });
});

test('a message without its address is refused with what is missing', () => {
  const outcome = readMessage(message('', {}, { attributes: { kind: 'status' } }), 'native');
  expect(refusalOf(outcome)).toEqual({
    ...{ reason: 'unreadable', deviceId: null, kind: null, seen: null },
    errors: [{ pointer: 'deviceId', detail: 'attribute `deviceId` is required' }],
  });
});

test('a broker that tells of our own connection says nothing', () => {
  const row = { event: 'client.connected', clientid: 'watchpost-probe' };
  expect(readMessage(message('', row), 'emqx')).toEqual({ kind: 'nothing' });
});

test.each([
  ['watchpost', 'canary', 'canary'],
  ['watchpost', 'status', 'refused'],
  ['watchpost-drill', 'canary', 'refused'],
])('under the name %s a message of kind %s is %s', (deviceId, kind, expected) => {
  const outcome = read(kind, {}, deviceId);
  expect(outcome.kind).toBe(expected);
  const errors = [{ pointer: 'deviceId', detail: 'is reserved for the service itself' }];
  const refusal = { reason: 'unreadable', deviceId: null, kind, seen: null, errors };
  expect(refusalOf(outcome)).toEqual(expected === 'canary' ? null : refusal);
});

describe('a status report with text that cannot be seen', () => {
  test('keeps it with the character as its code, and notes it', () => {
    expect(read('status', { name: unseen, memory: { usedPercent: 4 } })).toMatchObject({
      kind: 'report',
      report: {
        body: { name: 'gate<U+200B>', memory: { usedPercent: 4 } },
        faults: [{ pointer: '/name', detail: isUnseen }],
      },
    });
  });

  test('keeps a fact whose text is too long or no text', () => {
    const certificate = { valid: false, notAfter: 'soon', reason: 'r'.repeat(600) };
    const outcome = read('status', { certificate, mqtt: { brokerHost: 5, latencyMs: 7 } });
    expect(outcome).toMatchObject({
      kind: 'report',
      report: { body: { certificate: { valid: false, reason: `${'r'.repeat(511)}…` }, mqtt: { latencyMs: 7 } } },
    });
    const faults = outcome.kind === 'report' ? outcome.report.faults : [];
    expect(new Set(faults?.map(({ pointer }) => pointer))).toEqual(
      new Set(['/certificate/notAfter', '/certificate/reason', '/mqtt/brokerHost']),
    );
  });

  test('tells the first fifty of its sections', () => {
    const body = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, unseen]));
    const outcome = read('status', { ...body, seq: 1 });
    const faults = outcome.kind === 'report' ? (outcome.report.faults ?? []) : [];
    expect([faults.length, faults[0]?.pointer, faults[49]?.pointer]).toEqual([50, '/m0', '/m49']);
  });
});

test('a report of no known member names ten of those that it has', () => {
  const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const outcome = read('status', Object.fromEntries(names.map((name) => [name, 1])));
  expect(refusalOf(outcome)?.errors).toEqual([
    { pointer: '', detail: `contains no member of a status report: ${names.slice(0, 10).join(', ')}` },
  ]);
});

test('what is kept of a fault has at most a thousand characters', () => {
  const refusal = refusalOf(read('status', {}, 'a'.repeat(1500)));
  expect([refusal?.deviceId, refusal?.seen]).toEqual(['a'.repeat(1000), null]);
});

describe('of what guardians send', () => {
  const drift = guardianAlert('drift', ['port'], at(0));
  const found = (value: string) =>
    drift.alertCode === 'CONFIG_DRIFT'
      ? { ...drift, drift: { ...drift.drift, fields: drift.drift.fields.map((each) => ({ ...each, actual: value })) } }
      : drift;

  const fieldsOf = (outcome: ReturnType<typeof readMessage>) =>
    outcome.kind === 'report' ? (outcome.report.body as { drift: { fields: unknown[] } }).drift.fields : null;

  test('text that cannot be seen is shown by its code wherever it is', () => {
    expect(fieldsOf(read('guardian', found(unseen)))).toMatchObject([{ actual: 'gate<U+200B>' }]);
    expect(read('guardian', { ...drift, action: unseen })).toMatchObject({
      report: { body: { action: 'gate<U+200B>' }, faults: [{ pointer: '/action', detail: isUnseen }] },
    });
    expect(read('event', { type: 'reboot', timestamp: at(0), actual: unseen })).toMatchObject({
      report: { body: { actual: 'gate<U+200B>' }, faults: [{ pointer: '/actual', detail: isUnseen }] },
    });
  });

  const envelope = { v: 1, epoch: 'e', seq: 4, signature: 's' };

  test('an envelope is read with its number and the text that was signed', () => {
    const text = JSON.stringify(found(unseen));
    const outcome = read('guardian-alert', { ...envelope, alert: text });
    expect(outcome).toMatchObject({
      kind: 'report',
      report: {
        ...{ kind: 'guardian', text, body: { alertCode: 'CONFIG_DRIFT' } },
        envelope: { member: 'alert', epoch: 'e', seq: 4, signature: 's' },
      },
    });
    expect(fieldsOf(outcome)).toMatchObject([{ actual: 'gate<U+200B>' }]);
    const health = { status: 'ok', goldenGeneration: 1, lastAlertSeq: 0, intervalSeconds: 30, actual: unseen };
    const refused = refusalOf(read('guardian-health', { ...envelope, health: JSON.stringify(health) }));
    expect(refused?.errors.map(({ pointer }) => pointer)).toEqual(['/health/actual', '/health/healthIntervalSeconds']);
  });

  test.each([
    ['no alert', envelope, { reason: 'wrong-shape', pointer: '/alert' }],
    ['no number', { ...envelope, seq: 0, alert: '{}' }, { reason: 'wrong-shape', pointer: '/seq' }],
    ['no JSON inside', { ...envelope, alert: '{' }, { reason: 'unreadable', pointer: '/alert' }],
    ['a wrong alert', { ...envelope, alert: '{}' }, { reason: 'wrong-shape', pointer: '/alert/alertCode' }],
  ])('an envelope with %s is refused with the place of the fault', (_, body, { reason, pointer }) => {
    const refusal = refusalOf(read('guardian-alert', body));
    expect([refusal?.reason, refusal?.errors[0]?.pointer, refusal?.seen]).toEqual([reason, pointer, null]);
  });
});

test.each([
  [{ device: null }, 'report'],
  [{ device: {} }, 'report'],
  [{ device: { id: 'cam-1' } }, 'report'],
  [{ device: { id: 'cam-2' } }, 'refused'],
  [{ deviceId: null }, 'refused'],
])('a status with %j is %s', (more, kind) => {
  expect(read('status', { memory: { usedPercent: 1 }, ...more }).kind).toBe(kind);
});
