import { createCanarySeal } from '../../../shared/adapters/sight/canary-seal.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { CanarySender } from '../../../shared/app/ports.ts';
import type { Canaries } from '../../../shared/app/sight/send-canaries.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { canaryAttribute } from '../../../shared/domain/sight/canary.ts';
import type { Partition } from '../../../shared/domain/sight/partitions.ts';
import { message } from '../records/reports.ts';
import { frames } from './frames.ts';
import { afterPause, type TestWorld } from './world.ts';

export const seal = createCanarySeal(Buffer.alloc(32, 7));
export const intake = { bridgeDialect: 'native', autoRegister: true, frames, canarySeal: seal } as const;

/** `names(2)` is `cam-0`, `cam-1`. */
export const names = (count: number, prefix = 'cam') =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

type Said = { kind: 'status' | 'connection' | 'event'; body: object };

/** The paths from cameras to ingest as on the platform: a message that the broker does not accept is lost; one that ingest does not accept waits. */
export function createWays(world: TestWorld) {
  const waiting: Message[] = [];
  /** The bridges that forward the broker's canary. Null: one that does not say which part it forwards. */
  let bridges: (Partition | null)[] = [null];
  const state = { broker: true, ingest: true, canaryAccount: true, canaryTopic: true, sweeps: true, heartbeats: 0 };
  let hasBrokerCanary = true;
  const publish = async (published: Message) => {
    if (state.ingest) await takeMessage(world, published, intake);
    else waiting.push(published);
  };
  const direct: CanarySender = {
    async send(_canary, body) {
      if (!state.canaryTopic) throw new Error('the topic refuses us');
      await publish({
        messageId: `canary ${body}`,
        publishTime: world.now(),
        attributes: { [canaryAttribute]: 'ingest' },
        data: Buffer.from(body),
      });
    },
  };
  const through: CanarySender = {
    async send(_canary, body) {
      if (!state.broker) throw new Error('the broker closed the connection');
      if (!state.canaryAccount) throw new Error('the broker answered connack 5');
      for (const bridge of bridges) {
        const said = bridge === null ? {} : { 'watchpost-bridge': JSON.stringify(bridge) };
        const attributes = { deviceId: 'watchpost', kind: 'canary', ...said };
        await publish({ messageId: `broker ${body}`, publishTime: world.now(), attributes, data: Buffer.from(body) });
      }
    },
  };
  const canaries = (): Canaries => ({
    seal,
    heartbeats: state.heartbeats,
    senders: hasBrokerCanary ? { ingest: direct, broker: through } : { ingest: direct },
  });
  const say = async (deviceId: string, { kind, body }: Said, publishTime = world.now()) => {
    if (state.broker) await publish(message(kind, body as never, { deviceId, publishTime }));
  };
  return {
    state,
    waiting,
    say,
    divide(given: readonly Partition[]) {
      bridges = [...given];
    },
    withoutBrokerCanary() {
      hasBrokerCanary = false;
    },
    report: (deviceId: string, groupId?: string) =>
      say(deviceId, { kind: 'status', body: { memory: { usedPercent: 20 }, ...(groupId ? { groupId } : {}) } }),
    /** The broker's report about a camera that it lost. */
    lose: (deviceId: string) => say(deviceId, { kind: 'connection', body: { status: 'offline' } }),
    connect: (deviceId: string) =>
      say(deviceId, { kind: 'connection', body: { status: 'online', connectedAt: world.now() } }),
    /** The sweep does not wait for its canaries, because they arrive at once, or not before the paths are open. */
    sweep: () => sweep({ ...world, after: afterPause(async () => {}) }, canaries(), world.ledger),
    /** Ingest works again: waiting messages are handled, oldest first. */
    async openIngest() {
      state.ingest = true;
      for (const published of waiting.splice(0)) await takeMessage(world, published, intake);
    },
    /** Passes the minutes one by one: cameras that are alive report, and a sweep runs. */
    async live(
      minutes: number,
      devices: readonly string[],
      groupOf: (deviceId: string) => string | undefined = () => undefined,
    ) {
      for (let passed = 0; passed < minutes; passed += 1) {
        world.pass(60);
        for (const deviceId of devices) await this.report(deviceId, groupOf(deviceId));
        if (state.sweeps) await this.sweep();
      }
    },
  };
}

export async function openAlerts({ store }: TestWorld) {
  const alerts = await store.find({ in: 'alerts', where: [{ field: 'isOpen', is: '==', value: true }], limit: 10_000 });
  return alerts.map(({ data }) => data);
}

export async function noticesOf({ store }: TestWorld) {
  return (await store.find({ in: 'notices', limit: 100 })).map(({ data }) => data);
}
