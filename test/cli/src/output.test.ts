import { expect, test } from 'vitest';
import { type Column, createPrinter, type Form, type View } from '../../../cli/src/output.ts';

type Row = { alertId: string; severity: string; group: string; startedAt: string; message: string };
const columns: Column<Row>[] = [
  ['alertId', ({ alertId }) => alertId],
  ['severity', ({ severity }) => severity],
  ['group', ({ group }) => group, 'spare'],
  ['startedAt', ({ startedAt }) => startedAt],
  ['message', ({ message }) => message],
];
const row: Row = {
  alertId: '01234567-0000-4000-8000-000000000001',
  severity: 'CRITICAL',
  group: 'north-of-the-river',
  startedAt: '2026-11-24T09:17:01.000Z',
  message: 'The ERROR is that the connection is lost',
};

function printed(act: (printer: ReturnType<typeof createPrinter>) => void, view: Partial<View>, form: Form = 'table') {
  let out = '';
  const nowMs = Date.parse('2026-11-24T09:30:00.000Z');
  act(
    createPrinter(
      form,
      (text) => {
        out += text;
      },
      { hasColour: false, timeZone: 'UTC', ...view },
      () => nowMs,
    ),
  );
  return out;
}
const listed = (view: Partial<View>, form?: Form) => printed((print) => print.list([row], columns), view, form);
const lines = (text: string) => text.trimEnd().split('\n');

test('a table that is not for a terminal is whole, with short ids and times of the reader', () => {
  expect(lines(listed({}))).toEqual([
    'ALERT ID  SEVERITY  GROUP               STARTED  MESSAGE',
    '01234567  CRITICAL  north-of-the-river  09:17    The ERROR is that the connection is lost',
  ]);
  expect(listed({ timeZone: 'Asia/Kolkata' })).toContain('  14:47  ');
});

test('a narrow terminal gets no spare column, and then a shorter last one; a wide one gets all', () => {
  expect(lines(listed({ columns: 97 }))[1]).toMatch(/north-of-the-river .* is lost$/);
  expect(lines(listed({ columns: 80 }))).toEqual([
    'ALERT ID  SEVERITY  STARTED  MESSAGE',
    '01234567  CRITICAL  09:17    The ERROR is that the connection is lost',
  ]);
  expect(lines(listed({ columns: 50 }))[1]).toBe('01234567  CRITICAL  09:17    The ERROR is that th…');
  expect(lines(listed({ columns: 20 }))[1]).toBe('01234567  CRITICAL  09:17    The ERROR i…');
});

test('colour stands in the column of the severity alone, and changes no width', () => {
  const coloured = listed({ hasColour: true });
  expect(coloured.split('\u001b')).toHaveLength(3);
  expect(coloured.replace('\u001b[1;31mCRITICAL\u001b[0m', 'CRITICAL')).toBe(listed({}));
});

test('JSON and CSV have whole ids and instants, whatever the terminal is', () => {
  const narrow = { columns: 20, hasColour: true };
  expect(JSON.parse(listed(narrow, 'json'))).toEqual([row]);
  expect(listed(narrow, 'csv')).toBe(`alertId,severity,group,startedAt,message\r\n${Object.values(row).join(',')}\r\n`);
});

test('a table shows a record in words, and the ids in it shortened', () => {
  const scope: Column<Row>[] = [['scope', ({ alertId, group }) => ({ groups: [group], of: alertId })]];
  expect(lines(printed((print) => print.list([row], scope), {}))[1]).toBe('groups: north-of-the-river; of: 01234567');
  expect(printed((print) => print.list([row], scope), {}, 'csv')).toContain(`""of"":""${row.alertId}""`);
});

test('a record has a line for each member with a value, those of its parts too', () => {
  const record = {
    deviceId: 'cam-1',
    site: null,
    seenAt: row.startedAt,
    readings: { memory: 85 },
    tags: [],
    ids: ['a', 'b'],
  };
  expect(lines(printed((print) => print.record(record), {}))).toEqual([
    'deviceId         cam-1',
    'seenAt           09:17 (12 min ago)',
    'readings.memory  85',
    'ids              a b',
  ]);
});

test('sentences break between words, never within a time, and what follows is indented', () => {
  const said = [`- ${row.alertId} CRITICAL Gate 2 lost its connection at ${row.startedAt}.`, 'Nobody has it.'];
  const shown = printed((print) => print.sentences({}, said), { columns: 48 });
  expect(lines(shown)).toEqual([
    '- 01234567 CRITICAL Gate 2 lost its connection',
    '  at 09:17 (12 min ago).',
    'Nobody has it.',
  ]);
  expect(JSON.parse(printed((print) => print.sentences({ a: row.startedAt }, said), {}, 'json'))).toEqual({
    a: row.startedAt,
  });
});
