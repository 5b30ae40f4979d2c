/** Maximum records and bytes (with a margin) of one request, and maximum lines of a file. */
const maxRows = 500;
const maxBytes = 900_000;
export const maxLines = 20_000;

/** One part of a file, sent as a request of its own. `offset` plus a line number in the answer is the line number in the file. */
export type Part = { table: string; rows: number; offset: number };
export type Parts = { kind: 'parts'; parts: Part[]; rows: number } | { kind: 'refused'; why: string };

/** Divides a table by lines, each part with the header row. No cell contains a line break, because no name, tag or place may have one. */
export function partsOf(file: string): Parts {
  const lines = file.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const broken = lines.findIndex((line) => (line.match(/"/g)?.length ?? 0) % 2 === 1);
  if (broken >= 0) return refused(`Line ${broken + 1} has a quotation mark that does not end on it.`);
  const head = lines.findIndex((line) => line.trim() !== '');
  const header = lines[head];
  if (header === undefined) return refused('The file is empty.');
  const parts: Part[] = [];
  let [from, rows, bytes] = [head + 1, 0, 0];
  const close = (to: number) => {
    if (rows > 0) parts.push({ table: [header, ...lines.slice(from, to)].join('\n'), rows, offset: from - 1 });
    [from, rows, bytes] = [to, 0, 0];
  };
  for (let index = head + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const size = new TextEncoder().encode(line).length + 1;
    if (rows === maxRows || bytes + size > maxBytes) close(index);
    bytes += size;
    if (line.trim() !== '') rows += 1;
  }
  close(lines.length);
  const all = parts.reduce((sum, part) => sum + part.rows, 0);
  if (all === 0) return refused('There is no line below the one that names the columns.');
  if (all > maxLines) return refused(`The file has ${all} lines; at most ${maxLines} are taken at once.`);
  return { kind: 'parts', parts, rows: all };
}

function refused(why: string): Parts {
  return { kind: 'refused', why };
}
