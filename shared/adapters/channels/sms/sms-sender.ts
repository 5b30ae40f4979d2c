import type { Sender } from '../../../app/ports.ts';
import { readRetryAfter, type SendOutcome } from '../../../domain/delivery/delivery.ts';

import type { Instant } from '../../../domain/time.ts';
import { type OutboundAnswer, type OutboundClient, withoutSecrets } from '../../outbound/client.ts';

import { notTaken, taken } from '../outcome.ts';

type SmsSenderParts = {
  /** Base address of the Messages API. */
  url: string;
  account: string;
  token: string;
  from: string;
  client: OutboundClient;
  now: () => Instant;
};

const timeoutMs = 10_000;

/** The channel `sms`: Twilio's Messages API, `POST /2010-04-01/Accounts/{sid}/Messages.json` with `To`, `From` and `Body`. */
export function createSmsSender({ url, account, token, from, client, now }: SmsSenderParts): Sender {
  const address = `${url.replace(/\/$/, '')}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`;
  const headers = {
    Authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
    'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8',
    'User-Agent': 'Watchpost/1.0',
  };
  return {
    async send({ target, body, deliveryId }) {
      if (target.kind !== 'sms') throw new Error(`delivery ${deliveryId} is not a text message`);
      const form = new URLSearchParams({ To: target.address, From: from, Body: body });
      const message = { url: address, method: 'POST', headers, body: Buffer.from(form.toString()), timeoutMs } as const;
      const answer = await client.send(message);
      const excerpt = withoutSecrets(answer.excerpt, [token, headers.Authorization.slice('Basic '.length)]);
      return outcomeOf({ ...answer, excerpt }, now());
    },
  };
}

/**
 * Twilio: 429 and 5xx may pass. 401 and 403 mean that our account settings are wrong, which somebody may correct. Any
 * other 4xx concerns this number or text and will not change.
 */
function outcomeOf({ statusCode, excerpt, failure, retryAfter }: OutboundAnswer, now: Instant): SendOutcome {
  if (failure || statusCode === null) {
    const { errorClass, detail } = failure ?? { errorClass: 'connection_reset' as const, detail: 'No answer came.' };
    return notTaken(errorClass, detail, { isRetryable: errorClass !== 'blocked_target', statusCode });
  }
  const answered = { statusCode, responseExcerpt: excerpt, retryAfterMs: readRetryAfter(retryAfter, now) };
  if (statusCode >= 200 && statusCode < 300) return taken(statusCode, excerpt);
  if (statusCode === 401 || statusCode === 403) {
    return notTaken('not_configured', 'The gateway refuses our account.', { ...answered, isRetryable: true });
  }
  const code = /"code"\s*:\s*(\d{4,6})/.exec(excerpt ?? '')?.[1];
  const detail = `The gateway answered ${statusCode}${code ? ` with code ${code}` : ''}.`;
  const isRetryable = statusCode === 429 || statusCode >= 500;
  return notTaken(isRetryable ? 'http_status' : 'refused_by_channel', detail, { ...answered, isRetryable });
}
