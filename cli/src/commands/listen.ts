import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Schemas, signWebhook } from '../../../sdk/typescript/src/index.ts';
import { webhookEvents } from '../../../shared/schema/vocabulary.ts';
import type { Command, Terminal } from '../command.ts';
import { plain } from '../output.ts';
import { withShortIds } from '../short-ids.ts';
import { secondsTime } from '../times.ts';
import { UsageError } from '../usage.ts';

type Event = Schemas['FeedEvent'];

/** Timeout for a receiver's answer, milliseconds: the default of an endpoint. */
const timeoutMs = 10_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

export const listenCommands: readonly Command[] = [
  {
    name: 'listen',
    isEndless: true,
    about: 'posts events to a receiver on this machine as they happen, signed as a webhook is',
    flags: {
      forward: {
        about: 'address of the receiver on this machine, as http://localhost:3000/hook',
        value: 'URL',
        isNeeded: true,
      },
      secret: {
        about: 'what the requests are signed with (WATCHPOST_LISTEN_SECRET, or a new one that is printed)',
        value: 'S',
      },
      type: { about: 'only events of these types', value: 'T', isMany: true, oneOf: webhookEvents },
      after: { about: 'goes on behind this cursor (now)', value: 'CURSOR' },
    },
    async run({ flags, terminal, client }) {
      const url = receiverOf(flags.text('forward') ?? '');
      const secret = flags.text('secret') ?? terminal.env['WATCHPOST_LISTEN_SECRET'] ?? newSecret(terminal);
      const types = flags.texts('type') as Event['type'][] | undefined;
      const options = { after: flags.text('after') ?? 'now', signal: terminal.signal, ...(types ? { types } : {}) };
      const onBroken = (error: Error) => terminal.err(`${plain(error.message)} It is tried again.\n`);
      let isReady = false;
      for await (const { events, cursor } of client().events({ ...options, onBroken })) {
        if (!isReady) terminal.err(`Events go to ${url}. Stop with Ctrl-C.\n`);
        isReady = true;
        for (const event of events) {
          if (!(await handOn(terminal, url, event, secret))) return true;
        }
        if (events.length > 0) terminal.err(`cursor ${cursor}\n`);
      }
      return true;
    },
  },
];

/** Events must not go over a network without TLS. */
function receiverOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHere = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return url.href;
  throw new UsageError(`--forward must be an address on this machine, or https, not "${text}".`);
}

function newSecret(terminal: Terminal): string {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  terminal.err(`The requests are signed with ${secret}\n`);
  return secret;
}

/**
 * Posts one event until the receiver accepts it, so that none is skipped and their order is kept. Each attempt has the same delivery id.
 * @returns false if the command was stopped first
 */
async function handOn(terminal: Terminal, url: string, event: Event, secret: string): Promise<boolean> {
  for (let attempt = 1; !terminal.signal.aborted; attempt += 1) {
    const outcome = await post(terminal, url, event, secret, attempt);
    terminal.out(
      `${secondsTime({ nowMs: Date.now(), timeZone: terminal.view.timeZone })} ${event.type} ${aboutOf(event)} ${withShortIds(plain(event.eventId))} ${outcome.said}\n`,
    );
    if (outcome.isTaken) return true;
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs);
    await pause(pauseMs, null, { signal: terminal.signal }).catch(() => {});
  }
  return false;
}

/** What an event is about: what changed, its code or kind, and the device. */
function aboutOf({ body, deviceId }: Event): string {
  const { change, alert, incident } = JSON.parse(body) as {
    change?: string;
    alert?: { code: string };
    incident?: { kind: string; scope: { kind: string; id: string } };
  };
  const place = incident ? `${incident.scope.kind}:${incident.scope.id}` : deviceId;
  return [change, alert?.code ?? incident?.kind, place].flatMap((word) => (word ? [plain(word)] : [])).join(' ');
}

async function post(terminal: Terminal, url: string, event: Event, secret: string, attempt: number) {
  const signed = await signWebhook({ deliveryId: event.recordId, event: event.type, attempt }, event.body, secret);
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Watchpost-Listen/1.0', ...signed };
  try {
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(timeoutMs)]);
    const { ok, status, body } = await fetch(url, {
      method: 'POST',
      headers,
      body: event.body,
      redirect: 'manual',
      signal,
    });
    await body?.cancel();
    return { isTaken: ok, said: String(status) };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { isTaken: false, said: plain(cause?.code ?? message) };
  }
}
