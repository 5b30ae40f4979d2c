import type { SendOutcome } from '../../domain/delivery/delivery.ts';
import { type EndpointNews, endpointEventOf } from '../../domain/delivery/endpoint-event.ts';
import type { EndpointHealth, Webhook } from '../../domain/delivery/webhook.ts';
import { takesCritical } from '../../domain/delivery/webhook-filter.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import type { Instant } from '../../domain/time.ts';
import { noticeOf } from '../commit/notice.ts';
import type { Wake, World, Write } from '../ports.ts';
import { entryWrites } from './audit-entry.ts';

export function failingNews(
  { failingSince }: EndpointHealth,
  made: { outcome: SendOutcome; attempt: { at: Instant } },
) {
  const { outcome, attempt } = made;
  return { state: 'failing', since: failingSince ?? attempt.at, reason: outcome.detail } satisfies EndpointNews;
}

export function recoveredNews({ toldAt }: EndpointHealth): EndpointNews {
  return { state: 'recovered', since: toldAt ?? '', reason: null };
}

/**
 * Tells of an endpoint, in the commit that changes its state: an entry of the audit stream, an event of the feed, and a notice to its contact. `operations` gets the notice
 * too where an endpoint is disabled, or takes what is CRITICAL; in that case it comes on every channel.
 */
export async function newsOfEndpoint(
  world: World,
  webhook: Webhook,
  { state, since, reason }: EndpointNews,
  now: Instant,
): Promise<{ writes: Write[]; wakes: Wake[] }> {
  const { webhookId } = webhook;
  const isGrave = takesCritical(webhook);
  const noticeId = `endpoint-${state}-${webhookId}-${since}`;
  const notice = noticeOf(
    {
      noticeId,
      kind: `endpoint-${state}`,
      text: textOf(webhook, { state, since, reason }),
      team: isGrave || state === 'disabled' ? operationsTeam : null,
      webhookId,
      ...(isGrave && state === 'failing' ? { without: null } : {}),
    },
    now,
  );
  const resource = { resourceKind: 'webhooks', resourceId: webhookId };
  const facts = { entryId: noticeId, action: `endpoint.${state}`, outcome: 'done', ...resource, reason } as const;
  const entry = await entryWrites(world, facts);
  const event = endpointEventOf(webhook, { state, since, reason }, now);
  const publication: Write = { kind: 'create', in: 'events', id: event.recordId, data: event };
  return { writes: [notice.write, publication, ...entry.writes], wakes: [notice.wake, ...entry.wakes] };
}

function textOf({ webhookId, url, contact }: Webhook, { state, since, reason }: EndpointNews): string {
  const named = `The webhook endpoint ${webhookId} at ${new URL(url).host}`;
  const texts = {
    failing: `${named} fails since ${since}.${reason === null ? '' : ` ${reason}`} What it does not take is kept and can be replayed.`,
    disabled: `${named} was disabled: ${reason} Its deliveries are held and can be replayed.`,
    recovered: `${named} works again.`,
  };
  return contact && state !== 'recovered' ? `${texts[state]} Ask ${contact}.` : texts[state];
}
