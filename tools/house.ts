// Prints the size of the code: the number of files, the lines of the longest, and the files and functions over the limits. A long file is only
// named: whether its halves are read apart is for people to judge. A function that does not fit a screen fails.
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { sourceFiles } from './imports.ts';

const limits = { fileLines: 450, functionLines: 60 };
const files = sourceFiles('.', [
  'shared',
  'functions',
  'device',
  'bridge',
  'console',
  'local',
  'tools',
  'sdk',
  'cli',
]).filter((file) => !file.includes('/generated/'));
const measured = files.map((file) => {
  const source = readFileSync(file, 'utf8');
  return { file, lines: source.split('\n').length - 1, functions: functionsOf(file, source) };
});
const longFiles = measured.filter(({ lines }) => lines > limits.fileLines);
const longFunctions = measured.flatMap(({ file, functions }) =>
  functions
    .filter(({ lines }) => lines > limits.functionLines)
    .map(({ line, lines }) => `${file}:${line} (${lines} lines)`),
);

console.log(`${files.length} files, longest ${Math.max(...measured.map(({ lines }) => lines))} lines`);
console.log(
  `files over ${limits.fileLines} lines: ${longFiles.length} ${longFiles.map(({ file, lines }) => `${file} (${lines})`).join(', ')}`,
);
console.log(`functions over ${limits.functionLines} lines: ${longFunctions.length} ${longFunctions.join(', ')}`);
process.exitCode = longFunctions.length > 0 ? 1 : 0;

function functionsOf(file: string, source: string): { line: number; lines: number }[] {
  const found: { line: number; lines: number }[] = [];
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const measure = ({ start, end }: { start: number; end: number }) => {
    const line = lineAt(start);
    found.push({ line, lines: lineAt(end) - line + 1 });
  };
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(parseSync(file, source).program);
  return found;
}
