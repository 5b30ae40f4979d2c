// Names every circle of imports among the files and among the rooms of the folders that are kept free of them.
import { type Import, readImports, sourceFiles } from './imports.ts';

const folders = ['shared/schema', 'functions/api'];

/** The folder below one of these that a file stands in: its room. A file that stands beside the rooms is one of its own. */
export function roomOf(file: string, within: readonly string[] = folders): string {
  const folder = within.find((each) => file.startsWith(`${each}/`));
  if (folder === undefined) return file;
  const [room = '', ...rest] = file.slice(folder.length + 1).split('/');
  return rest.length > 0 ? `${folder}/${room}` : file;
}

/** The circles among the ends of these arrows: each as the names that can all be reached from one another. */
export function circlesOf(arrows: readonly Pick<Import, 'from' | 'to'>[]): string[][] {
  const next = Map.groupBy(
    arrows.filter(({ from, to }) => from !== to),
    ({ from }) => from,
  );
  const reachedFrom = new Map([...next.keys()].map((name) => [name, reached(name, next)]));
  const circles = [...reachedFrom].map(([name, all]) =>
    [...all].filter((other) => other === name || reachedFrom.get(other)?.has(name)).toSorted(),
  );
  const found = circles.filter((circle) => circle.length > 1);
  return [...new Map(found.map((circle) => [circle.join(), circle])).values()];
}

/** Everything that is reached by following arrows, the beginning only where an arrow leads back to it. */
function reached(name: string, next: ReadonlyMap<string, readonly Pick<Import, 'to'>[]>): Set<string> {
  const seen = new Set<string>();
  const waiting = [name];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { to } of next.get(at) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      waiting.push(to);
    }
  }
  return seen;
}

if (import.meta.main) {
  const imports = readImports('.', sourceFiles('.', folders));
  const rooms = imports.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }));
  const circles = [...circlesOf(imports), ...circlesOf(rooms)];
  for (const circle of circles) console.error(`These import one another: ${circle.join(', ')}`);
  if (imports.length === 0) console.error('No import was read: the reader is broken.');
  process.exitCode = circles.length > 0 || imports.length === 0 ? 1 : 0;
}
