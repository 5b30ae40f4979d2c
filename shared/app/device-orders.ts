import { seedAlert } from '../domain/alert.ts';
import type { Device } from '../domain/device.ts';
import type { AlertChange } from '../domain/lifecycle.ts';
import type { AlertOrder } from '../domain/reconcile.ts';
import type { DeviceDecision } from '../domain/report-decision.ts';
import { type Instant, plus } from '../domain/time.ts';
import { changeAlert, openAlert } from './alert-change.ts';
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
  const changes: Writes[] = [];
  for (const order of decision.orders) changes.push(await writesOfOrder(world, order, alerts, now));
  const wakes = changes.flatMap((change) => change.wakes);
  if (device.dueAt && device.dueAt !== stored?.data.dueAt) {
    wakes.push({ in: 'devices', id: device.deviceId, version: device.version, dueAt: device.dueAt });
  }
  return {
    writes: [deviceWrite(stored, device), ...changes.flatMap(({ writes }) => writes)],
    wakes,
    answer: undefined,
  };
}

function deviceWrite(stored: Stored<'devices'> | null, device: Device): Write {
  const { deviceId: id } = device;
  return stored
    ? { kind: 'replace', in: 'devices', id, data: device, revision: stored.revision }
    : { kind: 'create', in: 'devices', id, data: device };
}

async function loadAlerts(store: Store, orders: AlertOrder[]): Promise<Map<string, Stored<'alerts'>>> {
  const ids = orders.flatMap((order) => (order.kind === 'return' || order.kind === 'end' ? [order.alertId] : []));
  if (ids.length === 0) return new Map();
  const found = await store.get('alerts', ids);
  return new Map(found.flatMap((alert) => (alert ? [[alert.id, alert]] : [])));
}

type Writes = { writes: Write[]; wakes: Wake[] };
const nothing: Writes = { writes: [], wakes: [] };

async function writesOfOrder(
  world: World,
  order: AlertOrder,
  alerts: Map<string, Stored<'alerts'>>,
  now: Instant,
): Promise<Writes> {
  switch (order.kind) {
    case 'open':
      return openAlert(world, seedAlert(order.seed, now), now);
    case 'sight': {
      const set = { ...order.finding, lastSeenAt: now };
      return {
        writes: [{ kind: 'patch', in: 'alerts', id: order.alertId, set, add: { occurrences: 1 } }],
        wakes: [],
      };
    }
    case 'return': {
      const stored = alerts.get(order.alertId);
      if (!stored) return nothing;
      const { finding, flapping } = order;
      const notifyAfter = flapping ? plus(now, world.waits.flappingQuiet) : null;
      const sighted = { ...stored, data: { ...stored.data, ...finding } };
      return writesOfChange(
        world,
        sighted,
        { kind: 'return', why: 'The condition returned', flapping, notifyAfter },
        now,
      );
    }
    case 'end': {
      const stored = alerts.get(order.alertId);
      const { resolution, why } = order;
      return stored ? writesOfChange(world, stored, { kind: 'end', resolution, why }, now) : nothing;
    }
    default:
      return order satisfies never;
  }
}

async function writesOfChange(
  world: World,
  stored: Stored<'alerts'>,
  change: Exclude<AlertChange, { kind: 'open' }>,
  now: Instant,
): Promise<Writes> {
  const outcome = await changeAlert(world, stored, change, 'device', now);
  return outcome.kind === 'changed' ? outcome : nothing;
}
