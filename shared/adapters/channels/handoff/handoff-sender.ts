import type { SecretBox, Sender, Store } from '../../../app/ports.ts';
import { handoffOwner } from '../../../app/settings/handoff-owner.ts';
import { urlOf } from '../../../app/settings/handoffs.ts';
import { readRetryAfter, type SendOutcome } from '../../../domain/delivery/delivery.ts';
import type { HandoffEvent, HandoffRecord } from '../../../domain/delivery/handoff.ts';

import { escaped } from '../../../domain/messages/phrases.ts';
import type { Instant } from '../../../domain/time.ts';
import { type HandoffKind, handoffTable } from '../../../schema/settings/handoff-kinds.ts';
import { type OutboundAnswer, type OutboundClient, withoutSecrets } from '../../outbound/client.ts';

import { toAlertmanager } from '../alertmanager/alertmanager.ts';
import { toGeneric } from '../generic/generic.ts';
import { toOpsgenie } from '../opsgenie/opsgenie.ts';
import { notTaken, taken } from '../outcome.ts';
import { toPagerduty } from '../pagerduty/pagerduty.ts';
import { toServicenow } from '../servicenow/servicenow.ts';
import type { RequestOf } from './request.ts';

type HandoffSenderParts = {
  config: { consoleUrl: string };
  store: Pick<Store, 'get'>;
  box: SecretBox;
  client: OutboundClient;
  now: () => Instant;
};

/** The request builder of each kind. */
const requests: Record<HandoffKind, RequestOf> = {
  pagerduty: toPagerduty,
  opsgenie: toOpsgenie,
  servicenow: toServicenow,
  alertmanager: toAlertmanager,
  generic: toGeneric,
};

const timeoutMs = 10_000;

/** Sends to hand-offs. Address and credential are read for each attempt, and never kept. */
export function createHandoffSender({ config: { consoleUrl }, store, box, client, now }: HandoffSenderParts): Sender {
  return {
    async send({ target, body, deliveryId }) {
      if (target.kind !== 'handoff') throw new Error(`delivery ${deliveryId} is not for a hand-off`);
      const { team, handoffId } = target;
      const [stored = null] = await store.get('teams', [team]);
      const handoff = stored?.data.handoffs?.find((each) => each.handoffId === handoffId);
      if (!handoff) return notTaken('not_configured', 'The team no longer has this hand-off.', { isRetryable: false });
      const { sealedCredential } = handoff;
      const credential = sealedCredential && box.open(sealedCredential, handoffOwner(team, handoffId));
      const said = JSON.parse(body) as HandoffEvent;
      const text = said.text.split('\n').map(escaped.handoff).join('\n');
      const event = { ...said, title: escaped.handoff(said.title), text };
      const link = consoleUrl && `${consoleUrl.replace(/\/$/, '')}/${event.path}`;
      return send(client, handoff, event, { credential, link, now: now() });
    },
  };
}

type SendContext = { credential: string | null; link: string; now: Instant };

async function send(
  client: OutboundClient,
  handoff: HandoffRecord,
  event: HandoffEvent,
  { credential, link, now }: SendContext,
): Promise<SendOutcome> {
  const { kind, settings } = handoff;
  const severity = handoffTable[kind].severities[event.severity];
  const made = requests[kind]({ event, link, severity, url: urlOf(handoff), settings, credential, now });
  const answer = await client.send({
    url: made.url,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'Watchpost/1.0', ...made.headers },
    body: Buffer.from(JSON.stringify(made.body)),
    timeoutMs,
  });
  const authorization = Object.values(made.headers).map((value) => value.replace(/^(Basic|Bearer|GenieKey) /, ''));
  const excerpt = withoutSecrets(answer.excerpt, [credential ?? '', ...authorization]);
  return outcomeOf({ ...answer, excerpt }, handoffTable[kind].title, now);
}

/** Statuses that a receiver would repeat for the same content. A refused key is not among them, because somebody may correct it. */
const final: ReadonlySet<number> = new Set([400, 413, 414, 415, 422]);

function outcomeOf(
  { statusCode, excerpt, failure, retryAfter }: OutboundAnswer,
  title: string,
  now: Instant,
): SendOutcome {
  if (failure || statusCode === null) {
    const { errorClass, detail } = failure ?? { errorClass: 'connection_reset' as const, detail: 'No answer came.' };
    return notTaken(errorClass, detail, { isRetryable: true, statusCode });
  }
  if (statusCode >= 200 && statusCode < 300) return taken(statusCode, excerpt);
  const answered = { statusCode, responseExcerpt: excerpt, retryAfterMs: readRetryAfter(retryAfter, now) };
  if (statusCode < 400) return notTaken('redirect', 'Redirects are not followed.', { ...answered, isRetryable: true });
  const isFinal = final.has(statusCode);
  const detail = `${title} answered ${statusCode}.`;
  return notTaken(isFinal ? 'refused_by_channel' : 'http_status', detail, { ...answered, isRetryable: !isFinal });
}
