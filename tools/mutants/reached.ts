import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import type { Mutant } from './mutations.ts';

type Span = { start: number; end: number };
type Insert = { at: number; text: string };

/**
 * The source with a call `reached(N)` at the beginning of the innermost function around each change. A change outside of every function
 * happens when the module is loaded, and has no call.
 * @param changes of this file, by their number
 */
export function withReached(file: string, source: string, changes: readonly (readonly [number, Mutant])[]): string {
  const functions: { body: Span; isBlock: boolean }[] = [];
  const take = ({ body }: { body: (Span & { type: string }) | null }) => {
    if (body) functions.push({ body, isBlock: body.type === 'BlockStatement' || body.type === 'FunctionBody' });
  };
  new Visitor({ FunctionDeclaration: take, FunctionExpression: take, ArrowFunctionExpression: take }).visit(
    parseSync(file, source).program,
  );
  const inserts: Insert[] = changes.flatMap(([number, { start, end }]) => {
    const around = functions.filter(({ body }) => body.start <= start && end <= body.end);
    const innermost = around.toSorted((a, b) => a.body.end - a.body.start - (b.body.end - b.body.start))[0];
    if (!innermost) return [];
    const call = `globalThis.reached?.(${number})`;
    const { body, isBlock } = innermost;
    if (isBlock) return [{ at: body.start + 1, text: `${call};` }];
    return [
      { at: body.start, text: `(${call}, ` },
      { at: body.end, text: ')' },
    ];
  });
  return inserts
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}

const setupFile = 'reached-setup.ts';
const foundFile = 'reached.txt';
const setup = `import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
const numbers = new Set();
globalThis.reached = (number) => numbers.add(number);
afterAll(() => appendFileSync('${foundFile}', JSON.stringify([expect.getState().testPath, ...numbers]) + '\\n'));
`;

/**
 * Runs tests in a copy of the project. Returns for each change the test files that execute its function.
 * @param root the copy; its files are restored afterwards
 * @param run runs all candidate tests
 */
export function testsThatReach(root: string, changes: readonly Mutant[], run: () => void): Map<number, string[]> {
  const config = join(root, 'vitest.config.ts');
  const files = new Map([config, ...changes.map(({ file }) => join(root, file))].map((path) => [path, read(path)]));
  writeFileSync(join(root, setupFile), setup);
  writeFileSync(config, read(config).replaceAll(/name: 'unit(-apart)?',/g, `$& setupFiles: ['./${setupFile}'],`));
  for (const [file, of] of Map.groupBy(changes.entries(), ([, { file }]) => file)) {
    writeFileSync(join(root, file), withReached(file, read(join(root, file)), of));
  }
  run();
  for (const [path, source] of files) writeFileSync(path, source);
  const reached = new Map<number, string[]>();
  for (const line of read(join(root, foundFile)).trim().split('\n')) {
    const [path, ...numbers] = JSON.parse(line) as [string, ...number[]];
    for (const number of numbers) reached.set(number, [...(reached.get(number) ?? []), relative(root, path)]);
  }
  return reached;
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}
