import { shardOf } from '../../shared/domain/shards.ts';
import { type Partition, wholeBroker } from '../../shared/domain/sight/partitions.ts';
import type { Counters } from '../process/metrics.ts';
import type { BridgeMessage } from './message.ts';
import { type Gathered, packed } from './pack.ts';

export type PackerOptions = {
  publish: (message: BridgeMessage) => Promise<void>;
  /** Messages a second above which they are packed. 0: never. */
  above: number;
  /** Messages that the broker sends before it waits for an acknowledgement. Half of them may wait here. */
  window: number;
  partition?: Partition;
  /** Milliseconds of the process. */
  now?: () => number;
};

export type Packer = {
  /** Resolves when Pub/Sub has the message, alone or in a pack. */
  publish(message: BridgeMessage): Promise<void>;
  /** Publishes what waits. */
  flush(): void;
};

/** A device has one of these lanes, so that its messages stay in order. */
const lanes = 32;
const most = { entries: 200, bytes: 512 * 1024, waitMs: 2000 };
/** A larger message is sent alone. */
const largeBytes = 64 * 1024;
/**
 * If nothing came for so long, the broker waits for acknowledgements, or has no more: what waits is published. A broker that keeps few messages on their
 * way would otherwise send them once every two seconds.
 */
const idleMs = 50;

type Waiting = Gathered & { resolve: () => void; reject: (error: Error) => void };
type Lane = { waiting: Waiting[]; bytes: number; timer: NodeJS.Timeout };

/** Gathers messages while many come, and publishes those of a lane as one. While few come, each is published at once. */
export function createPacker(options: PackerOptions, metrics: Counters): Packer {
  const { publish, above, window, partition = wholeBroker, now = () => performance.now() } = options;
  const open = new Map<number, Lane>();
  const isBusy = createRate(above, now);
  let waitingCount = 0;
  let idle: NodeJS.Timeout | undefined;

  const send = async (number: number, { waiting, timer }: Lane) => {
    clearTimeout(timer);
    open.delete(number);
    waitingCount -= waiting.length;
    const [first] = waiting;
    const isAlone = waiting.length === 1 && first !== undefined;
    try {
      await publish(isAlone ? first.message : await packed(waiting, { partition, lane: number, now: now() }));
      if (!isAlone) metrics.add('watchpost_bridge_packs_total');
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      // Pub/Sub will never take this pack. It may take the messages one by one.
      if (isAlone) first.reject(error as Error);
      else for (const { message, resolve, reject } of waiting) publish(message).then(resolve, reject);
    }
  };
  const flush = () => {
    for (const [number, lane] of open) void send(number, lane);
  };
  const gather = (message: BridgeMessage) =>
    new Promise<void>((resolve, reject) => {
      const number = shardOf(message.attributes['deviceId'] ?? '') % lanes;
      const lane = open.get(number) ?? {
        waiting: [],
        bytes: 0,
        timer: setTimeout(() => void sendLane(number), most.waitMs),
      };
      open.set(number, lane);
      lane.waiting.push({ message, cameAt: now(), resolve, reject });
      lane.bytes += message.data.length;
      waitingCount += 1;
      clearTimeout(idle);
      if (waitingCount >= window / 2) return flush();
      idle = setTimeout(flush, idleMs);
      if (lane.waiting.length >= most.entries || lane.bytes >= most.bytes) void send(number, lane);
    });
  const sendLane = async (number: number) => {
    const lane = open.get(number);
    if (lane) await send(number, lane);
  };
  return {
    flush,
    publish(message) {
      const isWaitedFor = open.has(shardOf(message.attributes['deviceId'] ?? '') % lanes);
      const isOwn = 'watchpost-bridge' in message.attributes;
      const isLarge = message.data.length > largeBytes;
      return !isOwn && !isLarge && (isBusy() || isWaitedFor) ? gather(message) : publish(message);
    },
  };
}

/** Whether more than so many messages came within the last second, this one included. */
function createRate(above: number, now: () => number): () => boolean {
  if (above === 0) return () => false;
  const recent: number[] = [];
  return () => {
    const at = now();
    recent.push(at);
    // The oldest of one more than allowed came within the second.
    if (recent.length > above + 1) recent.shift();
    return recent.length === above + 1 && at - (recent[0] ?? at) < 1000;
  };
}
