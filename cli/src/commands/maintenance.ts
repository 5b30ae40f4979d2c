import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { windowStates } from '../../../shared/schema/vocabulary.ts';
import type { Command, Flags, Given } from '../command.ts';
import type { Column } from '../output.ts';
import { UsageError } from '../usage.ts';
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
    'spare',
  ],
  ['scope', ({ scope }) => scope],
];
const id = 'windowId';

const planned = {
  name: { about: 'what it is called', value: 'TEXT', isNeeded: true, member: 'name' },
  reason: { about: 'why', value: 'TEXT', member: 'reason' },
  from: { about: 'when it begins, as 18:00', value: 'TIME', time: 'next', isNeeded: true, member: 'startsAt' },
  to: { about: 'when it ends', value: 'TIME', time: 'next', isNeeded: true, member: 'endsAt' },
  device: { about: 'of this device', value: 'ID', isMany: true, member: 'scope/devices' },
  group: { about: 'of this device group', value: 'ID', isMany: true, member: 'scope/groups' },
  site: { about: 'of this site', value: 'ID', isMany: true, member: 'scope/sites' },
  code: {
    about: 'of this alert code, or the beginning of one as CONN_*',
    value: 'CODE',
    isMany: true,
    member: 'scope/codes',
  },
} as const satisfies Flags;

function windowOf(flags: Given): Schemas['MaintenanceWindowInput'] {
  const scope = withoutGaps({
    devices: flags.texts('device'),
    groups: flags.texts('group'),
    sites: flags.texts('site'),
    codes: flags.texts('code'),
  });
  if (Object.keys(scope).length === 0) throw new UsageError('Of what? Give --device, --group, --site or --code.');
  const [name = '', startsAt = '', endsAt = ''] = ['name', 'from', 'to'].map((flag) => flags.text(flag));
  return { name, ...withoutGaps({ reason: flags.text('reason') }), scope, startsAt, endsAt };
}

export const maintenanceCommands: readonly Command[] = [
  listing('listMaintenanceWindows', {
    name: 'maintenance list',
    about: 'lists maintenance windows',
    flags: { state: { about: 'in these states', value: 'S', isMany: true, oneOf: windowStates, member: 'state' } },
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
