import type { Device } from '../../device/device.ts';
import { latestReading, levelOf } from '../../device/measure.ts';
import { lossDeclaredAt, lossRaisedAt, silentAtOf } from '../../device/patience.ts';
import { reconnectsAt, reconnectsOf, standingLoss } from '../../device/presence.ts';
import { thresholds, type Waits } from '../../limits.ts';
import { type Instant, latest, plus } from '../../time.ts';
import type { Condition, Finding } from './condition.ts';
import { connectivityContext } from './context.ts';

export const connectivityConditions: readonly Condition[] = [
  {
    code: 'CONN_001',
    holds: (device, now, waits, horizon) => lossFinding(device, now, waits, horizon) ?? silenceFinding(device),
    changesAt: (device, waits) => {
      const loss = device.open.CONN_001 ? null : standingLoss(device.presence, device.aliveAt, waits);
      return [loss ? lossDeclaredAt(device, loss, waits) : null];
    },
    absentAt: (device, waits) => {
      const loss = standingLoss(device.presence, device.aliveAt, waits);
      return [loss ? lossRaisedAt(device, loss.at, waits) : null];
    },
    // Without a loss: a camera that was overdue at `at` may have been connected or not, so the answer is false until its next report moves
    // `silentAtOf` past `at`.
    heldNotAt: (device, at, waits) => {
      const loss = standingLoss(device.presence, device.aliveAt, waits);
      if (loss) return loss.at > at;
      const silentAt = silentAtOf(device, waits);
      return silentAt === null || silentAt > at;
    },
  },
  {
    code: 'CONN_002',
    fact: 'presence',
    holds: (device, now, waits, horizon) => {
      const { length } = reconnectsAt(device.presence, countedAt(device, now, horizon), waits);
      if (length <= thresholds.reconnects) return null;
      return {
        message: `MQTT connection unstable: ${length} reconnects within an hour, limit ${thresholds.reconnects}`,
        context: { ...connectivityContext(device), reconnectsLastHour: length },
      };
    },
    absentAt: ({ presence }, waits) => {
      // The condition ends when the oldest reconnect above the threshold leaves the window.
      const deciding = reconnectsOf(presence).at(-1 - thresholds.reconnects);
      return [deciding ? plus(deciding, waits.reconnectWindow) : null];
    },
  },
  {
    code: 'CONN_003',
    fact: 'latency',
    holds: (device) => {
      const reading = latestReading(device.measures.latency);
      if (!reading || levelOf('latency', device.measures.latency) === 'normal') return null;
      return {
        message: `Network latency at ${reading.value} ms, limit ${thresholds.latencyHigh.above} ms`,
        context: { ...connectivityContext(device), latencyMs: reading.value },
        marks: thresholds.worse.latency.filter((step) => reading.value >= step).map((step) => `at ${step} ms or more`),
      };
    },
  },
];

/**
 * The end of the hour in which reconnects are counted: the horizon, or the newest known reconnect if that is later. Later time does not
 * count, because its reports may still be missing.
 */
function countedAt({ presence }: Device, now: Instant, horizon: Instant): Instant {
  const seen = latest(reconnectsOf(presence).at(-1) ?? null, horizon) ?? horizon;
  return seen < now ? seen : now;
}

/**
 * A loss that the broker reported and no sign of life contradicted is declared in the end, even while the platform is blind. Otherwise caution would
 * hide it for ever.
 */
function lossFinding(device: Device, now: Instant, waits: Waits, horizon: Instant): Finding | null {
  const loss = standingLoss(device.presence, device.aliveAt, waits);
  if (!loss) return null;
  const isSeen = horizon >= lossRaisedAt(device, loss.at, waits);
  if (!isSeen && now < lossDeclaredAt(device, loss, waits)) return null;
  const reason = loss.reason ? `, reason: ${loss.reason}` : '';
  const late = isSeen ? '' : '; Watchpost itself saw late, it may be back';
  const context = connectivityContext(device);
  return {
    message: `MQTT connection lost for more than 5 minutes: disconnected${reason}${late}`,
    context: {
      ...context,
      lastConnected: latest(context.lastConnected ?? null, loss.at) ?? loss.at,
      cause: 'disconnected',
    },
  };
}

function silenceFinding(device: Device): Finding | null {
  if (device.silentSince === null) return null;
  return {
    message: 'MQTT connection lost for more than 5 minutes: no report comes any more',
    context: { ...connectivityContext(device), cause: 'silent' },
  };
}
