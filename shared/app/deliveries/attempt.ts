import { afterAttempt, leased, postponed, type RetryRules } from '../../domain/delivery/decision.ts';
import type { Attempt, Delivery, SendOutcome } from '../../domain/delivery/delivery.ts';
import type { Webhook } from '../../domain/delivery/webhook.ts';
import { withoutLinks } from '../../domain/notify/link.ts';
import { withoutContacts } from '../../domain/notify/team.ts';
import { plus } from '../../domain/time.ts';
import type { DeliveryChannel } from '../../schema/channels.ts';
import { decideAndCommit, wakeAll } from '../commit/commit.ts';
import { bodyOf } from '../events/body.ts';
import { Conflict, type Revision, type Sender, type Stored, type World, type Write } from '../ports.ts';
import { judgeAnswer, releaseHeld } from './challenge.ts';
import type { ChannelWatch } from './channel-watch.ts';
import type { EgressWitness } from './dispatch-guards.ts';
import { deliveryWakes } from './wakes.ts';

/** The senders of the channels that are configured. */
export type Senders = Partial<Record<DeliveryChannel, Sender>>;

export type AttemptParts = {
  world: World;
  senders: Senders;
  elapsedMs: () => number;
  egress: EgressWitness;
  channels: ChannelWatch;
};

/**
 * What a message to people or an event for a hand-off is sent with: its text, its slot, further writes of the commit that takes the lease, and whether
 * people must hear of it.
 */
export type Departure = { body: string; slot: Delivery['slot']; beside: Write[]; isCritical?: boolean };

/** The result of an attempt. `put-off`: none was made, because nothing outside answers; `settled`: the delivery was not sent. */
export type AttemptResult =
  | { kind: 'settled'; delivery: Delivery }
  | { kind: 'attempted'; delivery: Delivery; outcome: SendOutcome; attempt: Attempt }
  | { kind: 'put-off'; delivery: Delivery };

/** A lease lasts longer than the timeout of its request by this. Never scaled, because timeouts are not scaled either. */
const leaseMarginMs = 10_000;
/** Longest time that the senders of channels other than `webhook` take. */
const otherTimeoutSeconds = 30;

/**
 * Makes one attempt. The lease is written before it and the outcome after it, so that nothing is lost when the process dies between them.
 * The next attempt then carries the same id. Null where another process was first.
 * @throws what a sender throws: the fault is ours, and the attempt does not count
 */
export async function makeAttempt(
  parts: AttemptParts,
  stored: Stored<'deliveries'>,
  endpoint: Webhook | null,
  departure: Departure | null = null,
): Promise<AttemptResult | null> {
  const { world, senders, elapsedMs, egress } = parts;
  const leaseMs = (endpoint?.timeoutSeconds ?? otherTimeoutSeconds) * 1000 + leaseMarginMs;
  const { beside = [], slot = stored.data.slot, isCritical = false } = departure ?? {};
  const data = leased({ ...stored.data, slot }, world.now(), leaseMs);
  const [revision, body] = await Promise.all([
    replace(world, stored.id, data, stored.revision, beside),
    departure?.body ?? bodyOf(world, data),
  ]);
  if (!revision) return null;
  const lease: Stored<'deliveries'> = { id: stored.id, data, revision };
  const number = data.attemptCount + 1;
  // Writing the lease may have taken time. Delays count from the end of the request.
  const at = world.now();
  const startedMs = elapsedMs();
  let outcome: SendOutcome | null;
  try {
    outcome = await egress.judge(data, async () =>
      body === null ? gone : (senders[data.channel]?.send({ ...data, body }, number, endpoint) ?? notConfigured),
    );
    if (outcome && data.eventType === 'challenge') outcome = await judgeAnswer(world, data, outcome);
  } catch (error) {
    await giveBack(world, lease);
    throw error;
  }
  if (!outcome) return putOff(world, lease);
  const attempt = attemptOf({ number, round: data.round.number, at }, elapsedMs() - startedMs, outcome);
  const { retryDelays } = endpoint ?? {};
  const rules = { isCritical, ...(retryDelays ? { retryDelays } : {}) };
  const delivery = await record(parts, lease, { outcome, attempt }, rules);
  const isProof = data.eventType === 'challenge' && outcome.errorClass === null;
  if (isProof && data.webhookId !== null) await releaseHeld(world, data.webhookId);
  logAttempt(world, delivery, attempt);
  return { kind: 'attempted', delivery, outcome, attempt };
}

