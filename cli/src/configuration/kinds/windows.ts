import type { Schemas } from '../../../../sdk/typescript/src/index.ts';
import { merged } from '../merge.ts';
import type { Existing, Kind, Shown } from './kind.ts';

type Window = Schemas['MaintenanceWindow'];
const members = ['name', 'reason', 'scope', 'startsAt', 'endsAt', 'recurrence'] as const;
const wholes = ['scope', 'recurrence'];

const over = new WeakSet<Shown>();
const ofLimited = new WeakSet<Shown>();

function existingOf(window: Window): Existing {
  const shown: Shown = Object.fromEntries(
    members.flatMap((name) => (window[name] === undefined ? [] : [[name, window[name]]])),
  );
  if (window.state === 'over') over.add(shown);
  if (window.limitedTo !== null) ofLimited.add(shown);
  return { id: window.windowId, key: window.name, shown };
}

/** The record with its instants in the form that the service uses. What is no instant stays, for the schema to refuse. */
function normal(whole: Shown): Shown {
  const { startsAt, endsAt, recurrence } = whole as Partial<Window>;
  const instant = (text: string) => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString());
  return {
    ...whole,
    ...(startsAt === undefined ? {} : { startsAt: instant(startsAt) }),
    ...(endsAt === undefined ? {} : { endsAt: instant(endsAt) }),
    ...(recurrence?.until === undefined ? {} : { recurrence: { ...recurrence, until: instant(recurrence.until) } }),
  };
}
const bodyOf = (body: object) => body as Schemas['MaintenanceWindowInput'];

/** Maintenance windows. Those of people with limited tokens, and those that are over, are not part of the configuration. */
export const windows: Kind = {
  section: 'maintenance',
  key: 'name',
  id: 'windowId',
  schema: 'putMaintenanceWindowBody',
  wholes,
  removable: ['reason', 'startsAt', 'endsAt', 'recurrence'],
  over({ startsAt, endsAt, recurrence, ...base }, item) {
    const isOnce = item['startsAt'] !== undefined || item['endsAt'] !== undefined;
    const isRecurring = item['recurrence'] !== undefined && item['recurrence'] !== null;
    const once = { ...(startsAt === undefined ? {} : { startsAt }), ...(endsAt === undefined ? {} : { endsAt }) };
    const again = recurrence === undefined ? {} : { recurrence };
    return normal(merged({ ...base, ...(isRecurring ? {} : once), ...(isOnce ? {} : again) }, item, wholes));
  },
  async list(client) {
    const found = [];
    for await (const window of client.each('listMaintenanceWindows', { query: { pageSize: 200 } }))
      found.push(existingOf(window));
    return found;
  },
  async get(client, windowId) {
    const { data, etag } = await client.call('getMaintenanceWindow', { params: { windowId } });
    return { existing: existingOf(data), etag };
  },
  exported: ({ shown }) => shown,
  wanted: (whole, existing) => ({ before: existing?.shown ?? {}, shown: whole, body: () => whole }),
  async create(client, _, body) {
    const { data, etag } = await client.call('createMaintenanceWindow', { body: bodyOf(body) });
    return { id: data.windowId, etag };
  },
  async change(client, windowId, body, ifMatch) {
    const given = { params: { windowId }, body: bodyOf(body), ...ifMatch };
    return { id: windowId, etag: (await client.call('putMaintenanceWindow', given)).etag };
  },
  remove: (client, windowId, ifMatch) => client.call('deleteMaintenanceWindow', { params: { windowId }, ...ifMatch }),
  references: ({ scope }) =>
    ((scope as Window['scope']).groups ?? []).map((name, at) => ({ to: 'group', name, path: ['scope', 'groups', at] })),
  isForeign: ({ shown }) => over.has(shown) || ofLimited.has(shown),
  isOver: ({ shown }) => over.has(shown),
};
