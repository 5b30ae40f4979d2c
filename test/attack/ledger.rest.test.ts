import { expect, test } from 'vitest';
import { leafHash } from '../../shared/domain/ledger/merkle.ts';
import { noteKeyOf, verifierKey } from '../../shared/domain/ledger/note.ts';
import type { ProofBundle } from '../../shared/schema/ledger/ledger.ts';
import { hostileCase, tricks } from '../support/ledger/hostile.ts';
import {
  bundleOf,
  type Case,
  checkpointOf,
  darkAt,
  day,
  type Line,
  linesOf,
  testVerifierKey,
  verdictsOf,
} from '../support/ledger/log.ts';
import { origin } from '../support/ledger/objects.ts';
import { answersOf } from '../support/ledger/verifiers.ts';
import { score, sizeOf } from '../support/score/score.ts';
import { createRandom, type Random } from '../support/world/random.ts';

const cameras = 4;
const days = 12;
const asked: [number, number] = [2, 10];
const wanted = 'cam-1';
const tampers = sizeOf(280, 10_000);
/** Three of four with one trick, the others with two or three. */
const hostiles = sizeOf(400, 10_000);

const honest = linesOf(cameras, days);
/** The checkpoint that a customer kept when the log had six days. */
const seen = checkpointOf(linesOf(cameras, 6));
const known = { size: seen.size, root: seen.root, at: seen.at };
const bundle = bundleOf(honest, wanted, asked, known.size);
const caseOf = (text: string, more: Partial<Case> = {}): Case => ({
  text,
  from: day(asked[0]),
  to: day(asked[1]),
  keys: [testVerifierKey],
  known,
  ...more,
});
const copy = (): ProofBundle => structuredClone(bundle);

function changedText(text: string, random: Random): string {
  const at = random.below(text.length);
  const other = random.pick([...'0123456789abcdefXYZ'].filter((sign) => sign !== text[at]));
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
}

/** A bundle with an edit in one place that the verdict depends on. */
function edited(random: Random): string {
  const one = copy();
  const entry = random.pick(one.entries);
  const name = random.pick(Object.keys(one.nodes));
  const what = random.below(7);
  if (what === 0) entry.body = changedText(entry.body, random);
  else if (what === 1)
    entry.key = Buffer.from(
      changedText(Buffer.from(entry.key, 'base64').toString('latin1'), random),
      'latin1',
    ).toString('base64');
  else if (what === 2) entry.index += random.pick([-1, 1, 7]);
  else if (what === 3) one.nodes[name] = Buffer.alloc(32, random.below(256)).toString('base64');
  else if (what === 4)
    one.checkpoint = one.checkpoint.replace(
      /^(.*)\n(\d+)\n/,
      (_all, first, size) => `${first}\n${Number(size) + 1 + random.below(5)}\n`,
    );
  else if (what === 5) one.checkpoint = one.checkpoint.replace(/time .*/, `time ${day(random.below(40))}`);
  else entry.body = JSON.stringify({ ...JSON.parse(entry.body), intervals: [] });
  return JSON.stringify(one);
}

/** The operator, who holds the key, signs a history that differs from the one the customer saw. */
function rewritten(change: Parameters<typeof linesOf>[2]): string {
  const lines = linesOf(cameras, days, change);
  return JSON.stringify(bundleOf(lines, wanted, asked, known.size));
}

/** The operator, who holds the key, numbers and signs the whole log again with these lines. */
function resigned(lines: readonly Line[]): string {
  return JSON.stringify(bundleOf(lines, wanted, asked, Math.min(known.size, lines.length)));
}

