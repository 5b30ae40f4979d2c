import { randomBytes } from 'node:crypto';
import { connectBroker } from './broker-connection.ts';
import { compare, type Difference } from './compare.ts';
import { createGuardian } from './guardian.ts';
import { isConnectedAsWanted } from './heal.ts';
import { writeHealth } from './health.ts';
import { openJournal } from './journal.ts';
import type { Kept } from './kept.ts';
import type { Log } from './log.ts';
import type { Instant } from './maintenance.ts';
import type { ManagementInterface } from './management-interface.ts';
import { createMemory } from './memory.ts';
import { createPublisher } from './publisher.ts';
import { createSchedule } from './schedule.ts';
import type { Settings } from './settings.ts';
import { createVapix } from './vapix.ts';
import { createVapixCall } from './vapix-http.ts';

export type RunningGuardian = {
  /** Ends the look and the message under way, and lets go of everything. What is queued stays on the disk. */
  stop: () => Promise<void>;
};

/** A camera that has not answered by then is not going to: three calls of a look still fit into the 30 s between two. */
const requestTimeoutMs = 10_000;

const clock = (): Instant => ({ calendarMs: Date.now(), monotonicMs: performance.now() });
const now = () => new Date().toISOString();

/** Starts a guardian with the real world around it: HTTP to the camera, its own MQTT connection, a directory on the disk. */
export function startGuardian(settings: Settings, log: Log): RunningGuardian {
  const { device, broker, intervalSeconds, healthFile } = settings;
  const journal = openJournal<Kept>(settings.queueDirectory, (file) =>
    log('journal.entry_set_aside', { file }, 'ERROR'),
  );
  const publisher = createPublisher({
    journal,
    connect: () => connectBroker({ ...broker, keepAliveSeconds: 60 }),
    log,
    now,
    random: Math.random,
  });
  const schedule = createSchedule(intervalSeconds * 1000, performance.now.bind(performance));
  const memory = createMemory({ device, journal, onAppended: publisher.wake, log, clock });
  const guardian = createGuardian({
    serial: device.serial,
    policy: settings.policy,
    camera: connectCamera(settings),
    memory,
    golden: settings.golden,
    log,
    clock,
    wait: schedule.wait,
    pollMs: Math.min(1000, intervalSeconds * 100),
  });

  log('guardian.started', { intervalSeconds, policy: settings.policy, queueLength: journal.queueLength() });
  publisher.wake();
  const running = schedule.run(async (slotMs) => {
    try {
      await guardian.check(slotMs);
      const lastPublishedAt = publisher.lastPublishedAt();
      writeHealth(healthFile, {
        ...guardian.health(),
        queueLength: journal.queueLength(),
        lastPublishedAt,
        intervalSeconds,
      });
    } catch (error) {
      // A guardian that a full disk or an unforeseen answer could end would be easy to get rid of.
      log('check.crashed', { error: (error as Error).message }, 'ERROR');
    }
  });
  return {
    async stop() {
      schedule.stop();
      await Promise.all([running, publisher.stop()]);
      log('guardian.stopped', { queueLength: journal.queueLength() });
    },
  };
}

/** Looks once, changes nothing, tells nobody. @throws Error where the camera or a golden configuration cannot be read */
export async function compareOnce(settings: Settings): Promise<{ differences: Difference[]; isConnected: boolean }> {
  const offer = settings.golden();
  if (offer.status !== 'offered')
    throw new Error(offer.status === 'refused' ? offer.reason : 'There is no golden configuration.');
  const { configuration } = offer.golden;
  const seen = await connectCamera(settings).read(configuration);
  if (seen.status === 'failed') throw new Error(`${seen.reason}: ${seen.detail}`);
  return {
    differences: compare(configuration, seen.configuration, settings.device.serial),
    isConnected: isConnectedAsWanted(configuration, seen.isConnected),
  };
}

function connectCamera({ camera, device }: Settings): ManagementInterface {
  const { url, ca, credentials, clientPassword } = camera;
  const call = createVapixCall({
    url,
    ca,
    credentials,
    timeoutMs: requestTimeoutMs,
    randomText: () => randomBytes(16).toString('hex'),
  });
  return createVapix({ call, serial: device.serial, clientPassword });
}
