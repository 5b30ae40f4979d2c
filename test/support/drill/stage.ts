import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import type { Senders } from '../../../shared/app/deliveries/attempt.ts';
import { createDispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { noWitness } from '../../../shared/app/deliveries/dispatch-guards.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { isDueKind } from '../../../shared/app/due/table.ts';
import { getFleet } from '../../../shared/app/fleet/fleet.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { CanarySender, Sender, Store } from '../../../shared/app/ports.ts';
import type { Delivery, SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { canaryAttribute } from '../../../shared/domain/sight/canary.ts';
import type { DrillHop } from '../../../shared/schema/vocabulary.ts';
import { ana } from '../records/alerts.ts';
import { intake, seal } from '../world/ways.ts';
import { afterPause, createTestWorld } from '../world/world.ts';

const taken: SendOutcome = {
  ...{ statusCode: 200, errorClass: null, detail: null, responseExcerpt: null },
  ...{ isRetryable: true, retryAfterMs: null, isGone: false },
};
const refusedOutcome: SendOutcome = { ...taken, statusCode: 503, errorClass: 'http_status' };

/** The targets of drills in this test. */
const drillTargets = {
  emails: ['drill@example.com'],
  phones: ['+46700000001'],
  chats: [{ kind: 'slack' as const, url: 'https://chat.example.com/drill' }],
};

/** The platform in one process. Each hop in `broken` fails. `left` contains the messages that were sent. */
export function createStage(heartbeats = 1, store: Store = createMemoryStore()) {
  const broken = new Set<DrillHop>();
  const world = { ...createTestWorld(breakable(store, broken)), drill: drillTargets };
  const waiting: Message[] = [];
  const left: Delivery[] = [];
  const publish = async (message: Message) => {
    if (broken.has('ingest')) return void waiting.push(message);
    // A message that `ingest` fails to handle waits and is pushed again.
    await takeMessage(world, message, intake).catch(() => waiting.push(message));
  };
  const sender = (channel: DrillHop): Sender => ({
    async send(delivery) {
      if (broken.has('deliver')) throw new Error('a fault of our own');
      if (broken.has(channel) && delivery.eventType !== 'heartbeat') return refusedOutcome;
      left.push(delivery);
      return taken;
    },
  });
  const senders: Senders = {
    ...{ email: sender('email'), chat: sender('chat'), sms: sender('sms'), webhook: sender('webhook') },
  };
  const dispatcher = createDispatcher(world, senders, () => 0, {
    ...noWitness,
    judge: async (_delivery, send) => (broken.has('outside') ? null : send()),
  });
  const canaries = { seal, senders: sendersOf(broken, publish, world.now), heartbeats };
  /** Handles every wake that is due. A wake that meets a broken hop is lost, so only a sweep finds its record again. */
  const answerWakes = async () => {
    for (;;) {
      const due = world.wakes.findIndex(({ dueAt }) => dueAt <= world.now());
      const [wake] = due < 0 ? [] : world.wakes.splice(due, 1);
      if (!wake) return;
      if (isDueKind(wake.in)) {
        if (!broken.has('wake')) await handleDue(world, wake.in, wake.id);
      } else if (!broken.has('queue')) await dispatcher.attempt(wake.id).catch(() => undefined);
    }
  };
  const minute = async () => {
    world.pass(60);
    for (const message of waiting.splice(0)) await publish(message);
    if (!broken.has('sweep')) await sweep({ ...world, after: afterPause(async () => {}) }, canaries);
    await answerWakes();
  };
  return {
    ...{ world, store, broken, left, canaries, publish, minute },
    /** One hour: a long step, then the minutes of a drill's round. */
    async hour() {
      world.pass(52 * 60);
      for (let passed = 0; passed < 8; passed += 1) await minute();
    },
    /** The result of the last drill as the console shows it. */
    seen: async () => (await getFleet(world, ana)).platform.drill,
    /** The log events that Terraform's alert policy counts. */
    logged: () => world.lines.flatMap(({ event, fields }) => (event === 'drill.broken' ? [fields['hop']] : [])),
  };
}

/** Makes the store refuse the writes of a drill's alert, as it would with a missing index or permission. */
function breakable(store: Store, broken: ReadonlySet<DrillHop>): Store {
  return {
    ...store,
    async commit(writes) {
      const isOfAlert = writes.some(
        (write) => write.kind === 'create' && write.in === 'deliveries' && isTest(write.data),
      );
      if (broken.has('alert') && isOfAlert) throw new Error('the store refuses it');
      return store.commit(writes);
    },
  };
}

function isTest(data: object): boolean {
  return 'eventType' in data && data.eventType === 'test';
}

function sendersOf(
  broken: ReadonlySet<DrillHop>,
  publish: (message: Message) => Promise<void>,
  now: () => string,
): Record<'ingest' | 'broker', CanarySender> {
  const messageOf = (body: string, attributes: Record<string, string>): Message => {
    return { messageId: body, publishTime: now(), attributes, data: Buffer.from(body) };
  };
  return {
    ingest: {
      async send(_canary, body) {
        if (broken.has('publish')) throw new Error('Pub/Sub answered 403');
        await publish(messageOf(body, { [canaryAttribute]: 'ingest' }));
      },
    },
    broker: {
      async send(_canary, body) {
        if (broken.has('broker')) throw new Error('the broker closed the connection');
        if (!broken.has('bridge')) await publish(messageOf(body, { deviceId: 'watchpost', kind: 'canary' }));
      },
    },
  };
}
