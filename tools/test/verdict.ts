/** What became of the tests of a run. Names are `file > suite > test`. */
export type Report = {
  passed: number;
  failed: number;
  skipped: string[];
  /** Tests that passed after they had failed, with what failed before. */
  secondTries: { name: string; faults: string[] }[];
};

/** More tests than these that need a second try fail the run. */
const mostSecondTries = 2;
/** What the gate may leave out. Go only shows that a snippet of the documentation is right. */
const mayBeSkipped = [/ > tells each of them in Go$/];

/**
 * Judges a run: what to print about it, the count last, and whether it passed.
 * @param report null if the run ended without one
 * @param run `isOk`: how vitest itself ended; `isGate`: whether every test must have run
 */
export function judge(
  report: Report | null,
  { isOk, isGate }: { isOk: boolean; isGate: boolean },
): { lines: string[]; isPassed: boolean } {
  const { passed, failed, skipped, secondTries } = report ?? { passed: 0, failed: 0, skipped: [], secondTries: [] };
  const leftOut = isGate ? skipped.filter((name) => !mayBeSkipped.some((pattern) => pattern.test(name))) : [];
  const isUnsteady = secondTries.length > mostSecondTries;
  // A file that does not load has no test to count, yet it is a failure.
  const others = [failed === 0 && !isOk, leftOut.length > 0, isUnsteady].filter(Boolean).length;
  const count = `${passed} passed, ${failed + others} failed`;
  return {
    lines: [
      ...secondTries.flatMap(({ name, faults }) => [`passed on a second try: ${name}`, ...faults.map(indent)]),
      ...leftOut.map((name) => `must not be skipped in CI: ${name}`),
      `${secondTries.length} passed on a second try${isUnsteady ? `: more than ${mostSecondTries} fail the run` : ''}`,
      skipped.length > 0 ? `${count}, ${skipped.length} skipped` : count,
    ],
    isPassed: passed > 0 && failed + others === 0,
  };
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
