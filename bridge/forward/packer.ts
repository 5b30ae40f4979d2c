import { shardOf } from '../../shared/domain/shards.ts';
import { type Partition, wholeBroker } from '../../shared/domain/sight/partitions.ts';
import type { Counters } from '../process/metrics.ts';
import type { BridgeMessage } from './message.ts';
import { type MessageArrival, packed } from './pack.ts';

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

/**
 * A device has one of these lanes, so that its messages stay in order while they are packed. Where few come again, order may mix once, because those that
 * are alone have another ordering key: any order gives the same state.
 */
const lanes = 32;
const most = { entries: 200, bytes: 512 * 1024, waitMs: 2000 };
/** A larger message is sent alone. */
const largeBytes = 64 * 1024;
/**
 * If nothing came for so long, the broker waits for acknowledgements, or has no more: what waits is published. A broker that keeps few messages on their
 * way would otherwise send them once every two seconds.
 */
const idleMs = 50;

type PackItem = MessageArrival & { resolve: () => void; reject: (error: Error) => void };
/** Messages of a lane that wait for each other. */
type OpenPack = { waiting: PackItem[]; bytes: number; timer: NodeJS.Timeout };
/** `tail`: packs are made one after another, so that they are published in their order. */
type Lane = { open: OpenPack | null; tail: Promise<void> };

/** Gathers messages while many come, and publishes those of a lane as one. While few come, each is published at once. */
export function createPacker(options: PackerOptions, metrics: Counters): Packer {
  const { publish, above, window, now = () => performance.now() } = options;
  const all = Array.from({ length: lanes }, newLane);
  const sendTogether = createSender({ ...options, now }, metrics);
  const isBusy = createRate(above, now);
  let waitingCount = 0;
  let idle: NodeJS.Timeout | undefined;

  const send = (number: number) => {
    const lane = all[number];
    if (!lane?.open) return;
    const { waiting, timer } = lane.open;
    lane.open = null;
    clearTimeout(timer);
    waitingCount -= waiting.length;
    sendTogether(lane, number, waiting);
  };
  const flush = () => {
    for (const number of all.keys()) send(number);
  };
  const gather = (message: BridgeMessage, lane: Lane, number: number) =>
    new Promise<void>((resolve, reject) => {
      lane.open ??= { waiting: [], bytes: 0, timer: setTimeout(() => send(number), most.waitMs) };
      lane.open.waiting.push({ message, cameAt: now(), resolve, reject });
      lane.open.bytes += message.data.length;
      waitingCount += 1;
      clearTimeout(idle);
      if (waitingCount >= window / 2) return flush();
      idle = setTimeout(flush, idleMs);
      if (lane.open.waiting.length >= most.entries || lane.open.bytes >= most.bytes) send(number);
    });
  return {
    flush,
    publish(message) {
      const number = shardOf(message.attributes['deviceId'] ?? '') % lanes;
      const lane = all[number] ?? newLane();
      if ('watchpost-bridge' in message.attributes) return publish(message);
      if (!isBusy() && lane.open === null) return publish(message);
      const isLarge = message.data.length > largeBytes;
      if (isLarge) send(number);
      const gathered = gather(message, lane, number);
      if (isLarge) send(number);
      return gathered;
    },
  };
}

/** Publishes what waited together: as a pack, or a message that is alone as it is. */
function createSender(
  { publish, partition = wholeBroker, now }: PackerOptions & { now: () => number },
  metrics: Counters,
): (lane: Lane, number: number, waiting: readonly PackItem[]) => void {
  const publishPack = async (pack: BridgeMessage, waiting: readonly PackItem[]) => {
    await publish(pack);
    metrics.add('watchpost_bridge_packs_total');
    for (const { resolve } of waiting) resolve();
  };
  const publishAlone = (waiting: readonly PackItem[]) => {
    for (const { message, resolve, reject } of waiting) publish(message).then(resolve, reject);
  };
  return (lane, number, waiting) => {
    lane.tail = lane.tail.then(async () => {
      if (waiting.length === 1) return publishAlone(waiting);
      const pack = await packed(waiting, { partition, lane: number, now: now() }).catch(() => null);
      if (pack === null) return publishAlone(waiting);
      // Pub/Sub may refuse a pack for ever. It may take the messages one by one.
      publishPack(pack, waiting).catch(() => publishAlone(waiting));
    });
  };
}

function newLane(): Lane {
  return { open: null, tail: Promise.resolve() };
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
