import { createDeliveryDesk } from '../../../shared/app/deliveries/deliver.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { isDueKind } from '../../../shared/app/due/table.ts';
import type { Sender, Wake } from '../../../shared/app/ports.ts';
import type { Delivery, SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import { msBetween } from '../../../shared/domain/time.ts';
import { success } from '../records/deliveries.ts';
import type { TestWorld } from '../world/world.ts';

/** A message as its receiver has got it, with the second in which it came. */
export type Sent = { at: string; to: string; channel: Delivery['channel']; text: string; delivery: Delivery };

/** The text of a message, whatever form its channel gives it. */
export function textOf({ channel, body }: Pick<Delivery, 'channel' | 'body'>): string {
  if (channel === 'sms') return body;
  const parsed = JSON.parse(body);
  return channel === 'email' ? `${parsed.text}` : JSON.stringify(parsed);
}

/**
 * Carries what a world owes: calls back about each record when it asked to be, by the clock of the test, and hands messages to receivers that
 * note them.
 */
export function createPost(world: TestWorld, answer: (delivery: Delivery) => SendOutcome = () => success) {
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
  const desk = createDeliveryDesk(
    world,
    { email: sender, chat: sender, sms: sender, webhook: sender, handoff: sender },
    elapsedMs,
  );
  const call = async (wake: Wake) => {
    if (wake.in === 'deliveries') await desk.attempt(wake.id, wake.webhookId);
    else if (isDueKind(wake.in)) await handleDue(world, wake.in, wake.id);
  };
  /** Answers everything that is due now. */
  const answerDue = async () => {
    for (;;) {
      const due = world.wakes.findIndex(({ dueAt }) => dueAt <= world.now());
      const [wake] = due < 0 ? [] : world.wakes.splice(due, 1);
      if (!wake) return;
      await call(wake);
    }
  };
  /** Passes so many seconds, with everything that comes due in them. */
  const pass = async (seconds: number) => {
    const end = new Date(Date.parse(world.now()) + seconds * 1000).toISOString();
    for (;;) {
      const due = world.wakes.filter(({ dueAt }) => dueAt <= end).toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
      const [first] = due;
      if (!first) break;
      const together = due.filter(({ dueAt }) => dueAt <= first.dueAt || dueAt <= world.now());
      const taken = new Set<Wake>(together);
      world.wakes.splice(0, world.wakes.length, ...world.wakes.filter((wake) => !taken.has(wake)));
      world.pass(Math.max(0, msBetween(world.now(), first.dueAt)) / 1000);
      for (const wake of together) await call(wake);
    }
    world.pass(Math.max(0, msBetween(world.now(), end)) / 1000);
  };
  return { sent, pass, answerDue };
}

const posts = new WeakMap<TestWorld, ReturnType<typeof createPost>>();

/** The one post of a world. */
export function postOf(world: TestWorld): ReturnType<typeof createPost> {
  const post = posts.get(world) ?? createPost(world);
  posts.set(world, post);
  return post;
}

/** The most messages that one receiver got in any so many seconds. */
export function mostWithin(sent: readonly Sent[], seconds: number): number {
  const times = [...Map.groupBy(sent, ({ to }) => to).values()].map((each) => each.map(({ at }) => Date.parse(at)));
  return Math.max(
    0,
    ...times.flatMap((at) => at.map((from) => at.filter((to) => to >= from && to < from + seconds * 1000).length)),
  );
}
