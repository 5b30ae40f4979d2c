import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

type Node = { type: string; start: number };
type Called = Node & { callee: Node; arguments: readonly unknown[] };
export type Clock = { file: string; line: number; found: string };

/** The domain and use cases get time and randomness as arguments. These functions read them from the machine. */
const chance = ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues'];
const names = new Set(['setTimeout', 'setInterval', 'setImmediate', 'performance', ...chance]);
const members = new Set(['Date.now', 'Math.random', 'Temporal.Now', ...chance.map((name) => `crypto.${name}`)]);

/** Every place where a source file reads a clock, uses randomness or sets a timer. */
export function clocksIn(file: string, source: string): Clock[] {
  const found: Clock[] = [];
  /** Positions where an identifier is only a member name or a key (`world.performance` is not a clock), or was already reported. */
  const labels = new Set<number>();
  const add = (start: number, what: string) =>
    found.push({ file, line: source.slice(0, start).split('\n').length, found: what });
  const label = ({ key, computed }: { key: Node; computed?: boolean }) => {
    if (!computed) labels.add(key.start);
  };
  // `Date(…)` without `new` ignores its arguments and returns the present time as text.
  const called = ({ callee, arguments: given, start, type }: Called) => {
    if (callee.type !== 'Identifier' || !('name' in callee) || callee.name !== 'Date') return;
    if (type === 'CallExpression') add(start, 'Date()');
    else if (given.length === 0) add(start, 'new Date()');
  };
  new Visitor({
    MemberExpression({ object, property, computed, start }) {
      if (!computed) labels.add(property.start);
      const key =
        property.type === 'Literal' ? String(property.value) : 'name' in property ? String(property.name) : '';
      // Members of the global object are judged by their own names.
      if (object.type !== 'Identifier') return;
      if (object.name === 'globalThis' || object.name === 'global') labels.delete(property.start);
      if (members.has(`${object.name}.${key}`)) add(start, `${object.name}.${key}`);
    },
    NewExpression: called,
    CallExpression: called,
    Property(node) {
      if (!node.shorthand) label(node);
    },
    PropertyDefinition: label,
    MethodDefinition: label,
    TSPropertySignature: label,
    TSMethodSignature: label,
    Identifier({ name, start }) {
      if (!names.has(name) || labels.has(start)) return;
      labels.add(start);
      add(start, name);
    },
  }).visit(parseSync(file, source).program);
  return found;
}

export function readClocks(root: string, files: readonly string[]): Clock[] {
  return files
    .filter((file) => /^shared\/(domain|app)\//.test(file))
    .flatMap((file) => clocksIn(file, readFileSync(join(root, file), 'utf8')));
}

/** Files with more clocks than are allowed for them. */
export function newClocks(clocks: readonly Clock[], known: Readonly<Record<string, number>>): string[] {
  return [...Map.groupBy(clocks, ({ file }) => file)].flatMap(([file, found]) =>
    found.length > (known[file] ?? 0)
      ? found.map(({ line, found: what }) => `${file}:${line}: ${what}: time and chance come from World or an argument`)
      : [],
  );
}
