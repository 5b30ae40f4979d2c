import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { deviceStates } from '../../../shared/schema/vocabulary.ts';
import type { Command } from '../command.ts';
import { readText } from '../connection.ts';
import type { Column } from '../output.ts';
import { UsageError } from '../usage.ts';
import { acting, listing, showing, withoutGaps } from './records.ts';

const columns: Column<Schemas['Device']>[] = [
  ['deviceId', ({ deviceId }) => deviceId],
  ['name', ({ name }) => name],
  ['group', ({ groupId }) => groupId, 'spare'],
  ['site', ({ site }) => site],
  ['state', ({ state }) => state],
  ['lastSeenAt', ({ lastSeenAt }) => lastSeenAt],
  ['model', ({ model }) => model, 'spare'],
  ['firmware', ({ firmware }) => firmware, 'spare'],
];
type Result = Schemas['ImportAnswer']['results'][number];
const resultColumns: Column<Result>[] = [
  ['line', ({ line }) => line],
  ['deviceId', ({ deviceId }) => deviceId],
  ['outcome', ({ outcome }) => outcome],
  ['errors', ({ errors }) => errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')],
];

export const deviceCommands: readonly Command[] = [
  listing('listDevices', {
    name: 'devices list',
    about: 'lists devices',
    flags: {
      state: { about: 'in these states', value: 'S', isMany: true, oneOf: deviceStates, member: 'state' },
      group: { about: 'of this device group', value: 'ID', isMany: true, member: 'groupId' },
      site: { about: 'of this site', value: 'ID', isMany: true, member: 'site' },
      parent: { about: 'that hang on this, as switch:sw-1', value: 'KIND:ID', member: 'parent' },
      tag: { about: 'with this tag, as floor:2', value: 'KEY:VALUE', member: 'tag' },
      search: { about: 'the beginnings of words of id, name or site', value: 'TEXT', member: 'q' },
    },
    columns,
  }),
  showing('getDevice', 'devices show', 'deviceId', 'shows one device'),
  {
    name: 'devices import',
    about: 'writes the registry records of a CSV or JSON file (up to 500) and prints the result of each line',
    operands: { shown: 'FILE', least: 1, most: 1 },
    flags: { 'dry-run': { about: 'change nothing, and print what would become of each line' } },
    async run({ operands: [file = ''], flags, client, print, terminal }) {
      const query = withoutGaps({ dryRun: flags.has('dry-run') ? true : undefined });
      const content = contentOf(file);
      const { data } = await client().call('importDevices', { ...content, query, signal: terminal.signal });
      print.list(data.results, resultColumns);
      return data.results.every(({ outcome }) => outcome !== 'refused');
    },
  },
  acting('removeDevice', {
    name: 'devices remove',
    about: 'decommissions devices',
    id: 'deviceId',
    columns: [],
  }),
];

/** @throws UsageError that names the file, with the parser's message if it is not JSON */
function contentOf(file: string): { csv: string } | { body: Schemas['DeviceImport'] } {
  const text = readText(file);
  if (!file.toLowerCase().endsWith('.json')) return { csv: text };
  try {
    return { body: JSON.parse(text) as Schemas['DeviceImport'] };
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
}
