import { Agent, request } from 'undici';
import type { IdentityTokens } from '../identity-tokens.ts';
import type { PushRetries } from './settings.ts';

/** A message as Pub/Sub delivers it. `publishTime` is RFC 3339. */
export type PubSubMessage = {
  messageId: string;
  publishTime: string;
  data: Buffer;
  attributes: Record<string, string>;
  orderingKey: string;
};

export type DelivererConfig = PushRetries & {
  /** Where to post; the token names `audience` and the account `email`. */
  url: string;
  audience: string;
  email: string;
  /** Full resource name, sent to the receiver. */
  subscription: string;
};

/** How a message ended: the receiver accepted it, or it is dead after `attempts`. */
export type Delivered = { outcome: 'taken' } | { outcome: 'dead'; attempts: number };

export type Deliverer = {
  /**
   * Posts the message until it is accepted or dead. Without a maximum of attempts it is never dead and has no counter. @throws Error when
   * the deliverer is closed meanwhile
   */
  deliver(message: PubSubMessage): Promise<Delivered>;
  close(): Promise<void>;
};

/** Requests that are open at once. */
const outstanding = 64;
/** How long a request waits for a function that is starting, as the cloud's front end does. After this it counts as a failed attempt. */
const startWaitMs = 60_000;
const startRetryMs = 100;
/** Pub/Sub's default acknowledgement deadline is 10 s and its longest 600 s. Ours allows for a slow machine. */
const answerMs = 60_000;
/** Number of latest messages that are recognised if they come again. */
const remembered = 10_000;

/** Posts messages in the form of a Pub/Sub push: messages of one ordering key one at a time, at most 64 in total. */
export function createDeliverer(config: DelivererConfig, tokens: IdentityTokens): Deliverer {
  const agent = new Agent({
    connections: outstanding,
    keepAliveTimeout: 4000,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
  });
  const closing = new AbortController();
  const tails = new Map<string, Promise<unknown>>();
  const slots = createSlots(outstanding);

  const deliver = async (message: PubSubMessage): Promise<Delivered> => {
    for (let attempt = 1; ; attempt += 1) {
      const isTaken = await slots(() => post({ config, agent, tokens }, message, attempt, closing.signal));
      if (isTaken) return { outcome: 'taken' };
      if (attempt === config.maxAttempts) return { outcome: 'dead', attempts: attempt };
      await pause(Math.min(config.backoffMs * 2 ** (attempt - 1), config.longestBackoffMs), closing.signal);
    }
  };
  const inOrder = (message: PubSubMessage): Promise<Delivered> => {
    if (message.orderingKey === '') return deliver(message);
    const before = tails.get(message.orderingKey) ?? Promise.resolve();
    const ended = before.catch(() => {}).then(() => deliver(message));
    tails.set(message.orderingKey, ended);
    const forget = () => {
      if (tails.get(message.orderingKey) === ended) tails.delete(message.orderingKey);
    };
    ended.then(forget, forget);
    return ended;
  };
  // If a lease ends on a busy machine, the emulator sends all messages of that key again. Such a repetition gets the
  // result of the first delivery; otherwise it would wait behind that delivery until its own lease ends. Pub/Sub too
  // has only one request per message at a time. `publishTime` is part of the id, because a new emulator begins its
  // message ids again.
  const known = new Map<string, Promise<Delivered>>();
  return {
    deliver(message) {
      const id = `${message.messageId} ${message.publishTime}`;
      const same = known.get(id);
      if (same) return same;
      const delivered = inOrder(message);
      known.set(id, delivered);
      for (const oldest of known.keys()) if (known.size > remembered) known.delete(oldest);
      delivered.catch(() => known.delete(id));
      return delivered;
    },
    async close() {
      closing.abort(new Error('The deliverer is closed.'));
      await agent.destroy();
    },
  };
}

async function post(
  { config, agent, tokens }: { config: DelivererConfig; agent: Agent; tokens: IdentityTokens },
  message: PubSubMessage,
  attempt: number,
  closed: AbortSignal,
): Promise<boolean> {
  const body = JSON.stringify(envelope(config, message, attempt));
  for (const waitUntil = Date.now() + startWaitMs; ; ) {
    closed.throwIfAborted();
    try {
      const answer = await request(config.url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${await tokens(config.email, config.audience)}`,
        },
        body,
        dispatcher: agent,
      });
      await answer.body.dump();
      return answer.statusCode >= 200 && answer.statusCode < 300;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ECONNREFUSED' || Date.now() > waitUntil) return false;
      await pause(startRetryMs, closed);
    }
  }
}

/** The body of a push request (Pub/Sub reference, "Receive push messages"). */
function envelope(config: DelivererConfig, message: PubSubMessage, attempt: number): Record<string, unknown> {
  const { data, orderingKey, ...rest } = message;
  return {
    message: { ...rest, data: data.toString('base64'), ...(orderingKey === '' ? {} : { orderingKey }) },
    subscription: config.subscription,
    ...(config.maxAttempts === null ? {} : { deliveryAttempt: attempt }),
  };
}

function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: Array<() => void> = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

function pause(ms: number, closed: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(closed.reason);
    };
    const timer = setTimeout(() => {
      closed.removeEventListener('abort', stop);
      resolve();
    }, ms);
    closed.addEventListener('abort', stop, { once: true });
  });
}
