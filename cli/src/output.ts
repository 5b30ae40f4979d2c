import { shortId } from './short-ids.ts';

/** A column of a table: its title and its value for an item. */
export type Column<Item> = readonly [title: string, value: (item: Item) => unknown];
export type Form = 'table' | 'json' | 'csv';

export type Printer = {
  /** Prints a list. JSON has every member, the other forms only the columns. */
  list<Item>(items: readonly Item[], columns: readonly Column<Item>[]): void;
  /** Prints one record. A table has one line per member. */
  record(record: object): void;
  /** Prints one record: sentences for people, its members for programs. */
  sentences(record: object, lines: readonly string[]): void;
};

/**
 * Prints data in the chosen form. Messages to people go to `Terminal.err`, so that another program can read the data.
 */
export function createPrinter(form: Form, out: (text: string) => void): Printer {
  const json = (value: unknown) => out(`${JSON.stringify(value, null, 2)}\n`);
  const record = (value: object) => {
    if (form === 'json') return json(value);
    const members = Object.entries(value).map(([name, part]) => [name, textOf(part)]);
    if (form === 'table') out(tableOf(members));
    else out(csvOf([members.map(([name = '']) => name), members.map(([, text = '']) => text)]));
  };
  return {
    list(items, columns) {
      if (form === 'json') return json(items);
      const titles = columns.map(([title]) => title);
      const short = (title: string, text: string) => (form === 'table' && title.endsWith('Id') ? shortId(text) : text);
      const rows = items.map((item) => columns.map(([title, value]) => short(title, textOf(value(item)))));
      out(form === 'csv' ? csvOf([titles, ...rows]) : tableOf([titles.map((title) => title.toUpperCase()), ...rows]));
    },
    record,
    sentences(value, lines) {
      if (form !== 'table') return record(value);
      out(lines.map((line) => `${plain(line)}\n`).join(''));
    },
  };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object')
    return Array.isArray(value) && value.every(isPlain) ? value.join(' ') : JSON.stringify(value);
  return String(value);
}

const isPlain = (value: unknown) => typeof value !== 'object';

/** Replaces control characters, because texts from devices and people must not control the terminal. */
export function plain(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(plain));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** CSV (RFC 4180). An apostrophe precedes cells that a spreadsheet would execute as a formula. */
function csvOf(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
