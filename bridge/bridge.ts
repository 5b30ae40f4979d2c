import { createForwarder } from './forward/forwarder.ts';
import { subscribedTopics } from './forward/message.ts';
import { createPacker } from './forward/packer.ts';
import { createPublisher } from './forward/publisher.ts';
import { startLink } from './mqtt/link.ts';
import type { Log } from './process/log.ts';
import { createMetrics } from './process/metrics.ts';
import { serveStatus } from './process/server.ts';
import type { Settings } from './settings.ts';

export type Bridge = {
  /** Port of health and metrics. */
  port: number;
  /** Resolves when the bridge has ended by itself, because another one took its session. */
  ended: Promise<void>;
  /** Stops reading, waits a moment for what is being published, and disconnects. What is not acknowledged the broker sends to the next bridge. */
  stop(): Promise<void>;
};

/** Longest wait at the end for what is being published. Platforms allow ten seconds. */
const farewellMs = 5000;

/** Forwards what a broker's devices publish to Pub/Sub. */
export async function startBridge(settings: Settings, log: Log): Promise<Bridge> {
  const metrics = createMetrics();
  const publisher = await createPublisher(settings.publisher, log, metrics);
  const packing = { above: settings.packAbove, window: settings.broker.window, partition: settings.partition };
  const packer = createPacker({ publish: publisher.publish, ...packing }, metrics);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let isRunning = true;
  let isStopping = false;
  const forwarder = createForwarder(
    {
      publish: packer.publish,
      partition: settings.partition,
      mostBytes: settings.mostBytes,
      droppedTopic: settings.droppedTopic,
      pause: () => link.pause(),
      resume: () => isStopping || link.resume(),
    },
    log,
    metrics,
  );
  const topics = [...subscribedTopics, ...(settings.droppedTopic === null ? [] : [settings.droppedTopic])];
  const onTakenOver = () => {
    isRunning = false;
    end();
  };
  const link = startLink(settings.broker, topics, { onAccepted: forwarder.accepted, onTakenOver }, log, metrics);
  const server = await serveStatus(settings.port, {
    isRunning: () => isRunning,
    problems: () => ({
      ...(link.problem === null ? {} : { broker: link.problem }),
      ...(publisher.problem === null ? {} : { pubsub: publisher.problem }),
    }),
    metrics: metrics.exposed,
  });
  return {
    port: server.port,
    ended,
    async stop() {
      isStopping = true;
      link.pause();
      packer.flush();
      const timeout = new Promise((resolve) => setTimeout(resolve, farewellMs).unref());
      await Promise.race([forwarder.settled(), timeout]);
      // The acknowledgements of what was published last.
      await new Promise((resolve) => setImmediate(resolve));
      link.stop();
      await server.stop();
      await publisher.close().catch(() => {});
    },
  };
}
