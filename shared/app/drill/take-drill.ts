import { decideDevice } from '../../domain/change/decide.ts';
import { decideReport } from '../../domain/change/report-decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { type DrillMessage, type DrillRecord, drillId, drillText } from '../../domain/drill/drill.ts';
import { drillDeliveries, drillDevice } from '../../domain/drill/messages.ts';
import type { Instant } from '../../domain/time.ts';
import { parseJson } from '../../schema/json.ts';
import { wayNames } from '../../schema/vocabulary.ts';
import { decided, nothingRead } from '../change/written.ts';
import { type Decided, decideAndCommit, put } from '../commit/commit.ts';

import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { CanarySeal, Stored, World } from '../ports.ts';
import { loadDrill } from './load-drill.ts';

/** Memory in use that opens RES_001. */
const memoryPercent = 99;

/**
 * Handles a message of the standing drill: records its arrival, then opens an alert of the reserved device by the usual decision. Only the deliveries
 * of this alert are written, so that no list, count or trail contains it.
 * @returns whether the message belongs to a drill
 */
export async function takeDrill(world: World, data: Buffer, seal: CanarySeal): Promise<boolean> {
  const message = readDrill(data, seal);
  if (!message) return false;
  await onRound(world, message, ({ data: round }) => {
    const isNew = !round.arrived[message.way];
    return isNew ? { round: { ...round, arrived: { ...round.arrived, [message.way]: world.now() } } } : null;
  });
  await onRound(world, message, async ({ data: round }) => {
    if (round.alertId !== null) return null;
    const { alertId, deliveries } = await alertOf(world, round.startedAt);
    return { round: { ...round, alertId, deliveryIds: deliveries.map(({ deliveryId }) => deliveryId) }, deliveries };
  });
  return true;
}

type RoundChange = { round: DrillRecord; deliveries?: Delivery[] };

/** Changes the round of a message until it is judged. A message of an earlier round changes nothing. */
function onRound(
  world: World,
  { drill }: DrillMessage,
  take: (stored: Stored<'drills'>) => RoundChange | null | Promise<RoundChange | null>,
): Promise<void> {
  return decideAndCommit(world, async (): Promise<Decided<void>> => {
    const stored = await loadDrill(world);
    const isPresent = stored?.data.startedAt === drill && stored.data.dueAt !== null;
    const taken = isPresent ? await take(stored) : null;
    if (!stored || !taken) return { writes: [], wakes: [], answer: undefined };
    const { round, deliveries = [] } = taken;
    return {
      writes: [put('drills', drillId, round, stored), ...deliveries.map(deliveryCreation)],
      wakes: deliveryWakes(deliveries),
      answer: undefined,
    };
  });
}

async function alertOf(world: World, startedAt: Instant): Promise<{ alertId: string | null; deliveries: Delivery[] }> {
  const device = drillDevice(startedAt);
  const report = {
    ...({ deviceId: device.deviceId, kind: 'status', receivedAt: startedAt, messageId: `drill ${startedAt}` } as const),
    body: { memory: { usedPercent: memoryPercent } },
  };
  const decision = { ...decideReport(device, report, world.waits), who: 'system' as const };
  const { change } = await decided(world, nothingRead, startedAt, (known, given) =>
    decideDevice(null, decision, known, given),
  );
  const [alert] = change.alerts;
  if (!alert) return { alertId: null, deliveries: [] };
  return {
    alertId: alert.alertId,
    deliveries: drillDeliveries(alert, change.deliveries, { now: world.now(), consoleUrl: world.consoleUrl }),
  };
}

/** Null for a message that is not part of a drill, or that we did not sign. */
function readDrill(data: Buffer, seal: CanarySeal): DrillMessage | null {
  const parsed = parseJson(data);
  if ('fault' in parsed) return null;
  const { drill, way: named, signature } = (parsed.value as Record<string, unknown> | null) ?? {};
  const way = wayNames.find((each) => each === named);
  if (!way || typeof drill !== 'string' || typeof signature !== 'string') return null;
  return seal.verify(drillText({ drill, way }), signature) ? { drill, way } : null;
}
