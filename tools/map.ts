// Prints the structure of the code. Fails if there are more crowded folders, imports against their order, circular imports, clocks or unfit words than
// allowed.
// Also fails if an input makes more trips to the store, or decides more often, than allowed. Prints, without a limit, the modules with a test.
import { type Ceilings, countsOf, isRefused, linesOf } from './map/counts.ts';
import { type Structure, structureOf } from './map/structure.ts';
import { countTrips, type Trips } from './map/trips.ts';

/** Maximum counts, with the goal 0. A higher count fails. If you lower a count, lower its maximum here too. */
const ceilings: Ceilings = {
  crowded: 0,
  up: 0,
  filesInCircles: 0,
  roomsInCircles: 0,
  clocks: {},
  participles: [
    ...['Stored', 'Decided', 'Paged', 'Attached', 'Expected', 'Suppressed', 'Handed', 'Left', 'Packed', 'Sealed'],
    ...['Gathered', 'Looked', 'Unguarded'],
  ],
  repeated: 8,
  decisions: 4,
  longCalls: 0,
};

/** What each input may cost at most: reads of the store in a row, commits, and how often it is decided. A decision that needs records is asked again. */
const most: Record<string, Trips> = {
  list: { reads: 2, commits: 0, decisions: 0 },
  acknowledge: { reads: 1, commits: 1, decisions: 1 },
  unacknowledge: { reads: 1, commits: 1, decisions: 1 },
  resolve: { reads: 2, commits: 1, decisions: 2 },
  reopen: { reads: 2, commits: 1, decisions: 2 },
  snooze: { reads: 2, commits: 1, decisions: 2 },
  unsnooze: { reads: 2, commits: 1, decisions: 2 },
  'quiet report': { reads: 1, commits: 1, decisions: 1 },
  'opening report': { reads: 2, commits: 1, decisions: 2 },
  'opening report, settings of two minutes ago': { reads: 2, commits: 1, decisions: 2 },
  'webhook attempt': { reads: 1, commits: 2, decisions: 1 },
};

const structure = structureOf('.');
const counts = countsOf(structure, ceilings);
const lines = [...roomLines(structure), ...counts.flatMap(linesOf), ...clockLines(structure), mirrorLine(structure)];
for (const line of lines) console.log(line);
const trips = await tripsOfInputs();
for (const [name, made] of trips)
  console.log(
    `trips of ${name}: ${inWords(made)}${isAbove(name, made) ? `, at most ${inWords(allowed(name))}: REFUSED` : ''}`,
  );
process.exitCode = counts.some(isRefused) || [...trips].some(([name, made]) => isAbove(name, made)) ? 1 : 0;

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

async function tripsOfInputs(): Promise<Map<string, Trips>> {
  // Loaded only here, because it starts the whole service.
  const { startInputs } = await import('../test/support/map/inputs.ts');
  const { inputs, counter, stop } = await startInputs();
  const counted = await countTrips(inputs, counter);
  await stop();
  return counted;
}

function allowed(name: string): Trips {
  return most[name] ?? { reads: 0, commits: 0, decisions: 0 };
}

function isAbove(name: string, { reads, commits, decisions }: Trips): boolean {
  const limit = allowed(name);
  return reads > limit.reads || commits > limit.commits || decisions > limit.decisions;
}

function inWords({ reads, commits, decisions }: Trips): string {
  return `${reads} reads in a row, ${commits} commits, decided ${decisions} times`;
}