/** Postpones a delivery without an attempt, because nothing outside answers. Null where another process was first. */
export async function putOff(
  world: World,
  { id, data, revision }: Stored<'deliveries'>,
): Promise<AttemptResult | null> {
  const now = world.now();
  const delivery = { ...postponed(data, plus(now, world.waits.egressRetry)), unheardAt: now };
  if (!(await replace(world, id, delivery, revision))) return null;
  await wakeAll(world, deliveryWakes([delivery]));
  return { kind: 'put-off', delivery };
}

/** Replaces a delivery as it was read, in one commit with what else is written; null where another was first. */
export async function replace(
  world: World,
  id: string,
  data: Delivery,
  revision: Revision,
  beside: readonly Write[] = [],
): Promise<Revision | null> {
  try {
    const write = { kind: 'replace', in: 'deliveries', id, data, revision } as const;
    const [written = null] = await world.store.commit([write, ...beside]);
    return written;
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}

/** After an internal error the attempt does not count. The delivery is due at once, when the platform repeats the failing call. */
async function giveBack(world: World, { id, data, revision }: Stored<'deliveries'>): Promise<void> {
  try {
    await replace(world, id, postponed(data, world.now()), revision);
  } catch (error) {
    world.log.warn('delivery.lease-kept', { deliveryId: id, error: String(error) });
  }
}

/** Records the outcome on the state that the lease left, or on the present state where somebody has changed the delivery meanwhile. */
async function record(
  { world, channels }: AttemptParts,
  lease: Stored<'deliveries'>,
  { outcome, attempt }: { outcome: SendOutcome; attempt: Attempt },
  rules: RetryRules & { isCritical: boolean },
): Promise<Delivery> {
  let known: Stored<'deliveries'> | null = lease;
  return decideAndCommit(world, async () => {
    const [read = null] = known ? [known] : await world.store.get('deliveries', [lease.id]);
    known = null;
    if (!read) return { writes: [], wakes: [], answer: lease.data };
    const { id, revision } = read;
    const isRecorded = read.data.attempts.some(({ number, at }) => number === attempt.number && at === attempt.at);
    // The commit took effect and its answer was lost. Only the wake is left to do.
    if (isRecorded) return { writes: [], wakes: deliveryWakes([read.data]), answer: read.data };
    const ended = afterAttempt(read.data, outcome, attempt, world.waits, rules);
    const end = await channels.endOf(ended, outcome, rules.isCritical);
    const data = end ? { ...ended, end } : ended;
    const wakes = deliveryWakes([data]);
    return { writes: [{ kind: 'replace', in: 'deliveries', id, data, revision }], wakes, answer: data };
  });
}

const notConfigured: SendOutcome = {
  statusCode: null,
  errorClass: 'not_configured',
  detail: 'This channel is not configured.',
  responseExcerpt: null,
  isRetryable: false,
  retryAfterMs: null,
  isGone: false,
};

const gone: SendOutcome = { ...notConfigured, detail: 'The event has expired.' };

function attemptOf(made: Pick<Attempt, 'number' | 'round' | 'at'>, durationMs: number, outcome: SendOutcome): Attempt {
  const { statusCode, errorClass, templateVersion } = outcome;
  const [detail, responseExcerpt] = [withoutLinks(outcome.detail), withoutLinks(outcome.responseExcerpt)];
  const rest = { statusCode, errorClass, detail, responseExcerpt };
  return { ...made, durationMs: Math.round(durationMs), ...rest, ...(templateVersion ? { templateVersion } : {}) };
}

function logAttempt({ log }: World, delivery: Delivery, attempt: Attempt): void {
  const { deliveryId, channel, targetName, eventType, eventId, status, dueAt } = delivery;
  const { number, durationMs, statusCode, errorClass } = attempt;
  const what = { deliveryId, channel, targetName: withoutContacts(targetName), eventType, eventId };
  log.info('delivery.attempted', { ...what, attempt: number, statusCode, errorClass, durationMs, status, dueAt });
}