const kinds: Record<string, (random: Random) => Case> = {
  delete: (random) => {
    const one = copy();
    if (random.chance(0.4)) {
      const gone = random.below(6);
      return caseOf(
        rewritten((recorded, deviceId, number) => (deviceId === wanted && number === gone ? null : recorded)),
      );
    }
    if (random.chance(0.5)) one.entries.splice(random.below(one.entries.length), 1);
    else delete one.nodes[random.pick(Object.keys(one.nodes))];
    return caseOf(JSON.stringify(one));
  },
  edit: (random) => {
    if (random.chance(0.6)) return caseOf(edited(random));
    const [of, other] = [random.below(6), random.below(50) + 1];
    return caseOf(
      rewritten((recorded, deviceId, number) =>
        deviceId === wanted && number === of
          ? { ...recorded, intervals: random.chance(0.5) ? [] : [darkAt(number + other)] }
          : recorded,
      ),
    );
  },
  reorder: (random) => {
    const one = copy();
    const [a, b] = [random.below(one.entries.length), random.below(one.entries.length - 1)];
    const other = b >= a ? b + 1 : b;
    if (random.chance(0.4)) {
      const lines = [...honest];
      const [x, y] = [random.below(known.size), random.below(known.size - 1)];
      const z = y >= x ? y + 1 : y;
      [lines[x], lines[z]] = [lines[z] as Line, lines[x] as Line];
      return caseOf(resigned(lines));
    }
    const [first, second] = [one.entries[a], one.entries[other]];
    if (!first || !second) throw new Error('there are several entries');
    if (random.chance(0.5)) [one.entries[a], one.entries[other]] = [second, first];
    else [first.body, second.body] = [second.body, first.body];
    return caseOf(JSON.stringify(one));
  },
  backdate: (random) => {
    const name = random.pick(['from', 'to', 'recordedAt']);
    if (random.chance(0.5)) {
      const one = copy();
      const entry = random.pick(one.entries);
      entry.body = JSON.stringify({ ...JSON.parse(entry.body), [name]: day(random.below(9)) });
      return caseOf(JSON.stringify(one));
    }
    // The operator leaves out days, and appends them later with their original times.
    const late = linesOf(cameras, 6).filter(({ deviceId, n }) => deviceId !== wanted || n < 3 + random.below(3));
    const sincere = checkpointOf(late);
    const missing = linesOf(cameras, days).filter(
      (line) => !late.some(({ deviceId, n }) => deviceId === line.deviceId && n === line.n),
    );
    const text = JSON.stringify(bundleOf([...late, ...missing], wanted, asked, sincere.size));
    return caseOf(text, { known: { size: sincere.size, root: sincere.root, at: sincere.at } });
  },
  fork: (random) => {
    const of = random.below(6);
    return caseOf(
      rewritten((recorded, deviceId, number) =>
        deviceId === `cam-${random.below(cameras)}` && number === of ? { ...recorded, intervals: [] } : recorded,
      ),
    );
  },
  truncate: (random) => {
    const one = copy();
    if (random.chance(0.5)) return caseOf(JSON.stringify(one).slice(0, random.below(JSON.stringify(one).length - 1)));
    const left = random.below(one.entries.length);
    if (random.chance(0.5)) one.entries.splice(left);
    // The operator cuts off the end of the log, somewhere after the checkpoint that the customer knows.
    else
      return caseOf(
        JSON.stringify(bundleOf(honest.slice(0, known.size + random.below(10)), wanted, asked, known.size)),
      );
    return caseOf(JSON.stringify(one));
  },
  replay: (random) => {
    const size = 8 + random.below(known.size - 8);
    const older = bundleOf(honest.slice(0, size), wanted, asked);
    if (random.chance(0.5)) return caseOf(JSON.stringify(older));
    return caseOf(JSON.stringify({ ...copy(), checkpoint: older.checkpoint }));
  },
};

test('no tampering with the ledger passes a verifier', { timeout: 1_800_000 }, async () => {
  const random = createRandom(1);
  const names = Object.keys(kinds);
  const cases: { name: string; given: Case }[] = [];
  while (cases.length < tampers) {
    const name = names[cases.length % names.length] ?? '';
    const given = kinds[name]?.(random);
    // A change that happened to produce the original bundle is no tampering.
    if (given && given.text !== JSON.stringify(bundle)) cases.push({ name, given });
  }
  const verdicts = await verdictsOf(cases.map(({ given }) => given));
  const through = cases.filter((_unused, index) => verdicts[index]?.verdict === 'proven');
  score(
    'S18',
    `tampers of the ledger (${names.join(', ')}), judged alike by both verifiers`,
    verdicts.length,
    through.length,
  );
  expect(verdicts).toHaveLength(tampers);
  expect(through.slice(0, 3)).toEqual([]);
});

