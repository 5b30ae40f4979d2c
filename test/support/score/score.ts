import { appendFileSync } from 'node:fs';

/** Figures of one row: how many were tried, and how many failed in each way. */
export type Score = { row: string; what: string; tried: number; amiss: Record<string, number> };

/** The result of `tried` events: `lost` without a trace, in a `wrong` state, or `doubled` although the contract excludes it. */
export type Ledger = { tried: number; lost: number; wrong: number; doubled: number };

/** Reports a row of the attacks, for `npm run attack` to sum up. The test itself fails if anything came `through`. */
export function score(row: string, what: string, tried: number, through: number): void {
  keep({ row, what, tried, amiss: { through } });
}

/** Reports a row of the faults, for `npm run fault` to sum up. The test itself fails if anything failed. */
export function ledger(row: string, what: string, { tried, ...amiss }: Ledger): void {
  keep({ row, what, tried, amiss });
}

/** The size of a row: `full` for `npm run fault` and `npm run attack`, `small` for a normal test run. */
export function sizeOf(small: number, full: number): number {
  return [process.env['FAULT_SIZE'], process.env['ATTACK_SIZE']].includes('full') ? full : small;
}

/** A size or a number of random cases: `quick` for `npm run test:quick`, `usual` for every other run. */
export function unlessQuick(quick: number, usual: number): number {
  return process.env['TEST_SIZE'] === 'quick' ? quick : usual;
}

function keep(figures: Score): void {
  const file = process.env['SCORES'];
  if (file) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}
