import { createHash } from 'node:crypto';
import { invalidRequest } from '../../shared/adapters/http/request-body.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';

/**
 * A message as it was pushed. `isRepeat`: the subscription's counter shows that it was delivered before. A subscription without dead
 * letters has no counter.
 */
export type Push = { message: Message; isRepeat: boolean };

/** A message cannot have been published later than now. Smaller differences are between good clocks. */
const mostAheadMs = 5000;

type PushEnvelope = {
  message?: {
    data?: unknown;
    attributes?: unknown;
    messageId?: unknown;
    message_id?: unknown;
    publishTime?: unknown;
    publish_time?: unknown;
  };
  deliveryAttempt?: unknown;
};

/**
 * Reads the envelope of a Pub/Sub push, in the plain form or as the data of a CloudEvent (`google.cloud.pubsub.topic.v1.messagePublished`),
 * which has the same shape.
 * @param nowMs replaces a publish time that lies in the future: nobody may read of an alert that has not happened yet
 * @throws AppError `invalid-request` for a body that Pub/Sub would never send
 */
export function readPushed(body: unknown, nowMs: number): Push {
  const outer = (body ?? {}) as PushEnvelope & { data?: PushEnvelope; specversion?: unknown };
  const envelope = outer.specversion !== undefined ? (outer.data ?? {}) : outer;
  const message = envelope.message;
  if (typeof message !== 'object' || message === null)
    throw invalidRequest([{ pointer: '/message', detail: 'is required' }]);
  const publishTime = message.publishTime ?? message.publish_time;
  if (typeof publishTime !== 'string' || Number.isNaN(Date.parse(publishTime))) {
    throw invalidRequest([{ pointer: '/message/publishTime', detail: 'must be a time' }]);
  }
  const publishedMs = Date.parse(publishTime);
  const data = Buffer.from(typeof message.data === 'string' ? message.data : '', 'base64');
  const attributes = textAttributes(message.attributes);
  return {
    message: {
      messageId: safeId(message.messageId ?? message.message_id, data, attributes),
      publishTime: new Date(publishedMs > nowMs + mostAheadMs ? nowMs : publishedMs).toISOString(),
      attributes,
      data,
    },
    isRepeat: typeof envelope.deliveryAttempt === 'number' && envelope.deliveryAttempt > 1,
  };
}

function textAttributes(attributes: unknown): Record<string, string> {
  const texts: Record<string, unknown> = Array.isArray(attributes) ? {} : { ...(attributes as object | null) };
  for (const name of Object.keys(texts)) if (typeof texts[name] !== 'string') delete texts[name];
  return texts as Record<string, string>;
}

/** Pub/Sub's ids are digits. An id that could not name a record is replaced by a digest of the message. */
function safeId(id: unknown, data: Buffer, attributes: Record<string, string>): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(id)) return id;
  return createHash('sha256')
    .update(JSON.stringify([id, attributes]))
    .update(data)
    .digest('hex')
    .slice(0, 40);
}
