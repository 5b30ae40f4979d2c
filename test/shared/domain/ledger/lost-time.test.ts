import { expect, test } from 'vitest';
import { commitmentOf, entryKey, type LedgerHead, nextEntry } from '../../../../shared/domain/ledger/entry.ts';
import { blindIn } from '../../../../shared/domain/ledger/lost-time.ts';
import { verifierKey } from '../../../../shared/domain/ledger/note.ts';
import { bundleOf, day, type Line, linesOf, verdictsOf } from '../../../support/ledger/log.ts';
import { testKey } from '../../../support/ledger/objects.ts';

const at = (minutes: number) => new Date(Date.parse(day(0)) + minutes * 60_000).toISOString();
const entry = { from: at(0), to: at(1000) };
const lost = { asOf: at(100), at: at(200) };
const interval = (from: number, to: number) => ({
  state: 'blind' as const,
  cause: 'silent' as const,
  begin: [at(from), at(from + 3)] as [string, string],
  end: [at(to - 2), at(to)] as [string, string],
  isOpen: false,
  planned: [[at(from), at(to)]] as [string, string][],
});
const bounds = (intervals: readonly { begin: [string, string]; end: [string, string]; cause: string }[]) =>
  intervals.map(({ cause, begin, end }) => [cause, begin[0], begin[1], end[0], end[1]]);

test.each([
  ['nothing else', [], [['platform', at(100), at(100), at(200), at(200)]]],
  [
    'a silence around it, which is cut on both sides',
    [interval(50, 300)],
    [
      ['silent', at(50), at(53), at(100), at(100)],
      ['platform', at(100), at(100), at(200), at(200)],
      ['silent', at(200), at(200), at(298), at(300)],
    ],
  ],
  [
    'one inside it, which is not known any more',
    [interval(120, 150)],
    [['platform', at(100), at(100), at(200), at(200)]],
  ],
  [
    'one before and one after it, which stay',
    [interval(10, 20), interval(300, 320)],
    [
      ['silent', at(10), at(13), at(18), at(20)],
      ['platform', at(100), at(100), at(200), at(200)],
      ['silent', at(300), at(303), at(318), at(320)],
    ],
  ],
])('the lost time is blind beside %s', (_what, intervals, expected) => {
  expect(bounds(blindIn(intervals, entry, lost))).toEqual(expected);
});

test('an entry that ends before the lost time says nothing of it, and one that ends in it says so up to there', () => {
  expect(blindIn([interval(10, 20)], { from: at(0), to: at(90) }, lost)).toEqual([interval(10, 20)]);
  expect(bounds(blindIn([], { from: at(0), to: at(150) }, lost))).toEqual([
    ['platform', at(100), at(100), at(150), at(150)],
  ]);
});

test('planned parts are cut with their interval', () => {
  const [before, , after] = blindIn([interval(50, 300)], entry, lost);
  expect([before?.planned, after?.planned]).toEqual([[[at(50), at(100)]], [[at(200), at(300)]]]);
});

/**
 * The log of a camera whose database was saved after one day and lost two days later: three entries, then what the restored database records.
 * @param change how the operator changes what is recorded then
 */
function restoredLog(change: (body: Record<string, unknown>) => object = (body) => body): Line[] {
  const [lost, known] = [linesOf(1, 3), linesOf(1, 1)];
  const lastBody = JSON.parse(known.at(-1)?.body ?? '{}');
  const head: LedgerHead = {
    deviceId: 'cam-0',
    groupId: 'north',
    key: Buffer.alloc(32, 1).toString('base64url'),
    n: 1,
    last: known.at(-1)?.commitment.toString('base64') ?? '',
    to: lastBody.to,
    leafAt: day(3),
  };
  const time = { asOf: at(1500), at: day(3) };
  const made = nextEntry(head, { from: head.to, to: day(4), intervals: [], lost: time }, 3, at(4 * 1440 + 1));
  const body = JSON.stringify(change(JSON.parse(made.entry.body)));
  const key = entryKey(head.key, head.n);
  return [...lost, { deviceId: 'cam-0', n: 1, body, key, commitment: commitmentOf(key, body), at: at(4 * 1440 + 1) }];
}

const judged = async (lines: Line[], [from, to]: [number, number] = [0, 4]) => {
  const text = JSON.stringify(bundleOf(lines, 'cam-0', [from, to]));
  const [verdict] = await verdictsOf([
    { text, from: day(from), to: day(to), keys: [verifierKey(testKey)], known: null },
  ]);
  return verdict;
};

test('both verifiers take a second entry for a time only where it says what was lost, and count that as blind', async () => {
  const verdict = await judged(restoredLog());
  expect(verdict).toMatchObject({ verdict: 'proven' });
  expect(verdict?.kinds?.['platform']).toBe(Date.parse(day(3)) - Date.parse(at(1500)));
  expect(await judged(restoredLog(({ restored: _, ...body }) => body))).toMatchObject({
    verdict: 'not',
    why: expect.stringContaining('does not follow the one before it'),
  });
});

test.each([
  ['claims that it saw in the lost time', (body: Record<string, unknown>) => ({ ...body, intervals: [] })],
  [
    'calls a camera silent where nothing was known',
    (body: Record<string, unknown>) => ({
      ...body,
      intervals: (body['intervals'] as object[]).map((each) => ({ ...each, cause: 'silent' })),
    }),
  ],
])('an entry after a restore that %s proves nothing', async (_what, change) => {
  expect(await judged(restoredLog(change))).toMatchObject({
    verdict: 'not',
    why: expect.stringContaining('claims to know of a time that a restore has lost'),
  });
});

test('a restored entry that goes on from nothing in the log proves nothing', async () => {
  const verdict = await judged(restoredLog((body) => ({ ...body, previous: Buffer.alloc(32, 9).toString('base64') })));
  expect(verdict).toMatchObject({ verdict: 'not', why: expect.stringContaining('does not follow the one before it') });
});

test('what was proven before the restore is proven still', async () => {
  const before = linesOf(1, 3);
  expect(await judged(before, [0, 3])).toMatchObject({ verdict: 'proven' });
});
