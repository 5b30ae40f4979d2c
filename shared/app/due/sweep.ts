import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { beginDrill } from '../drill/begin-drill.ts';
import { sweepFleet } from '../fleet/summaries.ts';
import { rollUpTrends } from '../fleet/trends.ts';
import { keepLedger } from '../ledger/append.ts';
import type { Ledger } from '../ledger/objects.ts';
import { tellOfUnheard } from '../notify/never-seen.ts';
import { refreshNow } from '../now/refresh.ts';
import { lookAtOutages } from '../outages/look.ts';
import type { DueKind, Filter, Stored, World } from '../ports.ts';
import { type Canaries, noCanaries } from '../sight/send-canaries.ts';
import { tellOfCertificates } from '../webhooks/certificates.ts';
import { handleDue } from './due.ts';
import { wakeOverdueDeliveries } from './sweep-deliveries.ts';
import { sweepAbsent, sweepDevicesDue } from './sweep-devices.ts';
import { forEachFound, inTurn, pageSize } from './sweep-pages.ts';
import { gatherCauses, type Horizon, see } from './sweep-sight.ts';
import { dueTable } from './table.ts';

type OtherKind = Exclude<DueKind, 'devices'>;
const kinds = (Object.keys(dueTable) as DueKind[]).filter((kind): kind is OtherKind => kind !== 'devices');

/**
 * The sweep of each minute: what the platform itself can see, what stayed away up to then, the look that finds outages, and records whose wake was
 * lost.
 * @param canaries how canaries are sent; without them only the fleet's reports show the state
 * @param ledger the log to keep; null: none is kept
 */
export async function sweep(
  world: World,
  canaries: Canaries = noCanaries,
  ledger: Ledger | null = null,
): Promise<
  Record<
    | 'sight'
    | 'absent'
    | 'look'
    | 'causes'
    | 'deliveries'
    | 'drill'
    | 'trends'
    | 'fleet'
    | 'now'
    | 'ledger'
    | 'certificates'
    | 'unheard'
    | DueKind,
    number
  >
> {
  const startedAt = world.now();
  const until = plus(startedAt, world.waits.sweepLongest);
  let seen: Horizon | null = null;
  const sight = async () => {
    seen = await see(world, canaries);
    return 0;
  };
  const bySight = (part: (sight: Horizon) => Promise<number>) => async () => (seen === null ? 0 : part(seen));
  const absent = bySight((seen) => sweepAbsent(world, seen, until));
  const look = bySight((sight) => lookAtOutages(world, sight, until));
  const causes = bySight((sight) => gatherCauses(world, sight));
  const drill = () => beginDrill(world, canaries);
  const devices = () => sweepDevicesDue(world, until);
  const { alerts, ...others } = Object.fromEntries(
    kinds.map((kind) => [kind, () => sweepKind(world, kind, until)]),
  ) as Record<OtherKind, () => Promise<number>>;
  const parts = { sight, absent, look, alerts, causes, devices, deliveries: wakeOverdueDeliveries, ...others };
  const record = async () => (ledger ? keepLedger(world, ledger) : 0);
  const counts = await inTurn(world, {
    ...parts,
    drill,
    trends: rollUpTrends,
    fleet: sweepFleet,
    now: refreshNow,
    ledger: record,
    certificates: () => tellOfCertificates(world),
    unheard: () => tellOfUnheard(world),
  });
  // Somebody is called where this line is missing for some minutes, so it is written only after every part has succeeded.
  world.log.info('sweep.done', { tookMs: msBetween(startedAt, world.now()) });
  return counts;
}

/**
 * Handles the records of a kind that have been due for longer than the grace of a wake.
 * @returns how many of them a wake should have handled; records that wait for the horizon are found and left alone
 */
async function sweepKind<K extends OtherKind>(world: World, kind: K, until: Instant): Promise<number> {
  const { grace, sweepLimit } = dueTable[kind];
  const dueUntil = plus(world.now(), -world.waits[grace]);
  const page = (after: Stored<K> | null) =>
    world.store.find<K>({
      in: kind,
      where: [{ field: 'dueAt', is: '<=', value: dueUntil }] as Filter<K>[],
      orderBy: [['dueAt', 'asc']],
      limit: pageSize,
      ...(after ? { after: [after.data.dueAt, after.id] } : {}),
    });
  let done = 0;
  await forEachFound<K>(world, { limit: sweepLimit, until }, page, async ({ id }) => {
    if (await handleDue(world, kind, id)) done += 1;
  });
  if (done > 0) world.log.warn('sweep.found', { [kind]: done });
  return done;
}
