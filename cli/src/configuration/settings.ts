import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import type { Kind, Shown } from './kind.ts';

const existingOf = (shown: Shown) => ({ id: 'settings', key: 'settings', shown });

/** The settings of the fleet. They always exist and are never removed. */
export const settings: Kind = {
  section: 'settings',
  isSingle: true,
  key: '',
  schema: 'putSettingsBody',
  checkable: (item) => ({ body: item, faults: [] }),
  list: async (client) => [existingOf((await client.call('getSettings')).data)],
  async get(client) {
    const { data, etag } = await client.call('getSettings');
    return { existing: existingOf(data), etag };
  },
  exported: ({ shown }) => shown,
  wanted: (item) => ({ shown: item, body: () => item }),
  create: (client, _, body) => client.call('putSettings', { body: body as Schemas['Settings'] }),
  change: (client, _, body, ifMatch) => client.call('putSettings', { body: body as Schemas['Settings'], ...ifMatch }),
};
