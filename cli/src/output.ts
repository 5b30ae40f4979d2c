/** A column of a table: its title, and what of an item stands in it. */
export type Column<Item> = readonly [title: string, value: (item: Item) => unknown];
export type Form = 'table' | 'json' | 'csv';

export type Printer = {
  /** A list; JSON has every member, the other forms the columns. */
  list<Item>(items: readonly Item[], columns: readonly Column<Item>[]): void;
  /** One record; as a table, a line for each member. */
  record(record: object): void;
};

/** Prints data, and nothing but data. */
export function createPrinter(form: Form, out: (text: string) => void): Printer {
  const json = (value: unknown) => out(`${JSON.stringify(value, null, 2)}\n`);
  return {
    list(items, columns) {
      if (form === 'json') return json(items);
      const rows = items.map((item) => columns.map(([, value]) => textOf(value(item))));
      const titles = columns.map(([title]) => title);
      out(form === 'csv' ? csvOf([titles, ...rows]) : tableOf([titles.map((title) => title.toUpperCase()), ...rows]));
    },
    record(record) {
      if (form === 'json') return json(record);
      const members = Object.entries(record).map(([name, value]) => [name, textOf(value)]);
      if (form === 'table') out(tableOf(members));
      else out(csvOf([members.map(([name = '']) => name), members.map(([, value = '']) => value)]));
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

/** Devices and people write what stands in a table: it must not steer the terminal. */
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

/** As RFC 4180 has it. A spreadsheet takes a cell that begins with one of these for a formula: a quote goes before it. */
function csvOf(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
