import { type AlertSeed, seedAlert } from '../../domain/alert/alert.ts';
import type { AlertChange } from '../../domain/alert/lifecycle.ts';
import type { AlertOrder } from '../../domain/alert/reconcile.ts';
import type { DeviceDecision } from '../../domain/change/report-decision.ts';
import type { Device } from '../../domain/device/device.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import { changeAlert, openAlert } from '../alerts/change.ts';
import type { Decided } from '../commit/commit.ts';
import type { Store, Stored, Wake, World, Write } from '../ports.ts';
import { type Configuration, configurationAt, configurationIds } from '../settings/configuration.ts';

/** Turns what was decided for a device into the writes of one commit: the device, its alerts, and their audit entries. */
export async function writesOf(
  world: World,
  stored: Stored<'devices'> | null,
  decision: DeviceDecision,
  now: Instant,
): Promise<Decided<void>> {
  if (stored && !decision.isWorthWriting) return { writes: [], wakes: [], answer: undefined };
  const device = { ...decision.device, version: decision.device.version + 1 };
  const by = { who: decision.who, now, ...(await loadForOrders(world.store, decision.orders)) };
  const changes: Writes[] = [];
  for (const order of decision.orders) changes.push(await writesOfOrder(world, order, by));
  const wakes = changes.flatMap((change) => change.wakes);
  if (device.dueAt && device.dueAt !== stored?.data.dueAt) {
    wakes.push({ in: 'devices', id: device.deviceId, version: device.version, dueAt: device.dueAt });
  }
  const activityWrites = decision.activity.map(
    (entry): Write => ({ kind: 'accrue', in: 'activity', id: entry.entryId, set: entry, add: {} }),
  );
  const writes = [deviceWrite(stored, device), ...changes.flatMap((change) => change.writes), ...activityWrites];
  return { writes, wakes, answer: undefined };
}

function deviceWrite(stored: Stored<'devices'> | null, device: Device): Write {
  const { deviceId: id } = device;
  return stored
    ? { kind: 'replace', in: 'devices', id, data: device, revision: stored.revision }
    : { kind: 'create', in: 'devices', id, data: device };
}

/** What orders are carried out with: the alerts that they name, and the configuration where one is opened or changed. */
type Loaded = { alerts: ReadonlyMap<string, Stored<'alerts'>>; configuration: Configuration | null };

async function loadForOrders(store: Store, orders: AlertOrder[]): Promise<Loaded> {
  const ids = orders.flatMap((order) => {
    if (order.kind === 'open') return [order.seed.alertId];
    return order.kind === 'sight' ? [] : [order.alertId];
  });
  if (ids.length === 0) return { alerts: new Map(), configuration: null };
  const found = await store.getMany({ alerts: ids, ...configurationIds });
  const alerts = new Map(found.alerts.flatMap((alert) => (alert ? [[alert.id, alert]] : [])));
  return { alerts, configuration: await configurationAt(store, found.revisions[0] ?? null) };
}

/** Who brings the change about, when, and with what. */
type By = Loaded & { who: DeviceDecision['who']; now: Instant };
type Writes = { writes: Write[]; wakes: Wake[] };
const nothing: Writes = { writes: [], wakes: [] };

async function writesOfOrder(world: World, order: AlertOrder, by: By): Promise<Writes> {
  const { now, alerts, configuration } = by;
  switch (order.kind) {
    case 'open': {
      const known = alerts.get(order.seed.alertId);
      return known
        ? writesOfRepeat(world, known, order.seed, by)
        : openAlert(world, seedAlert(order.seed, now), by.who, now, configuration);
    }
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
      const notifyAfter = heldUntil(world, stored.data.code, flapping, now);
      const sighted = { ...stored, data: { ...stored.data, ...finding } };
      return writesOfChange(
        world,
        sighted,
        { kind: 'return', why: 'The condition returned', flapping, notifyAfter },
        by,
      );
    }
    case 'end': {
      const stored = alerts.get(order.alertId);
      const { resolution, why } = order;
      return stored ? writesOfChange(world, stored, { kind: 'end', resolution, why }, by) : nothing;
    }
    default:
      return order satisfies never;
  }
}

/** The same cause again: a moment has been told, and a condition that holds after all goes on in the alert that it opened. */
async function writesOfRepeat(
  world: World,
  known: Stored<'alerts'>,
  { message, context, notifyAfter = null }: AlertSeed,
  by: By,
): Promise<Writes> {
  if (known.data.severity === 'INFO') return nothing;
  const why = 'The condition returned';
  const change: AlertChange = { kind: 'return', why, flapping: false, notifyAfter };
  return writesOfChange(world, { ...known, data: { ...known.data, message, context } }, change, by);
}

/** Until when the return of a condition tells nobody: a flapping one may settle, a drift may heal. */
function heldUntil({ waits }: World, code: AlertCode, flapping: boolean, now: Instant): Instant | null {
  if (flapping) return plus(now, waits.flappingQuiet);
  return code === 'CFG_001' ? plus(now, waits.driftGrace) : null;
}

async function writesOfChange(
  world: World,
  stored: Stored<'alerts'>,
  change: Exclude<AlertChange, { kind: 'open' }>,
  { who, now, configuration }: By,
): Promise<Writes> {
  const outcome = await changeAlert(world, stored, change, who, now, configuration);
  return outcome.kind === 'changed' ? outcome : nothing;
}
