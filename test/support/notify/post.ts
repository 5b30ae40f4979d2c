import type { Senders } from '../../../shared/app/deliveries/attempt.ts';
import { createDispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { isDueKind } from '../../../shared/app/due/table.ts';
import type { Sender, Wake } from '../../../shared/app/ports.ts';
import type { Delivery, SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import { msBetween } from '../../../shared/domain/time.ts';
import { success } from '../records/deliveries.ts';
import type { TestWorld } from '../world/world.ts';

/** A message that its receiver accepted, with the time. */
export type Sent = { at: string; to: string; channel: Delivery['channel']; text: string; delivery: Delivery };

/** The text of a message of any channel. */
export function textOf({ channel, body }: Pick<Delivery, 'channel' | 'body'>): string {
  if (channel === 'sms') return body;
  const parsed = JSON.parse(body);
  return channel === 'email' ? `${parsed.text}` : JSON.stringify(parsed);
}

/**
 * Handles everything that a world schedules: wakes at their time by the test's clock, and messages to receivers that record them.
 * @param processes number of instances of `deliver`, called alternately; `senders`: replace the recording sender of a channel
 */
export function createPost(
  world: TestWorld,
  answer: (delivery: Delivery) => SendOutcome = () => success,
  { processes = 1, senders: given = {} }: { processes?: number; senders?: Senders } = {},
): Post {
  const sent: Sent[] = [];
  const sender: Sender = {
    async send(delivery) {
      const { channel, targetName } = delivery;
      const outcome = answer(delivery);
      if (outcome.errorClass === null)
        sent.push({ at: world.now(), to: targetName, channel, text: textOf(delivery), delivery });
      return outcome;
    },
  };
  const elapsedMs = () => Date.parse(world.now());
  const senders = { email: sender, chat: sender, sms: sender, webhook: sender, handoff: sender, ...given };
  const dispatchers = Array.from({ length: processes }, () => createDispatcher(world, senders, elapsedMs));
  let turn = 0;
  const call = async (wake: Wake) => {
    turn += 1;
    if (wake.in === 'deliveries') await dispatchers[turn % processes]?.attempt(wake.id, wake.webhookId);
    else if (isDueKind(wake.in)) await handleDue(world, wake.in, wake.id);
  };
  const answerDue = async () => {
    for (;;) {
      const due = world.wakes.findIndex(({ dueAt }) => dueAt <= world.now());
      const [wake] = due < 0 ? [] : world.wakes.splice(due, 1);
      if (!wake) return;
      await call(wake);
    }
  };
  const pass = async (seconds: number) => {
    const end = new Date(Date.parse(world.now()) + seconds * 1000).toISOString();
    for (;;) {
      const first = world.wakes.reduce<Wake | null>(
        (least, wake) => (least && least.dueAt <= wake.dueAt ? least : wake),
        null,
      );
      if (!first || first.dueAt > end) break;
      const isDue = ({ dueAt }: Wake) => dueAt <= first.dueAt || dueAt <= world.now();
      const together = world.wakes
        .filter(isDue)
        .toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : a.dueAt > b.dueAt ? 1 : 0));
      world.wakes.splice(0, world.wakes.length, ...world.wakes.filter((wake) => !isDue(wake)));
      world.pass(Math.max(0, msBetween(world.now(), first.dueAt)) / 1000);
      for (const wake of together) await call(wake);
    }
    world.pass(Math.max(0, msBetween(world.now(), end)) / 1000);
  };
  const post = { sent, pass, answerDue };
  if (!posts.has(world)) posts.set(world, post);
  return post;
}

type Post = {
  sent: Sent[];
  /** Advances the clock by seconds, and handles everything that becomes due. */
  pass(seconds: number): Promise<void>;
  /** Handles everything that is due now. */
  answerDue(): Promise<void>;
};
const posts = new WeakMap<TestWorld, Post>();

/** The `Post` that was first created for a world, or a new one. */
export function postOf(world: TestWorld): Post {
  return posts.get(world) ?? createPost(world);
}

/** The largest number of messages to one receiver within any period of `seconds`. */
export function mostWithin(sent: readonly Sent[], seconds: number): number {
  const times = [...Map.groupBy(sent, ({ to }) => to).values()].map((each) => each.map(({ at }) => Date.parse(at)));
  return Math.max(
    0,
    ...times.flatMap((at) => at.map((from) => at.filter((to) => to >= from && to < from + seconds * 1000).length)),
  );
}
