import type { SecretBox } from '../../../app/ports.ts';
import { ownerOf } from '../../../app/webhooks/secrets.ts';
import { isSilence } from '../../../domain/delivery/endpoint-health.ts';
import type { Sealed, Webhook } from '../../../domain/delivery/webhook.ts';
import type { OutboundClient } from '../../outbound/client.ts';

/** A token, or why there is none. */
export type TokenAnswer = { token: string } | { fault: string; isSilent?: boolean };

/** Tokens for requests to endpoints, from the addresses that their owners give. */
export type Tokens = {
  of(webhook: Webhook, timeoutMs: number): Promise<TokenAnswer>;
  /** The receiver refused the token: the next attempt gets another one. */
  drop(webhook: Webhook): void;
};

type TokenEntry = { answer: Promise<TokenAnswer>; until: number };
const mostKept = 2000;
/** A token is not used in the last part of its life. Without a stated life it is used for a short time. */
const spareMs = 30_000;
const usualLifeMs = 5 * 60_000;
const longestLifeMs = 60 * 60_000;
/** Characters of a bearer token (RFC 6750). */
const tokenForm = /^[A-Za-z0-9\-._~+/]{1,8192}=*$/;

/**
 * Requests tokens with the credentials of a client (RFC 6749, 4.4), each through the guard. A token is kept until shortly before its end, and while it is
 * requested, others wait for the same answer. Failures are not kept.
 * @param elapsedMs a monotonic clock
 */
export function createTokens(
  { box, client }: { box: SecretBox; client: OutboundClient },
  elapsedMs: () => number,
): Tokens {
  const kept = new Map<string, TokenEntry>();
  return {
    of(webhook, timeoutMs) {
      const key = keyOf(webhook);
      const known = kept.get(key);
      if (known && known.until > elapsedMs()) return known.answer;
      if (kept.size >= mostKept) kept.clear();
      const entry: TokenEntry = { answer: Promise.resolve({ fault: '' }), until: Number.POSITIVE_INFINITY };
      entry.answer = request({ box, client }, webhook, timeoutMs).then(
        ({ lifeMs, ...answer }) => {
          entry.until = elapsedMs() + lifeMs - spareMs;
          if ('fault' in answer && kept.get(key) === entry) kept.delete(key);
          return answer;
        },
        (error: unknown) => {
          if (kept.get(key) === entry) kept.delete(key);
          throw error;
        },
      );
      kept.set(key, entry);
      return entry.answer;
    },
    drop: (webhook) => {
      kept.delete(keyOf(webhook));
    },
  };
}

/** Another secret, address or scope is another token. */
function keyOf({ webhookId, oauth2 }: Webhook): string {
  return JSON.stringify([webhookId, oauth2]);
}

async function request(
  { box, client }: { box: SecretBox; client: OutboundClient },
  { webhookId, oauth2 }: Webhook,
  timeoutMs: number,
): Promise<TokenAnswer & { lifeMs: number }> {
  const failed = (fault: string) => ({ fault, lifeMs: 0 });
  if (!oauth2) return failed('The endpoint has no address of tokens.');
  const { tokenUrl, clientId, scope, audience, sealedSecret } = oauth2;
  const secret = box.open(sealedSecret as Sealed, ownerOf(webhookId, 'oauth2'));
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  });
  const { statusCode, excerpt, failure } = await client.send({
    url: tokenUrl,
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      'User-Agent': 'Watchpost-Webhooks/1.0',
      Authorization: `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString('base64')}`,
    },
    body: Buffer.from(form.toString()),
    timeoutMs,
  });
  if (failure) {
    const isSilent = isSilence({ statusCode, errorClass: failure.errorClass });
    return { ...failed(`The address of tokens: ${failure.detail}`), isSilent };
  }
  if (statusCode !== 200) return failed(`The address of tokens answered ${statusCode}.`);
  return read(excerpt) ?? failed('The answer of the address of tokens has no bearer token.');
}

function encoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function read(text: string | null): { token: string; lifeMs: number } | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text ?? '');
  } catch {
    return null;
  }
  const { access_token: token, token_type: type, expires_in: seconds } = (answer ?? {}) as Record<string, unknown>;
  if (typeof token !== 'string' || !tokenForm.test(token)) return null;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return null;
  const life = Number(seconds);
  const lifeMs = Number.isFinite(life) && life > 0 ? Math.min(life * 1000, longestLifeMs) : usualLifeMs;
  return { token, lifeMs };
}
