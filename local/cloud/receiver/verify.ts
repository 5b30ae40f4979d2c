import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether the signatures of a request are valid under a secret: `contract` is `X-Service-Signature`, `standard` is
 * `webhook-signature`. Null: the header is absent.
 */
export type Verdict = { contract: boolean | null; standard: boolean | null };

const toleranceSeconds = 5 * 60;

/** Verifies as a customer would, following the page for receivers and not the code that signs. */
export function verify(headers: IncomingHttpHeaders, body: Buffer, secret: string, nowSeconds: number): Verdict {
  const one = (name: string) => headers[name]?.toString();
  const isFresh = (timestamp = '') => Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds;
  const [signature, timestamp] = [one('x-service-signature'), one('x-service-timestamp')];
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const [id, at, signatures] = [one('webhook-id'), one('webhook-timestamp'), one('webhook-signature')];
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64')}`;
  return {
    contract: signature === undefined ? null : isFresh(timestamp) && isSame(signature, `sha256=${digest}`),
    standard:
      signatures === undefined ? null : isFresh(at) && signatures.split(' ').some((each) => isSame(each, expected)),
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
