import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files of `shared` and `functions` in which at least one function ran. Loading a file does not count. */
export function executedFiles(coverage: readonly Profiler.ScriptCoverage[], root: string): string[] {
  const ran = coverage.filter(({ url, functions: [top, ...rest] }) => {
    // The first function is the module itself if it was loaded during the measurement; otherwise it is an ordinary function.
    const own = top && top.functionName === '' && top.ranges[0]?.startOffset === 0 ? rest : [top, ...rest];
    return url.startsWith('file:') && own.some((each) => (each?.ranges[0]?.count ?? 0) > 0);
  });
  const files = ran.map(({ url }) => relative(root, fileURLToPath(url)));
  return [...new Set(files)].filter((file) => /^(shared|functions)\//.test(file)).toSorted();
}

/** Prepares one input and returns a function that sends it, so that only the sending is counted. */
export type Input = () => Promise<() => Promise<void>>;

/** Sends each input once to warm up and once to count. V8's coverage says which functions ran. */
export async function countExecuted<Name extends string>(
  inputs: Record<Name, Input>,
  root: string,
): Promise<Map<Name, string[]>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const counted = new Map<Name, string[]>();
  for (const [name, input] of Object.entries(inputs) as [Name, Input][]) {
    await (await input())();
    const send = await input();
    await session.post('Profiler.takePreciseCoverage');
    await send();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    counted.set(name, executedFiles(result, root));
  }
  session.disconnect();
  return counted;
}
