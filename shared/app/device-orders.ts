import { type AlertRecord, type AlertSeed, seedAlert } from '../domain/alert.ts';
import type { Device } from '../domain/device.ts';
import { type AlertChange, type AuditEntry, decideAlert } from '../domain/lifecycle.ts';
import type { AlertOrder } from '../domain/reconcile.ts';
import type { DeviceDecision } from '../domain/report-decision.ts';
import type { Instant } from '../domain/time.ts';
import type { Decided } from './commit.ts';
import type { Store, Stored, Wake, World, Write } from './ports.ts';

/** Turns what was decided for a device into the writes of one commit: the device, its alerts, and their audit entries. */
export async function writesOf(
  world: World,
  stored: Stored<'devices'> | null,
  decision: DeviceDecision,
  now: Instant,
): Promise<Decided<void>> {
  if (stored && !decision.isWorthWriting) return { writes: [], wakes: [], answer: undefined };
  const device = { ...decision.device, version: decision.device.version + 1 };
  const alerts = await loadAlerts(world.store, decision.orders);
  const alertWrites = decision.orders.flatMap((order) => writesOfOrder(order, alerts, now));
  const wakes: Wake[] = alertWrites.flatMap((write) =>
    'data' in write && write.in === 'alerts' && write.data.dueAt
      ? [{ in: 'alerts', id: write.id, version: write.data.version, dueAt: write.data.dueAt }]
      : [],
  );
  if (device.dueAt && device.dueAt !== stored?.data.dueAt) {
    wakes.push({ in: 'devices', id: device.deviceId, version: device.version, dueAt: device.dueAt });
  }
  const activityWrites = decision.activity.map(
    (entry): Write => ({ kind: 'accrue', in: 'activity', id: entry.entryId, set: entry, add: {} }),
  );
  return { writes: [deviceWrite(stored, device), ...alertWrites, ...activityWrites], wakes, answer: undefined };
}

function deviceWrite(stored: Stored<'devices'> | null, device: Device): Write {
  const { deviceId: id } = device;
  return stored
    ? { kind: 'replace', in: 'devices', id, data: device, revision: stored.revision }
    : { kind: 'create', in: 'devices', id, data: device };
}

async function loadAlerts(store: Store, orders: AlertOrder[]): Promise<Map<string, Stored<'alerts'>>> {
  const ids = orders.flatMap((order) => {
    if (order.kind === 'open') return [order.seed.alertId];
    return order.kind === 'sight' ? [] : [order.alertId];
  });
  if (ids.length === 0) return new Map();
  const found = await store.get('alerts', ids);
  return new Map(found.flatMap((alert) => (alert ? [[alert.id, alert]] : [])));
}

function writesOfOrder(order: AlertOrder, alerts: Map<string, Stored<'alerts'>>, now: Instant): Write[] {
  switch (order.kind) {
    case 'open': {
      const known = alerts.get(order.seed.alertId);
      return known
        ? writesOfRepeat(known, order.seed, now)
        : writesOfChange(null, seedAlert(order.seed, now), { kind: 'open' }, now);
    }
    case 'sight':
      return [
        {
          kind: 'patch',
          in: 'alerts',
          id: order.alertId,
          set: { ...order.finding, lastSeenAt: now },
          add: { occurrences: 1 },
        },
      ];
    case 'return': {
      const stored = alerts.get(order.alertId);
      if (!stored) return [];
      const alert = { ...stored.data, ...order.finding };
      return writesOfChange(
        stored,
        alert,
        { kind: 'return', why: 'The condition returned', flapping: order.flapping },
        now,
      );
    }
    case 'end': {
      const stored = alerts.get(order.alertId);
      if (!stored) return [];
      const { resolution, why } = order;
      return writesOfChange(stored, stored.data, { kind: 'end', resolution, why }, now);
    }
    default:
      return order satisfies never;
  }
}

/** The same cause again: a moment has been told, and a condition that holds after all goes on in the alert that it opened. */
function writesOfRepeat(known: Stored<'alerts'>, { message, context }: AlertSeed, now: Instant): Write[] {
  if (known.data.severity === 'INFO') return [];
  const change: AlertChange = { kind: 'return', why: 'The condition returned', flapping: false };
  return writesOfChange(known, { ...known.data, message, context }, change, now);
}

function writesOfChange(
  stored: Stored<'alerts'> | null,
  alert: AlertRecord,
  change: AlertChange,
  now: Instant,
): Write[] {
  const outcome = decideAlert(alert, change, 'device', now);
  return outcome.kind === 'changed' ? alertWrites(stored, outcome.alert, outcome.entry) : [];
}

/** An alert and the audit entry of its change, to be written together. */
export function alertWrites(stored: Stored<'alerts'> | null, alert: AlertRecord, entry: AuditEntry): Write[] {
  const id = alert.alertId;
  return [
    stored
      ? { kind: 'replace', in: 'alerts', id, data: alert, revision: stored.revision }
      : { kind: 'create', in: 'alerts', id, data: alert },
    { kind: 'create', in: 'audit', id: entry.entryId, data: entry },
  ];
}
