import { type Client, WatchpostError } from '../../sdk/typescript/src/index.ts';

/** The lists in which the beginning of an id is looked up, and the filters to try one after another. */
const lists = {
  alertId: { operation: 'listAlerts', filters: [{}, { status: ['all'] }] },
  incidentId: { operation: 'listIncidents', filters: [{}, { status: ['all'] }] },
  deliveryId: { operation: 'listDeliveries', filters: [{}] },
  reportId: { operation: 'listQuarantine', filters: [{}, { status: ['all'] }] },
  webhookId: { operation: 'listWebhooks', filters: [{}] },
  windowId: { operation: 'listMaintenanceWindows', filters: [{}] },
  ruleId: { operation: 'listRules', filters: [{}] },
} as const;

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const beginning = /^[0-9a-f]{6,8}$|^[0-9a-f]{8}-[0-9a-f-]{0,26}$/;
const shownLength = 8;
/** Records of a list that are examined, newest first. */
const mostExamined = 2000;

/** The beginning of an id that tables show. */
export function shortId(id: string): string {
  return wholeId.test(id) ? id.slice(0, shownLength) : id;
}

/**
 * The id that begins with what a person gave. Whatever cannot be the beginning of an id stays as it is.
 * @throws WatchpostError if no record or more than one fits
 */
export async function wholeIdOf(api: Client, member: string, given: string, signal: AbortSignal): Promise<string> {
  if (!Object.hasOwn(lists, member) || wholeId.test(given) || !beginning.test(given)) return given;
  const { operation, filters } = lists[member as keyof typeof lists];
  for (const filter of filters) {
    const found = new Set<string>();
    let examined = 0;
    const query = { ...filter, pageSize: 200 };
    for await (const item of api.each(operation as 'listAlerts', { query, signal } as never)) {
      const id = String((item as unknown as Record<string, unknown>)[member]);
      if (id.startsWith(given)) found.add(id);
      examined += 1;
      if (examined === mostExamined) break;
    }
    const [first, second] = found;
    if (second !== undefined) throw notOne(member, given, `several begin so: ${[...found].join(', ')}`);
    if (first !== undefined) return first;
  }
  throw notOne(member, given, `none of the latest ${mostExamined} begins so; give the whole id`);
}

function notOne(member: string, given: string, detail: string): WatchpostError {
  return new WatchpostError({
    code: 'not-found',
    status: 404,
    title: 'Not found',
    detail: `"${given}" is not the beginning of one ${member}: ${detail}.`,
  });
}
