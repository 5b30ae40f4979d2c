import { type Client, WatchpostError } from '../../sdk/typescript/src/index.ts';

/** The lists in which the beginning of an id is looked up, and the filters to try one after another. */
const lists = {
  alertId: { noun: 'alerts', operation: 'listAlerts', filters: [{}, { status: ['all'] }] },
  incidentId: { noun: 'incidents', operation: 'listIncidents', filters: [{}, { status: ['all'] }] },
  deliveryId: { noun: 'deliveries', operation: 'listDeliveries', filters: [{}] },
  webhookId: { noun: 'webhooks', operation: 'listWebhooks', filters: [{}] },
  windowId: { noun: 'maintenance', operation: 'listMaintenanceWindows', filters: [{}] },
  ruleId: { noun: 'rules', operation: 'listRules', filters: [{}] },
} as const;

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const idInText = /(?<![\w-])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/g;
const beginning = /^[0-9a-f]{6,8}$|^[0-9a-f]{8}-[0-9a-f-]{0,26}$/;
const shownLength = 8;
/** Records of a list that are examined, newest first. */
const mostExamined = 2000;

/** The beginning of an id that tables and sentences show. */
export function shortId(id: string): string {
  return wholeId.test(id) ? id.slice(0, shownLength) : id;
}

/** A text with each id in it shortened. */
export function withShortIds(text: string): string {
  return text.replaceAll(idInText, shortId);
}

/**
 * The id that begins with what a person gave.
 * @throws WatchpostError 404 if it is no beginning of an id or no record fits, 409 with the candidates if several do
 */
export async function wholeIdOf(api: Client, member: string, given: string, signal: AbortSignal): Promise<string> {
  if (!Object.hasOwn(lists, member) || wholeId.test(given)) return given;
  const { noun, operation, filters } = lists[member as keyof typeof lists];
  const shown = `"watchpost ${noun} list" shows them`;
  if (!beginning.test(given)) throw notOne(`"${given}" is no ${member}: ${shown}.`);
  for (const filter of filters) {
    const found = await beginningWith(api, { operation, filter, member, given }, signal);
    const [first, second] = found;
    if (second !== undefined) {
      const detail = `Several ${member}s begin with "${given}": ${found.join(', ')}.`;
      throw new WatchpostError({ code: 'ambiguous', status: 409, title: 'Ambiguous', detail });
    }
    if (first !== undefined) return first;
  }
  throw notOne(`None of the latest ${mostExamined} ${member}s begins with "${given}": ${shown}.`);
}

async function beginningWith(
  api: Client,
  { operation, filter, member, given }: { operation: string; filter: object; member: string; given: string },
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>();
  let examined = 0;
  const query = { ...filter, pageSize: 200 };
  for await (const item of api.each(operation as 'listAlerts', { query, signal } as never)) {
    const id = String((item as unknown as Record<string, unknown>)[member]);
    if (id.startsWith(given)) found.add(id);
    examined += 1;
    if (examined === mostExamined) break;
  }
  return [...found];
}

function notOne(detail: string): WatchpostError {
  return new WatchpostError({ code: 'not-found', status: 404, title: 'Not found', detail });
}
