import type { Schemas } from '../../../../sdk/typescript/src/index.ts';
import type { Kind, Shown } from './kind.ts';
import { stepReferences } from './policy.ts';

const id = 'settings';
const existingOf = (shown: Shown) => ({ id, key: id, shown });
const bodyOf = (body: object) => body as Schemas['Settings'];

/** The settings of the fleet. They always exist and are never removed. */
export const settings: Kind = {
  section: 'settings',
  isSingle: true,
  key: '',
  schema: 'putSettingsBody',
  removable: ['groupReporting', 'idPatterns', 'limits', 'runbooks'],
  list: async (client) => [existingOf((await client.call('getSettings')).data)],
  async get(client) {
    const { data, etag } = await client.call('getSettings');
    return { existing: existingOf(data), etag };
  },
  exported: ({ shown }) => shown,
  wanted: (whole, existing) => ({ before: existing?.shown ?? {}, shown: whole, body: () => whole }),
  async create(client, _, body) {
    return { id, etag: (await client.call('putSettings', { body: bodyOf(body) })).etag };
  },
  async change(client, _, body, ifMatch) {
    return { id, etag: (await client.call('putSettings', { body: bodyOf(body), ...ifMatch })).etag };
  },
  references({ escalationTeam, escalation, quietHours }) {
    const { schedule } = (quietHours ?? {}) as { schedule?: string };
    return [
      ...(typeof escalationTeam === 'string'
        ? [{ to: 'team' as const, name: escalationTeam, path: ['escalationTeam'] }]
        : []),
      ...stepReferences(escalation),
      ...(schedule === undefined
        ? []
        : [{ to: 'schedule' as const, name: schedule, path: ['quietHours', 'schedule'] }]),
    ];
  },
  namesTeams: ['escalationTeam', 'escalation'],
};
