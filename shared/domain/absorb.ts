import type { Report, StatusReport } from '../schema/report.ts';
import type { Device } from './device.ts';
import { thresholds } from './limits.ts';
import { type MeasureName, rebased, withReading } from './measure.ts';
import { withConnection } from './presence.ts';
import { compareStamps, isClockStep, type Stamp, stampOf } from './stamp.ts';
import { latest } from './time.ts';

/** What became of a report: the device with its facts, the measures it spoke about, and whether it came behind a newer one. */
export type Absorbed = { device: Device; fresh: MeasureName[]; isStale: boolean };

/** The facts of a report put to those of the device. Any order and any number of copies give the same facts. */
export function absorb(device: Device, report: Report): Absorbed {
  const seen = withSighting(device, report);
  switch (report.kind) {
    case 'status':
      return absorbStatus(seen, report);
    case 'connection':
      return { device: withPresence(seen, report), fresh: [], isStale: false };
    case 'event':
    case 'guardian':
    case 'detection':
      return { device: seen, fresh: [], isStale: false };
    default:
      return report satisfies never;
  }
}

function withSighting(device: Device, report: Report): Device {
  const isAfterLoss = device.presence.lostAt === null || report.receivedAt > device.presence.lostAt;
  const isAlive = report.kind !== 'connection' && isAfterLoss;
  const lastSeenAt = latest(device.lastSeenAt, report.receivedAt) ?? report.receivedAt;
  return { ...device, lastSeenAt, isOnline: device.isOnline || isAlive };
}

function withPresence(device: Device, report: Report<'connection'>): Device {
  const presence = withConnection(device.presence, report.receivedAt, report.body);
  if (presence === device.presence) return device;
  return { ...device, presence, isOnline: presence.lostAt === null };
}

function absorbStatus(device: Device, report: Report<'status'>): Absorbed {
  const stamp = stampOf(report);
  const newest = device.newest.status;
  if (!newest || compareStamps(newest, stamp) <= 0) {
    const described = withDescription(device, report.body, stamp);
    return withMeasures({ ...described, newest: { ...device.newest, status: stamp } }, report.body, stamp, false);
  }
  if (device.lastLate && isClockStep(newest, device.lastLate, stamp)) {
    return absorbStatus(withClockReset(device), report);
  }
  return withMeasures({ ...device, lastLate: stamp }, report.body, stamp, true);
}

function withMeasures(device: Device, body: StatusReport, stamp: Stamp, isStale: boolean): Absorbed {
  const values: Partial<Record<MeasureName, number | undefined>> = {
    memory: body.memory?.usedPercent,
    storage: body.storage?.freeMegabytes,
    latency: body.mqtt?.latencyMs,
  };
  const measures = { ...device.measures };
  const fresh: MeasureName[] = [];
  for (const [name, value] of Object.entries(values) as [MeasureName, number | undefined][]) {
    if (value === undefined) continue;
    const next = withReading(name, measures[name], { ...stamp, value });
    if (!next) continue;
    measures[name] = next;
    fresh.push(name);
  }
  return { device: { ...device, measures }, fresh, isStale };
}

function withDescription(device: Device, body: StatusReport, stamp: Stamp): Device {
  const skewSeconds = stamp.deviceAt ? (Date.parse(stamp.deviceAt) - Date.parse(stamp.receivedAt)) / 1000 : 0;
  return {
    ...device,
    groupId: device.setByHand.includes('groupId') ? device.groupId : (body.groupId ?? device.groupId),
    name: device.setByHand.includes('name') ? device.name : (body.name ?? device.name),
    model: body.model ?? device.model,
    serial: body.serial ?? device.serial,
    firmware: body.firmware ?? device.firmware,
    ip: body.ip ?? device.ip,
    brokerHost: body.mqtt?.brokerHost ?? device.brokerHost,
    reconnectAttempts: body.mqtt?.reconnectAttempts ?? device.reconnectAttempts,
    clockSkewSeconds: Math.abs(skewSeconds) > thresholds.clockSkewSeconds ? Math.round(skewSeconds) : null,
  };
}

function withClockReset(device: Device): Device {
  const measures = Object.fromEntries(
    Object.entries(device.measures).map(([name, measure]) => [name, rebased(name as MeasureName, measure)]),
  );
  const { status: _, ...newest } = device.newest;
  return { ...device, measures, newest, lastLate: null };
}
