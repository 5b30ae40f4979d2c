import { expect, test } from 'vitest';
import { maxReportBytes, readMessage } from '../../../../shared/domain/intake/message.ts';
import { message } from '../../../support/records/reports.ts';

const read = (kind: string, body: unknown, deviceId = 'cam-1') =>
  readMessage(message(kind, body, { deviceId }), 'native');

const healed = {
  alertCode: 'CONFIG_HEALED',
  severity: 'info',
  timestamp: '2026-11-20T10:00:00Z',
  device: { id: 'cam-2', serial: 's', model: 'm', ip: '10.0.0.1' },
  heal: { fieldsRestored: ['host'], count: 1, durationMs: 5 },
};

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

test('a report is read with its device, kind, time of publication and the text that it came as', () => {
  const given = message('status', Buffer.from('{"memory": {"usedPercent": 40.0}}'), {
    publishTime: '2026-11-20T11:00:00+01:00',
    messageId: 'm-1',
  });
  expect(readMessage(given, 'native')).toEqual({
    kind: 'report',
    report: {
      deviceId: 'cam-1',
      kind: 'status',
      receivedAt: '2026-11-20T10:00:00.000Z',
      messageId: 'm-1',
      body: { memory: { usedPercent: 40 } },
      text: '{"memory": {"usedPercent": 40.0}}',
    },
  });
});

test.each<[string, string, unknown, string, string, string | undefined]>([
  ['not JSON', 'status', Buffer.from('{'), 'unreadable', '', undefined],
  ['not UTF-8', 'status', Buffer.from([0x22, 0xff, 0x22]), 'unreadable', '', undefined],
  ['of an id that is none', 'status', {}, 'unreadable', 'deviceId', '../cam'],
  ['of an id too long', 'status', {}, 'unreadable', 'deviceId', 'a'.repeat(129)],
  ['of a kind that is not known', 'weather', {}, 'unknown-kind', 'kind', undefined],
  ['of a wrong shape', 'connection', { status: 'perhaps' }, 'wrong-shape', '/status', undefined],
  ['no object at all', 'status', [1], 'wrong-shape', '', undefined],
  ['nested too deep', 'status', { memory: { usedPercent: 1 }, deep: nested(64) }, 'wrong-shape', '', undefined],
  ['without any member of its kind', 'status', { weather: 'fair' }, 'wrong-shape', '', undefined],
  [
    'naming another device',
    'status',
    { memory: { usedPercent: 1 }, deviceId: 'cam-2' },
    'foreign-device',
    '/deviceId',
    undefined,
  ],
  ['from a guardian of another device', 'guardian', healed, 'foreign-device', '/device/id', undefined],
])('a message that is %s is refused', (_, kind, body, reason, pointer, deviceId) => {
  const outcome = read(kind, body, deviceId);
  expect(outcome).toMatchObject({ kind: 'refused', refusal: { reason, kind } });
  expect(outcome.kind === 'refused' && outcome.refusal.errors.map((fault) => fault.pointer)).toContain(pointer);
});

test.each([
  ['an empty status', 'status', {}],
  ['a status that repeats its own device', 'status', { deviceId: 'cam-1', memory: { usedPercent: 1 } }],
  ['members beside those that are known', 'status', { memory: { usedPercent: 1 }, weather: 'fair' }],
  ['as deep as is read', 'status', { memory: { usedPercent: 1 }, deep: nested(63) }],
])('%s is a report', (_, kind, body) => {
  expect(read(kind, body).kind).toBe('report');
});

test('a retained connection that is cleared means nothing', () => {
  expect(read('connection', Buffer.alloc(0))).toEqual({ kind: 'nothing' });
  expect(read('status', Buffer.alloc(0)).kind).toBe('refused');
});

test('a message of the greatest size is read, and one byte more is not looked into', () => {
  const text = '{"memory":{"usedPercent":40}}';
  expect(read('status', Buffer.from(text.padEnd(maxReportBytes))).kind).toBe('report');
  const refusal = { reason: 'too-large', deviceId: 'cam-1', kind: 'status' };
  expect(read('status', Buffer.from(text.padEnd(maxReportBytes + 1)))).toMatchObject({ kind: 'refused', refusal });
});

test('the sections of a status report are judged one by one, even where one has more faults than are listed', () => {
  const certificate = { valid: 'yes', notAfter: 1, reason: 2 };
  expect(
    read('status', { certificate, seq: -1, memory: { usedPercent: 40 }, storage: { freeMegabytes: 5 } }),
  ).toMatchObject({
    kind: 'report',
    report: { body: { memory: { usedPercent: 40 }, storage: { freeMegabytes: 5 } } },
  });
  const bad = read('status', { memory: 'much' });
  expect(bad).toMatchObject({
    kind: 'report',
    report: { body: {}, faults: [{ pointer: '/memory', detail: 'must be object' }] },
  });
});

test.each([
  ['status', Buffer.from('{'), 'cam-1'],
  ['event', {}, 'cam-1'],
  ['detection', {}, 'cam-1'],
  ['status', { deviceId: 'cam-2' }, 'cam-1'],
  ['connection', { status: 'perhaps' }, null],
  ['guardian', {}, null],
  ['weather', {}, null],
])('what cannot be read of kind %s (%j) was seen from %s', (kind, body, seen) => {
  expect(read(kind, body)).toMatchObject({ kind: 'refused', refusal: { seen } });
});

test('a retained message that a broker had kept is recognised by our own bridge and by a source of EMQX, not by the flag of a live publication', () => {
  const attributes = { deviceId: 'cam-1', kind: 'status' };
  const isLeftover = (outcome: ReturnType<typeof readMessage>) =>
    outcome.kind === 'report' && outcome.report.isLeftover;
  const topic = 'devices/cam-1/status';
  const row = (more: object) => message('', { topic, payload: '{}', ...more });
  expect(
    isLeftover(readMessage(message('status', {}, { attributes: { ...attributes, retained: 'true' } }), 'native')),
  ).toBe(true);
  expect(isLeftover(readMessage(row({ retain: true }), 'emqx'))).toBe(true);
  expect(isLeftover(readMessage(row({ flags: { retain: true } }), 'emqx'))).toBeFalsy();
  const hivemq = message('status', {}, { attributes: { 'mqtt-topic': topic, retained: 'true' } });
  expect(isLeftover(readMessage(hivemq, 'topic'))).toBeFalsy();
});
