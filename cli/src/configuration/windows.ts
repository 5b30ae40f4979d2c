import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import type { Kind, Shown } from './kind.ts';

type Window = Schemas['MaintenanceWindow'];
const members = ['name', 'reason', 'scope', 'startsAt', 'endsAt', 'recurrence'] as const;

/** Windows that do not belong to the configuration: those that are over, and those of people with limited tokens. */
const over = new WeakSet<Shown>();

function existingOf(window: Window) {
  const shown: Shown = Object.fromEntries(
    members.flatMap((name) => (window[name] === undefined ? [] : [[name, window[name]]])),
  );
  if (window.state === 'over' || window.limitedTo !== null) over.add(shown);
  return { id: window.windowId, key: window.name, shown };
}

/** The item with its instants in the form that the service uses. */
function normal(item: Shown): Shown {
  const { startsAt, endsAt, recurrence } = item as Partial<Window>;
  const instant = (text: string) => new Date(text).toISOString();
  return {
    ...item,
    ...(startsAt === undefined ? {} : { startsAt: instant(startsAt) }),
    ...(endsAt === undefined ? {} : { endsAt: instant(endsAt) }),
    ...(recurrence?.until === undefined ? {} : { recurrence: { ...recurrence, until: instant(recurrence.until) } }),
  };
}
const bodyOf = (body: object) => body as Schemas['MaintenanceWindowInput'];

/** Maintenance windows. Those that are over, and those of people with limited tokens, are neither exported nor removed. */
export const windows: Kind = {
  section: 'maintenance',
  key: 'name',
  id: 'windowId',
  schema: 'putMaintenanceWindowBody',
  checkable: ({ windowId: _, ...body }) => ({ body, faults: [] }),
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
  wanted({ windowId: _, ...item }) {
    const shown = normal(item);
    return { shown, body: () => shown };
  },
  create: (client, _, body) => client.call('createMaintenanceWindow', { body: bodyOf(body) }),
  change: (client, windowId, body, ifMatch) =>
    client.call('putMaintenanceWindow', { params: { windowId }, body: bodyOf(body), ...ifMatch }),
  remove: (client, windowId, ifMatch) => client.call('deleteMaintenanceWindow', { params: { windowId }, ...ifMatch }),
  isKept: ({ shown }) => over.has(shown),
};
