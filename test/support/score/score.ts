import { appendFileSync } from 'node:fs';

/** Figures of one row: how many were tried, and how many went amiss in which way. */
export type Score = { row: string; what: string; tried: number; amiss: Record<string, number> };

/** What became of `tried` events: `lost` without a trace, left in a `wrong` state, `doubled` where once was promised. */
export type Ledger = { tried: number; lost: number; wrong: number; doubled: number };

/** Says how a row of the attacks went, for `npm run attack` to sum up; the test itself fails where anything came `through`. */
export function score(row: string, what: string, tried: number, through: number): void {
  keep({ row, what, tried, amiss: { through } });
}

/** Says how a row of the faults went, for `npm run fault` to sum up; the test itself fails where anything went amiss. */
export function ledger(row: string, what: string, { tried, ...amiss }: Ledger): void {
  keep({ row, what, tried, amiss });
}

/** The size of a row: `npm run fault` asks for the `full` one, an ordinary run of the tests for the `small` one. */
export function sizeOf(small: number, full: number): number {
  return process.env['FAULT_SIZE'] === 'full' ? full : small;
}

function keep(figures: Score): void {
  const file = process.env['SCORES'];
  if (file) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}
