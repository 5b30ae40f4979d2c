// Deletes its own database on Google's emulator, and restores the service on another one (docs/recovery.md).
import { readArguments, readNumber, runCommand } from '../local/stack/arguments.ts';
import { restoreDrillOnEmulators } from './restore/emulators.ts';

const usage = `npm run restore-drill -- [flags]

Fills a database of its own on Google's emulator, exports it, empties it, restores the export into another, compares every record, opens a
secret with the copy of the data keys, and goes on there. Ends with 1 where a step fails, and names it. Touches nothing else.`;

await runCommand(async () => {
  const flags = readArguments(usage, {
    cameras: { type: 'string', default: '20', value: 'N', about: 'cameras that report before it (20)' },
  });
  const cameras = readNumber('cameras', flags.cameras, 1, 10_000);
  await restoreDrillOnEmulators({ cameras }, ({ name, tookMs, what }) =>
    console.log(`${name.padEnd(10)}${tookMs.toFixed(0).padStart(7)} ms  ${what}`),
  );
});
