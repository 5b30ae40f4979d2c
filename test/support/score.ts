import { appendFileSync } from 'node:fs';

/** Figures of one row of the attacks: `through` of `tried` were not refused. */
export type Score = { row: string; what: string; tried: number; through: number };

/** Says how a row went, for `npm run attack` to sum up; the test itself fails where anything came through. */
export function score(row: string, what: string, tried: number, through: number): void {
  const file = process.env['ATTACK_SCORES'];
  if (file) appendFileSync(file, `${JSON.stringify({ row, what, tried, through } satisfies Score)}\n`);
}
