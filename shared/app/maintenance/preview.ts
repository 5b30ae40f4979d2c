import { heldUntil } from '../../domain/maintenance/occurrence.ts';
import { isAbout, isAboutDevice, windowRecord } from '../../domain/maintenance/window.ts';
import { plus } from '../../domain/time.ts';
import type { MaintenancePreview, MaintenancePreviewRequest } from '../../schema/maintenance/window.ts';
import type { Bearer } from '../bearer.ts';
import type { Filter, Kind, Records, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { requireFit } from './windows.ts';

const dayMs = 24 * 60 * 60_000;
const pageSize = 500;
/** Records that a preview looks at, and alerts that it shows. */
const mostExamined = 10_000;
const mostShown = 100;

/**
 * What a window would have kept quiet in the last days, had it been there, and how many devices it is about now. Changes nothing.
 * @throws AppError `invalid-request`
 */
export async function previewWindow(
  world: World,
  bearer: Bearer,
  { window: input, days = 30 }: MaintenancePreviewRequest,
): Promise<MaintenancePreview> {
  requireFit(input, bearer);
  const now = world.now();
  const since = plus(now, -days * dayMs);
  const { settings } = await loadConfiguration(world);
  const { subject, groups } = bearer;
  const by = { createdBy: subject, createdAt: now, changedAt: now, limitedTo: groups && [...groups] };
  const window = windowRecord(input, { windowId: '', ...by, version: 0 });
  const within: Filter<'alerts'>[] = [{ field: 'timestamp', is: '>=', value: since }];
  const [alerts, devices] = await Promise.all([
    visible(world, bearer, 'alerts', within, 'timestamp'),
    visible(world, bearer, 'devices', [], 'deviceId'),
  ]);
  const matched = alerts.found
    .filter((alert) => isAbout(window, alert))
    .map((alert) => ({ alert, isQuiet: heldUntil(window, alert.timestamp, settings.timeZone) !== null }));
  return {
    since,
    devices: devices.found.filter((device) => isAboutDevice(window, device)).length,
    examined: alerts.found.length,
    isComplete: alerts.isComplete && devices.isComplete,
    matched: matched.length,
    quiet: matched.filter(({ isQuiet }) => isQuiet).length,
    alerts: matched.slice(0, mostShown).map(({ alert, isQuiet }) => {
      const { alertId, deviceId, groupId, code, timestamp } = alert;
      return { alertId, deviceId, groupId, code, timestamp, isQuiet };
    }),
  };
}

/** Records that the bearer may see, the last in order first, as many as a preview looks at. */
async function visible<K extends Kind & ('alerts' | 'devices')>(
  { store }: World,
  { groups }: Bearer,
  kind: K,
  filters: Filter<K>[],
  by: keyof Records[K] & string,
): Promise<{ found: Records[K][]; isComplete: boolean }> {
  const inGroups = groups ? [{ field: 'groupId', is: 'in', value: groups } as unknown as Filter<K>] : [];
  const where = [...inGroups, ...filters];
  const found: Records[K][] = [];
  let after: unknown[] | undefined;
  do {
    const page = await store.find<K>({
      in: kind,
      where,
      orderBy: [[by, 'desc']],
      limit: pageSize,
      ...(after ? { after } : {}),
    });
    found.push(...page.map(({ data }) => data));
    const last = page.length === pageSize ? page.at(-1) : undefined;
    after = last && [last.data[by], last.id];
  } while (after && found.length < mostExamined);
  return { found, isComplete: after === undefined };
}
