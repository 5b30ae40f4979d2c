import type { SecretBox, Sender, Store } from '../../../app/ports.ts';
import { chatOwner } from '../../../app/settings/chat-owner.ts';
import { readRetryAfter, type SendOutcome } from '../../../domain/delivery/delivery.ts';

import type { DrillTargets } from '../../../domain/drill/drill.ts';
import { drillTeam } from '../../../domain/drill/heard.ts';
import type { Instant } from '../../../domain/time.ts';
import type { ChatKind } from '../../../schema/vocabulary.ts';
import { type OutboundAnswer, type OutboundClient, withoutSecrets } from '../../outbound/client.ts';

import { notTaken, taken } from '../outcome.ts';

type ChatSenderParts = {
  store: Pick<Store, 'get'>;
  box: SecretBox;
  client: OutboundClient;
  now: () => Instant;
  /** The targets of drills, whose chats are not in the store. */
  drill: DrillTargets | null;
};

const timeoutMs = 10_000;

/** The channel `chat`: incoming webhooks of Slack, Google Chat and Microsoft Teams. The address is read for each attempt and never kept. */
export function createChatSender({ client, now, ...parts }: ChatSenderParts): Sender {
  return {
    async send({ target, body, deliveryId }) {
      if (target.kind !== 'chat') throw new Error(`delivery ${deliveryId} is not a chat message`);
      const chat = await chatOf(target, parts);
      if (!chat) return notTaken('not_configured', 'The team no longer has this chat.', { isRetryable: false });
      const { url } = chat;
      const answer = await client.send({
        url,
        method: 'POST',
        headers: { 'Content-Type': 'application/json; charset=utf-8', 'User-Agent': 'Watchpost/1.0' },
        body: Buffer.from(body),
        timeoutMs,
      });
      const excerpt = withoutSecrets(answer.excerpt, [url, pathOf(url)]);
      return outcomeOf({ ...answer, excerpt }, chat.kind, now());
    },
  };
}

type ChatTarget = { team: string; chatId: string };

async function chatOf(
  { team: name, chatId }: ChatTarget,
  { store, box, drill }: Pick<ChatSenderParts, 'store' | 'box' | 'drill'>,
): Promise<{ kind: ChatKind; url: string } | null> {
  if (name === drillTeam) return drill?.chats[Number(chatId)] ?? null;
  const [team = null] = await store.get('teams', [name]);
  const chat = team?.data.chats.find((each) => each.chatId === chatId);
  return chat ? { kind: chat.kind, url: box.open(chat.sealedUrl, chatOwner(name, chatId)) } : null;
}

/** The secret part of an address. An answer may repeat it. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname === '/' ? search : `${pathname}${search}`;
}

/** Statuses after which another attempt is useful: timeouts, early data, rate limits and server errors. */
function mayPass(statusCode: number): boolean {
  return statusCode === 408 || statusCode === 425 || statusCode === 429 || statusCode >= 500;
}

function outcomeOf(
  { statusCode, excerpt, failure, retryAfter }: OutboundAnswer,
  kind: ChatKind,
  now: Instant,
): SendOutcome {
  if (failure || statusCode === null) {
    const { errorClass, detail } = failure ?? { errorClass: 'connection_reset' as const, detail: 'No answer came.' };
    return notTaken(errorClass, detail, { isRetryable: errorClass !== 'blocked_target', statusCode });
  }
  const answered = { statusCode, responseExcerpt: excerpt, retryAfterMs: readRetryAfter(retryAfter, now) };
  if (statusCode >= 300 && statusCode < 400) {
    return notTaken('redirect', 'Redirects are not followed.', { ...answered, isRetryable: false });
  }
  if (statusCode >= 400) {
    const detail = `The chat answered ${statusCode}.`;
    return notTaken('http_status', detail, { ...answered, isRetryable: mayPass(statusCode) });
  }
  const hidden = kind === 'teams' ? hiddenStatus(excerpt) : null;
  if (hidden !== null) {
    const detail = `Teams answered ${statusCode} and says that it was ${hidden}.`;
    return notTaken('refused_by_channel', detail, { ...answered, isRetryable: mayPass(hidden) });
  }
  return taken(statusCode, excerpt);
}

/** The real status of a Teams message that was throttled or dropped: Teams answers 200 and writes it in the text. */
function hiddenStatus(excerpt: string | null): number | null {
  const status = /returned HTTP error (\d{3})/i.exec(excerpt ?? '')?.[1];
  return status === undefined ? null : Number(status);
}
