import type { Device } from '../../device/device.ts';
import { latestReading, levelOf } from '../../device/measure.ts';
import { reconnectsAt, reconnectsOf, standingLoss } from '../../device/presence.ts';
import { thresholds, type Waits } from '../../limits.ts';
import { type Instant, plus } from '../../time.ts';
import type { Condition, Finding } from './condition.ts';
import { connectivityContext } from './context.ts';

export const connectivityConditions: readonly Condition[] = [
  {
    code: 'CONN_001',
    holds: (device, now, waits) => lossFinding(device, now, waits) ?? silenceFinding(device),
    changesAt: (device, waits) => {
      const loss = standingLoss(device.presence, device.aliveAt, waits);
      return [loss ? plus(loss.at, waits.connectionLost) : null];
    },
  },
  {
    code: 'CONN_002',
    fact: 'presence',
    holds: (device, now, waits) => {
      const { length } = reconnectsAt(device.presence, now, waits);
      if (length <= thresholds.reconnects) return null;
      return {
        message: `MQTT connection unstable: ${length} reconnects within an hour, limit ${thresholds.reconnects}`,
        context: { ...connectivityContext(device), reconnectsLastHour: length },
      };
    },
    changesAt: ({ presence }, waits) => {
      // It ends when the oldest of those that are one too many leaves the window.
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
      };
    },
  },
];

function lossFinding(device: Device, now: Instant, waits: Waits): Finding | null {
  const loss = standingLoss(device.presence, device.aliveAt, waits);
  if (!loss || now < plus(loss.at, waits.connectionLost)) return null;
  const reason = loss.reason ? `, reason: ${loss.reason}` : '';
  return {
    message: `MQTT connection lost for more than 5 minutes: disconnected${reason}`,
    context: { ...connectivityContext(device), cause: 'disconnected' },
  };
}

function silenceFinding(device: Device): Finding | null {
  if (device.silentSince === null) return null;
  return {
    message: 'MQTT connection lost for more than 5 minutes: no report comes any more',
    context: { ...connectivityContext(device), cause: 'silent' },
  };
}
