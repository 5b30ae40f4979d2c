import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { windowStates } from '../../../shared/schema/vocabulary.ts';
import type { Command, Flags, Given } from '../command.ts';
import type { Column } from '../output.ts';
import { UsageError } from '../usage.ts';
import { instantOf } from './actions.ts';
import { acting, listing, showing, withoutGaps } from './records.ts';

const columns: Column<Schemas['MaintenanceWindow']>[] = [
  ['windowId', ({ windowId }) => windowId],
  ['name', ({ name }) => name],
  ['state', ({ state }) => state],
  ['startsAt', ({ startsAt }) => startsAt],
  ['endsAt', ({ endsAt }) => endsAt],
  [
    'recurrence',
    ({ recurrence }) => recurrence && `${recurrence.weekdays.join(' ')} ${recurrence.from}-${recurrence.to}`,
  ],
  ['scope', ({ scope }) => scope],
];
const id = 'windowId';

const planned: Flags = {
  name: { about: 'what it is called', value: 'TEXT' },
  reason: { about: 'why', value: 'TEXT' },
  from: { about: 'when it begins, as 2026-11-22T18:00:00Z', value: 'TIME' },
  to: { about: 'when it ends', value: 'TIME' },
  device: { about: 'of this device', value: 'ID', isMany: true },
  group: { about: 'of this device group', value: 'ID', isMany: true },
  site: { about: 'of this site', value: 'ID', isMany: true },
  code: { about: 'of this alert code, or the beginning of one as CONN_*', value: 'CODE', isMany: true },
};

function windowOf(flags: Given): Schemas['MaintenanceWindowInput'] {
  const [name, from, to] = (['name', 'from', 'to'] as const).map((flag) => {
    const text = flags.text(flag);
    if (text === undefined) throw new UsageError(`--${flag} is needed.`);
    return text;
  });
  const scope = withoutGaps({
    devices: flags.texts('device'),
    groups: flags.texts('group'),
    sites: flags.texts('site'),
    codes: flags.texts('code'),
  });
  if (Object.keys(scope).length === 0) throw new UsageError('Of what? Give --device, --group, --site or --code.');
  return {
    name: name ?? '',
    ...withoutGaps({ reason: flags.text('reason') }),
    scope,
    startsAt: instantOf('from', from ?? ''),
    endsAt: instantOf('to', to ?? ''),
  };
}

export const maintenanceCommands: readonly Command[] = [
  listing('listMaintenanceWindows', {
    name: 'maintenance list',
    about: 'lists maintenance windows',
    flags: { state: { about: 'in these states', value: 'S', isMany: true, oneOf: windowStates } },
    query: (flags) => withoutGaps({ state: flags.texts('state') }) as object,
    columns,
  }),
  showing('getMaintenanceWindow', 'maintenance show', id, 'shows one window'),
  {
    name: 'maintenance create',
    about: 'creates a single window; recurring windows belong in the configuration (watchpost apply)',
    flags: planned,
    async run({ flags, client, print, terminal }) {
      const body = windowOf(flags);
      print.record((await client().call('createMaintenanceWindow', { body, signal: terminal.signal })).data);
      return true;
    },
  },
  {
    name: 'maintenance preview',
    about: 'lists what such a window would have silenced in the last 30 days',
    flags: planned,
    async run({ flags, client, print, terminal }) {
      const body = { window: windowOf(flags) };
      const { data } = await client().call('previewMaintenanceWindow', { body, signal: terminal.signal });
      print.record(data);
      return true;
    },
  },
  acting('deleteMaintenanceWindow', { name: 'maintenance remove', about: 'ends and removes windows', id, columns: [] }),
];
