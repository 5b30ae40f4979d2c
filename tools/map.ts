// Prints the structure of the code. Fails if there are more crowded folders, imports against their order, circular imports or clocks than allowed.
// Also prints, without a limit, the modules with a test and the number of files that each input executes.
import { type Ceilings, countsOf, isRefused, linesOf } from './map/counts.ts';
import { countExecuted } from './map/executed.ts';
import { type Structure, structureOf } from './map/structure.ts';

/** Maximum counts, with the goal 0. A higher count fails. If you lower a count, lower its maximum here too. */
const ceilings: Ceilings = {
  crowded: 0,
  up: 0,
  filesInCircles: 0,
  roomsInCircles: 0,
  clocks: {},
};

/**
 * The number of files that an input should execute at most. It is printed and not enforced, because the number could be met by merging
 * files.
 */
const goals: Record<string, number> = {
  list: 10,
  acknowledge: 15,
  'quiet report': 20,
  'report that opens an alert': 28,
  'webhook attempt': 16,
};

const structure = structureOf('.');
const counts = countsOf(structure, ceilings);
const lines = [...roomLines(structure), ...counts.flatMap(linesOf), ...clockLines(structure), mirrorLine(structure)];
for (const line of lines) console.log(line);
console.log(`files executed (goal): ${await executedLine()}`);
process.exitCode = counts.some(isRefused) ? 1 : 0;

function roomLines({ byFolder }: Structure): string[] {
  const areaOf = (folder: string) => /^(shared\/\w+|(?:console|cli)\/src|sdk\/\w+\/src|\w+)/.exec(folder)?.[0] ?? '';
  const areas = Map.groupBy([...byFolder].toSorted(), ([folder]) => areaOf(folder));
  return [...areas].map(([area, folders]) => {
    const rooms = folders.map(([folder, count]) => `${folder.slice(area.length + 1) || '.'} ${count}`);
    return `rooms of ${area}: ${rooms.join(', ')}`;
  });
}

function clockLines({ clocks }: Structure): string[] {
  return [`known clocks: ${clocks.length}`, ...clocks.map(({ file, line, found }) => `  ${file}:${line}: ${found}`)];
}

function mirrorLine({ mirrored }: Structure): string {
  const shares = [...mirrored].map(([folder, { tested, of }]) => `${folder} ${tested} of ${of}`);
  return `modules with a test of the same path: ${shares.join(', ')}`;
}

async function executedLine(): Promise<string> {
  // Loaded only here, because it starts the whole service.
  const { startInputs } = await import('../test/support/map/inputs.ts');
  const { inputs, stop } = await startInputs();
  const counted = await countExecuted(inputs, process.cwd());
  await stop();
  return [...counted].map(([name, files]) => `${name} ${files.length} (${goals[name] ?? '?'})`).join(', ');
}
