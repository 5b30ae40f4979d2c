import { withShortIds } from './short-ids.ts';
import { clockTimeIn, fixed, type Reading, withTimes } from './times.ts';

/**
 * A column of a table: its title and its value for an item. A spare one is left out where a terminal is too narrow for all.
 */
export type Column<Item> = readonly [title: string, value: (item: Item) => unknown, isSpare?: 'spare'];
export type Form = 'table' | 'json' | 'csv';

/** How a terminal shows texts. `columns`: its width; absent if the output is not a terminal. */
export type View = { columns?: number | undefined; hasColour: boolean; timeZone?: string | undefined };

export type Printer = {
  /** Prints a list. JSON has every member, the other forms only the columns. */
  list<Item>(items: readonly Item[], columns: readonly Column<Item>[]): void;
  /** Prints one record. A table has one line per member that has a value. */
  record(record: object): void;
  /** Prints one record: sentences for people, its members for programs. Instants in them become times of the reader. */
  sentences(record: object, lines: readonly string[]): void;
};

/**
 * Prints data in the chosen form. Messages to people go to `Terminal.err`, so that another program can read the data.
 * People read times of their zone; JSON and CSV keep instants in UTC.
 */
export function createPrinter(form: Form, out: (text: string) => void, view: View, now: () => number): Printer {
  const reading = (): Reading => ({ nowMs: now(), timeZone: view.timeZone });
  const json = (value: unknown) => out(`${JSON.stringify(value, null, 2)}\n`);
  const record = (value: object) => {
    if (form === 'json') return json(value);
    const members = form === 'table' ? membersOf(value) : Object.entries(value);
    const texts = members.map(([name, part]) => [name, textOf(part)] as const);
    if (form === 'csv') return out(csvOf([texts.map(([name]) => name), texts.map(([, text]) => text)]));
    out(linesOf(texts.flatMap(([name, text]) => (text === '' ? [] : [[name, withTimes(text, reading())]]))));
  };
  return {
    list(items, columns) {
      if (form === 'json') return json(items);
      const cellsOf = (item: (typeof items)[number]) => columns.map(([, value]) => value(item));
      if (form === 'csv')
        return out(csvOf([columns.map(([title]) => title), ...items.map((item) => cellsOf(item).map(textOf))]));
      const shown = (value: unknown) => clockTimeIn(withShortIds(partsOf(value)), reading());
      const rows = items.map((item) => cellsOf(item).map(shown));
      out(tableOf(columns, [columns.map(([title]) => headOf(title)), ...rows], view));
    },
    record,
    sentences(value, lines) {
      if (form !== 'table') return record(value);
      const said = lines.map((line) => wrapped(withTimes(withShortIds(plain(line)), reading()), view.columns));
      out(said.map((line) => `${view.hasColour ? coloured(line) : line}\n`).join(''));
    },
  };
}

/** `lastSeenAt` as a title: LAST SEEN. */
function headOf(title: string): string {
  return title
    .replace(/At$|stamp$/, '')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter}`)
    .toUpperCase();
}

/** The members of a record, those of records inside it by their path: `filter.groups`. */
function membersOf(value: object, path = ''): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? membersOf(part, `${path}${name}.`)
      : [[`${path}${name}`, part]],
  );
}

/** A record in one cell for people: `groups: north; codes: CONN_*`. */
function partsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return textOf(value);
  return membersOf(value)
    .map(([name, part]) => `${name}: ${textOf(part)}`)
    .join('; ');
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

const gap = 2;
/** A column is never cut to less. */
const leastCut = 12;

type Rows = readonly (readonly string[])[];

/** A table no wider than the terminal: without spare columns if they do not fit, and with the last and then the widest ones cut. */
function tableOf(columns: readonly Column<never>[], given: Rows, view: View): string {
  const all = given.map((row) => row.map(plain));
  const shown = fitting(
    columns.map((column, at) => ({ at, title: column[0], width: widthOf(all, at), isSpare: column[2] === 'spare' })),
    view.columns ?? Number.POSITIVE_INFINITY,
  );
  return linesOf(
    all.map((row) => shown.map(({ at, width }) => cut(row[at] ?? '', width))),
    (cell, place) => (view.hasColour && shown[place]?.title === 'severity' ? coloured(cell) : cell),
  );
}

type Place = { at: number; title: string; width: number; isSpare: boolean };

function fitting(all: readonly Place[], wide: number): Place[] {
  const excessOf = (places: readonly Place[]) => places.reduce((sum, { width }) => sum + width + gap, -gap) - wide;
  const shown = all.map((place) => ({ ...place }));
  for (let at = shown.length - 1; at >= 0 && excessOf(shown) > 0; at -= 1) if (shown[at]?.isSpare) shown.splice(at, 1);
  const [last, ...others] = shown.toReversed();
  for (const place of [...(last ? [last] : []), ...others.toSorted((a, b) => b.width - a.width)])
    place.width = Math.max(Math.min(place.width, leastCut), place.width - Math.max(0, excessOf(shown)));
  return shown;
}

function widthOf(rows: Rows, at: number): number {
  return Math.max(0, ...rows.map((row) => row[at]?.length ?? 0));
}

function cut(text: string, room: number): string {
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}

function linesOf(rows: Rows, paint = (cell: string, _at: number) => cell): string {
  const cells = rows.map((row) => row.map(plain));
  const widths = (cells[0] ?? []).map((_, at) => widthOf(cells, at));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => paint(at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + gap), at))
      .join('')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** A line in lines of the terminal's width, broken between words; what follows the first is indented. */
function wrapped(line: string, columns = Number.POSITIVE_INFINITY): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length <= columns || current.trim() === '') {
      current = longer;
      continue;
    }
    lines.push(current);
    current = `  ${word}`;
  }
  return [...lines, current].join('\n').replaceAll(fixed, ' ');
}

const colours: Readonly<Record<string, string>> = { CRITICAL: '1;31', ERROR: '31', WARNING: '33', INFO: '36' };

function coloured(text: string): string {
  return text.replaceAll(/\b(CRITICAL|ERROR|WARNING|INFO)\b/g, (word) => `\u001b[${colours[word]}m${word}\u001b[0m`);
}

/** CSV (RFC 4180). An apostrophe precedes cells that a spreadsheet would execute as a formula. */
function csvOf(rows: Rows): string {
  const cell = (text: string) => {
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
