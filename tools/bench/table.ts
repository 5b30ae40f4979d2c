import type { Figure, Row } from '../../test/bench/frame/row.ts';

const widths = { what: 66, ours: 18 };

/** Prints one line for each row with its goal, and its note below. */
export function printRows(rows: readonly Row[]): void {
  for (const row of rows) {
    console.log(
      `${row.id.padEnd(5)}${row.what.padEnd(widths.what)}${figure(row.ours, row.unit).padStart(widths.ours)}  ${verdict(row)}`,
    );
    const ratio = row.ratio === null ? '' : `${rounded(row.ratio)} times `;
    if (row.beside.length > 0)
      console.log(`     ${ratio}${row.beside.map((each) => named(each, row.unit)).join('; ')}`);
    if (row.note) console.log(`     ${row.note}`);
  }
}

function verdict({ isMet, isMoonshotMet, goal, moonshot, goalOf, sense, unit }: Row): string {
  if (goal === null) return '';
  const limit = (value: number) => (goalOf === 'ratio' ? `${rounded(value)} times` : figure(value, unit));
  const next =
    moonshot === null
      ? ''
      : isMoonshotMet
        ? `, and the moonshot of ${limit(moonshot)}`
        : `, moonshot ${limit(moonshot)}`;
  return `${isMet ? 'met   ' : 'MISSED'} (${sense} ${limit(goal)}${next})`;
}

function named({ name, value }: Figure, unit: string): string {
  return `${name} ${figure(value, unit)}`;
}

function figure(value: number, unit: string): string {
  return `${rounded(value)} ${unit}`.trim();
}

/** Three significant digits. */
function rounded(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
