import { parseSync, Visitor } from 'oxc-parser';

/** One change of an expression: replaces the text between two offsets. */
export type Mutant = { file: string; line: number; start: number; end: number; from: string; to: string };

/** The replacement of each operator. `<` becomes `<=`, not `>`, because only a test of the boundary notices that. */
const operators: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

type Span = { start: number; end: number };

/** All possible changes of a file: operators, conditions, numbers and booleans, never within a type. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const found: (Span & { to: string })[] = [];
  const types: Span[] = [];
  const operator = ({ left, right, operator }: { left: Span; right: Span; operator: string }) => {
    const to = operators[operator];
    const at = source.indexOf(operator, left.end);
    if (to && at >= 0 && at < right.start) found.push({ start: at, end: at + operator.length, to });
  };
  const condition = ({ test }: { test: Span }) => {
    found.push({ start: test.start, end: test.end, to: 'true' }, { start: test.start, end: test.end, to: 'false' });
  };
  new Visitor({
    BinaryExpression: operator,
    LogicalExpression: operator,
    IfStatement: condition,
    ConditionalExpression: condition,
    UnaryExpression({ operator, argument, start, end }) {
      if (operator === '!') found.push({ start, end, to: source.slice(argument.start, argument.end) });
    },
    Literal({ value, start, end }) {
      if (typeof value === 'number') found.push({ start, end, to: String(value + 1) });
      if (typeof value === 'boolean') found.push({ start, end, to: String(!value) });
    },
    TSTypeAliasDeclaration: (node) => types.push(node),
    TSTypeAnnotation: (node) => types.push(node),
    TSTypeParameterInstantiation: (node) => types.push(node),
    TSLiteralType: (node) => types.push(node),
  }).visit(parseSync(file, source).program);
  return found
    .filter(({ start, end }) => !types.some((type) => type.start <= start && end <= type.end))
    .map(({ start, end, to }) => {
      const line = source.slice(0, start).split('\n').length;
      return { file, line, start, end, from: source.slice(start, end), to };
    });
}

/** A random sample that a seed reproduces. */
export function sampleOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const left = [...all];
  const next = chance(seed);
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(next() * left.length), 1),
  ).flat();
}

/** Random numbers from 0 to 1, without 1 (mulberry32). */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
