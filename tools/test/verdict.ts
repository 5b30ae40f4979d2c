/** The results of a run. Names are `file > suite > test`. */
export type Report = {
  passed: number;
  failed: number;
  skipped: string[];
  /** Tests that passed after a failure, with the failure. */
  secondTries: { name: string; faults: string[] }[];
};

/** The run fails if more tests than this need a second try. */
const mostSecondTries = 2;
/** Tests that the gate may skip. Go only checks a snippet of the documentation. */
const mayBeSkipped = [/ > judges each of them correctly in Go$/];

/**
 * Judges a run: the lines to print, with the count last, and whether it passed.
 * @param report null if the run ended without one
 * @param run `isOk`: vitest's own result; `isGate`: whether every test must have run
 */
export function judge(
  report: Report | null,
  { isOk, isGate }: { isOk: boolean; isGate: boolean },
): { lines: string[]; isPassed: boolean } {
  const { passed, failed, skipped, secondTries } = report ?? { passed: 0, failed: 0, skipped: [], secondTries: [] };
  const leftOut = isGate ? skipped.filter((name) => !mayBeSkipped.some((pattern) => pattern.test(name))) : [];
  const isUnsteady = secondTries.length > mostSecondTries;
  // A file that does not load contains no counted test, but it is a failure.
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
