import { CsvError, parse } from 'csv-parse/sync';
import type { ImportTable } from '../../app/devices/import.ts';
import { AppError } from '../../errors.ts';
import { invalidRequest } from './request-body.ts';

/** The parser takes long for a table of a megabyte that is one row, or half a million rows. Others wait meanwhile. */
const mostCharactersOfRow = 64 * 1024;
const mostColumns = 100;

/**
 * Reads CSV (RFC 4180) in UTF-8. A row is identified by the line on which it ends. The separator of the header row
 * counts for all rows: a comma, else a semicolon, else a tab.
 * @param mostRows reading ends at the next row after so many, since the caller refuses a longer table anyway
 * @throws AppError `invalid-request` for text that is not UTF-8, for a missing header row, for too many columns, and for
 * faulty CSV, whose line it names
 */
export function readTable(bytes: Uint8Array, mostRows: number): ImportTable {
  const text = textOf(bytes);
  const [firstLine = ''] = text.split(/\r\n|\n|\r/, 1);
  const delimiter = [',', ';', '\t'].find((each) => firstLine.includes(each)) ?? ',';
  const [first, ...rows] = recordsOf(text, delimiter, 1 + mostRows + 1);
  if (!first) throw invalidRequest([{ pointer: '', detail: 'must begin with a row that names the columns' }]);
  if (first.cells.length > mostColumns)
    throw invalidRequest([{ pointer: '', detail: `must have at most ${mostColumns} columns` }]);
  return { header: first.cells, rows };
}

function recordsOf(text: string, delimiter: string, to: number): ImportTable['rows'] {
  try {
    const bounds = { to, max_record_size: mostCharactersOfRow };
    const options = { delimiter, trim: true, skip_empty_lines: true, info: true, ...bounds } as const;
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidRequest([{ pointer: '', detail: `is not a table: ${error.message}` }]);
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('invalid-request', 'The table must be UTF-8 text.', { cause });
  }
}
