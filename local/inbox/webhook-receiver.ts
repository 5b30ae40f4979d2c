import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../http-server.ts';
import type { Messages } from './messages.ts';

/** What a receiver makes of a request's signature; `unchecked` where it was told no secret. */
export type SignatureVerdict = 'valid' | 'invalid' | 'expired' | 'unsigned' | 'unchecked';

/** How far the signed timestamp may lie from now, in seconds: what Standard Webhooks' libraries allow. */
const toleranceSeconds = 300;
const longestDelayMs = 60_000;

/**
 * A customer's receiver at `/webhooks/{name}`, which checks signatures with the secret that `secrets` has for the name. The query says how it
 * answers: `status=500`, `delayMs=15000`, `failFirst=2` (503 to the first two attempts of each delivery). `now` is epoch milliseconds.
 */
export function createWebhookReceiver(messages: Messages, secrets: Map<string, string>, now: () => number) {
  const attempts = new Map<string, number>();
  const statusFor = (query: URLSearchParams, headers: IncomingHttpHeaders): number => {
    const delivery = String(headers['x-service-delivery']);
    const attempt = (attempts.get(delivery) ?? 0) + 1;
    attempts.set(delivery, attempt);
    if (attempt <= Number(query.get('failFirst') ?? 0)) return 503;
    const status = Number(query.get('status') ?? 200);
    return status >= 200 && status <= 599 ? status : 200;
  };
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    name: string,
    query: URLSearchParams,
  ): Promise<void> => {
    const { headers, method = '' } = request;
    const body = await readBody(request);
    const signature = judgeSignature(secrets.get(name), headers, body, now());
    const status = statusFor(query, headers);
    messages.add({
      kind: 'webhook',
      at: new Date(now()).toISOString(),
      name,
      method,
      headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, String(value)])),
      body: body.toString('utf8'),
      signature,
      status,
    });
    const delayMs = Math.min(Number(query.get('delayMs') ?? 0) || 0, longestDelayMs);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`signature: ${signature}\n`);
  };
}

/** The contract's check: HMAC-SHA256 of timestamp, a dot and the body, keyed with the secret, as `sha256=` and lower-case hex. */
export function judgeSignature(
  secret: string | undefined,
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
): SignatureVerdict {
  const signature = headers['x-service-signature'];
  const timestamp = headers['x-service-timestamp'];
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return 'unsigned';
  if (secret === undefined) return 'unchecked';
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(`sha256=${digest}`);
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'invalid';
  return Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds ? 'valid' : 'expired';
}
