import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { quarantineStatuses } from '../../../shared/schema/vocabulary.ts';
import type { Command } from '../command.ts';
import type { Column } from '../output.ts';
import { acting, listing, showing } from './records.ts';

const columns: Column<Schemas['QuarantinedReport']>[] = [
  ['reportId', ({ reportId }) => reportId],
  ['status', ({ status }) => status],
  ['reason', ({ reason }) => reason],
  ['device', ({ deviceId }) => deviceId],
  ['kind', ({ kind }) => kind, 'spare'],
  ['quarantinedAt', ({ quarantinedAt }) => quarantinedAt],
  ['errors', ({ errors }) => errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')],
];
const id = 'reportId';

export const quarantineCommands: readonly Command[] = [
  listing('listQuarantine', {
    name: 'quarantine list',
    about: 'lists messages of devices that could not be read',
    flags: {
      status: {
        about: 'in these states',
        value: 'S',
        isMany: true,
        oneOf: [...quarantineStatuses, 'all'],
        member: 'status',
      },
    },
    columns,
  }),
  showing('getQuarantined', 'quarantine show', id, 'shows one message with its bytes, in base64'),
  acting('retryQuarantined', { name: 'quarantine retry', about: 'reads messages again', id, columns }),
  acting('dismissQuarantined', { name: 'quarantine dismiss', about: 'dismisses messages', id, columns }),
  acting('restoreQuarantined', { name: 'quarantine restore', about: 'undoes that, within a minute', id, columns }),
];