test('an unchanged ledger is proven, to the minute', async () => {
  const alone = caseOf(JSON.stringify(bundleOf(honest, wanted, asked)), { known: null });
  const [whole, first] = await verdictsOf([caseOf(JSON.stringify(bundle)), alone]);
  const minute = 60_000;
  const kindsOfTime = { seen: 8 * (1440 * minute - 310_000), lost: 8 * 290_000, uncertain: 8 * 20_000, planned: 0 };
  expect(whole).toEqual({ verdict: 'proven', kinds: kindsOfTime, gaps: [] });
  expect(first).toEqual(whole);
});

test('a wrong key, other days, a gap in the log and a missing consistency proof get different verdicts', async () => {
  const foreign = noteKeyOf(origin, Buffer.alloc(32, 9));
  const gapped = copy();
  const [gone] = gapped.entries.splice(3, 1);
  const left = honest[gone?.index ?? 0];
  if (left) gapped.nodes[`${gone?.index}-1`] = leafHash(left.commitment).toString('base64');
  const verdicts = await verdictsOf([
    caseOf(JSON.stringify(bundle), { keys: [verifierKey(foreign)] }),
    caseOf(JSON.stringify(bundle), { from: day(-3) }),
    caseOf(JSON.stringify(bundle), { to: day(30) }),
    caseOf(JSON.stringify(bundleOf(honest, wanted, asked)), { known: checkpointOf(honest.slice(0, 23)) }),
    caseOf(JSON.stringify(gapped)),
    caseOf(JSON.stringify(bundle), { keys: [testVerifierKey.replace('+', '+0')] }),
    caseOf(
      JSON.stringify(bundleOf(honest, wanted, asked, known.size, [foreign, noteKeyOf(origin, Buffer.alloc(32, 7))])),
    ),
  ]);
  expect(verdicts).toEqual([
    { verdict: 'not', why: 'the checkpoint is signed by another key than yours' },
    expect.objectContaining({ verdict: 'partly', gaps: ['nothing is recorded before 2026-10-03T00:00:00Z'] }),
    expect.objectContaining({ verdict: 'partly', gaps: ['nothing is recorded after 2026-10-11T00:00:00Z yet'] }),
    { verdict: 'unclear', why: expect.stringContaining('the bundle lacks the hash of leaf') },
    { verdict: 'not', why: expect.stringContaining('does not follow the one before it: something was left out') },
    { verdict: 'unclear', why: expect.stringContaining('the key') },
    expect.objectContaining({ verdict: 'proven' }),
  ]);
});

test('a bundle of a hostile operator gets the same answer of both verifiers, and the right one', {
  timeout: 1_800_000,
}, async () => {
  const random = createRandom(2);
  const names = Object.keys(tricks);
  const cases = Array.from({ length: hostiles }, (_unused, index) =>
    hostileCase(random, names[index % names.length] ?? '', index % 4 === 3 ? 1 + random.below(2) : 0),
  );
  const answers = await answersOf(cases);
  const wrong = cases.flatMap(({ name, expected, kinds }, index) => {
    const { status, text, data } = answers[index] ?? { status: null, text: '', data: null };
    const isRight = expected?.includes(status ?? -1) ?? true;
    const isPlain = /^[ -~\n]*$/.test(text) && !/\n(PROVEN|NOT|CANNOT)/.test(text);
    const counted = kinds && data ? (JSON.parse(data) as { kinds: Record<string, number> }).kinds : null;
    const isCounted = Object.entries(kinds ?? {}).every(([kind, minutes]) => counted?.[kind] === minutes * 60_000);
    return isRight && isPlain && isCounted ? [] : [{ name, expected, status, text, kinds, counted }];
  });
  score(
    'S21',
    `bundles of a hostile operator (${names.length} tricks), judged alike by both verifiers`,
    cases.length,
    wrong.length,
  );
  expect(wrong.slice(0, 5)).toEqual([]);
});
