import { randomBytes } from 'node:crypto';
import { compare, type Difference } from './decide/compare.ts';
import { isConnectedAsWanted } from './decide/heal.ts';
import type { Instant } from './decide/maintenance.ts';
import type { ManagementInterface } from './decide/management-interface.ts';
import { createGuardian, type Guardian } from './guardian.ts';
import { createHealthTeller } from './identity/health-message.ts';
import { createSeal } from './identity/identity.ts';
import { type HealthReport, writeHealth } from './memory/health.ts';
import { openJournal } from './memory/journal.ts';
import type { Kept } from './memory/kept.ts';
import { createMemory } from './memory/memory.ts';
import { createBrokerConnector } from './mqtt/broker-connection.ts';
import { createPublisher, type Publisher } from './mqtt/publisher.ts';
import type { Log } from './process/log.ts';
import { createSchedule } from './process/schedule.ts';
import type { Settings } from './settings/settings.ts';
import { createVapix } from './vapix/vapix.ts';
import { createVapixCall } from './vapix/vapix-http.ts';

/** The guardian's surroundings, so that a test can provide its own clock. */
export type World = {
  clock: () => Instant;
  wait: (milliseconds: number) => Promise<void>;
  /** 0 (inclusive) to 1 (exclusive). */
  random: () => number;
  /** Timeout for one answer of the camera. */
  requestTimeoutMs: number;
  /** Time between two readings during a heal, milliseconds. */
  pollMs: number;
};

export type AssembledGuardian = {
  check: Guardian['check'];
  report: () => HealthReport;
  publisher: Publisher;
};

export type RunningGuardian = {
  /** Waits for the check and the messages in progress, then releases everything. Queued messages stay on disk. */
  stop: () => Promise<void>;
};

/** After this time the camera counts as not answering. Three calls still fit into the 30 s between two checks. */
const requestTimeoutMs = 10_000;

/** Assembles a guardian from its real parts: HTTP to the camera, its own MQTT connection, a directory on disk. */
export function assembleGuardian(settings: Settings, log: Log, world: World): AssembledGuardian {
  const { device, broker, intervalSeconds, policy, golden } = settings;
  const { clock, random } = world;
  const journal = openJournal<Kept>(settings.queueDirectory, (file) =>
    log('journal.entry_set_aside', { file }, 'ERROR'),
  );
  const connect = createBrokerConnector({ ...broker, keepAliveSeconds: 60 });
  const now = () => new Date(clock().calendarMs).toISOString();
  const publisher = createPublisher({ journal, connect, log, now, random });
  const seal = settings.identity && createSeal(device.id, settings.identity);
  const makeEpoch = () => randomBytes(12).toString('base64url');
  const memory = createMemory({ device, journal, onAppended: publisher.wake, log, clock, seal, makeEpoch });
  const camera = connectCamera(settings, world.requestTimeoutMs);
  const guardian = createGuardian({ ...world, serial: device.serial, policy, camera, memory, golden, log });

  const healthDue =
    seal &&
    createHealthTeller({
      seal,
      watch: memory.watch,
      golden: memory.golden,
      refusal: () => guardian.troubles().refusal,
      failure: () => guardian.troubles().failure,
      counted: memory.counted,
      intervalSeconds,
      healthIntervalSeconds: settings.healthIntervalSeconds,
    });

  log('guardian.started', { intervalSeconds, policy, queueLength: journal.queueLength() });
  publisher.wake();
  return {
    async check(slotMs) {
      await guardian.check(slotMs);
      const health = healthDue?.(clock().calendarMs, clock().monotonicMs);
      if (health) publisher.offer(health);
    },
    report: () => ({
      ...guardian.health(),
      queueLength: journal.queueLength(),
      lastPublishedAt: publisher.lastPublishedAt(),
      intervalSeconds,
    }),
    publisher,
  };
}

/** Starts a guardian that checks its camera at each interval until it is stopped. */
export function startGuardian(settings: Settings, log: Log): RunningGuardian {
  const { intervalSeconds, healthFile } = settings;
  // Not `performance.now`: reading that global loads all of perf_hooks.
  const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
  const schedule = createSchedule(intervalSeconds * 1000, monotonicMs);
  const guardian = assembleGuardian(settings, log, {
    clock: () => ({ calendarMs: Date.now(), monotonicMs: monotonicMs() }),
    wait: schedule.wait,
    random: Math.random,
    requestTimeoutMs,
    pollMs: Math.min(1000, intervalSeconds * 100),
  });
  const running = schedule.run(async (slotMs) => {
    try {
      await guardian.check(slotMs);
      writeHealth(healthFile, guardian.report());
    } catch (error) {
      // Otherwise a full disk or an unexpected answer could stop the guardian, and an attacker could use that.
      log('check.crashed', { error: (error as Error).message }, 'ERROR');
    }
  });
  return {
    async stop() {
      schedule.stop();
      await Promise.all([running, guardian.publisher.stop()]);
      log('guardian.stopped', { queueLength: guardian.report().queueLength });
    },
  };
}

/** Checks once, changes nothing and sends nothing. @throws Error where the camera or a golden configuration cannot be read */
export async function compareOnce(settings: Settings): Promise<{ differences: Difference[]; isConnected: boolean }> {
  const offer = settings.golden();
  if (offer.status !== 'offered')
    throw new Error(offer.status === 'refused' ? offer.reason : 'There is no golden configuration.');
  const { configuration } = offer.golden;
  const seen = await connectCamera(settings, requestTimeoutMs).read(configuration);
  if (seen.status === 'failed') throw new Error(`${seen.reason}: ${seen.detail}`);
  return {
    differences: compare(configuration, seen.configuration, settings.device.serial),
    isConnected: isConnectedAsWanted(configuration, seen.isConnected),
  };
}

function connectCamera({ camera, device }: Settings, timeoutMs: number): ManagementInterface {
  const { url, ca, credentials, clientPassword } = camera;
  const call = createVapixCall({
    url,
    ca,
    credentials,
    timeoutMs,
    randomText: () => randomBytes(16).toString('hex'),
  });
  return createVapix({ call, serial: device.serial, clientPassword });
}
