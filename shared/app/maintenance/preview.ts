import { heldUntil, isAbout, isAboutDevice, windowRecord } from '../../domain/maintenance/window.ts';

import { plus } from '../../domain/time.ts';
import type { MaintenancePreview, MaintenancePreviewRequest } from '../../schema/maintenance/window.ts';
import type { Bearer } from '../bearer.ts';
import { firstOf } from '../paging/paging.ts';
import type { World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { requireMayWrite } from '../writes/may-write.ts';
import { requireFit } from './windows.ts';

const dayMs = 24 * 60 * 60_000;
/** Records that a preview examines, and alerts that it shows. */
const mostExamined = 10_000;
const mostShown = 100;

/**
 * The alerts that a window would have silenced in the last days, and the number of devices that it matches now. Changes nothing.
 * @throws AppError `invalid-request`
 */
export async function previewWindow(
  world: World,
  bearer: Bearer,
  { window: input, days = 30 }: MaintenancePreviewRequest,
): Promise<MaintenancePreview> {
  requireFit(input);
  const now = world.now();
  const since = plus(now, -days * dayMs);
  const { settings } = await loadConfiguration(world);
  const { subject, groups } = bearer;
  const by = { createdBy: subject, createdAt: now, changedAt: now, limitedTo: groups && [...groups] };
  const window = windowRecord(input, { windowId: '', ...by, version: 0 });
  requireMayWrite(bearer, 'windows', null, window);
  const inGroups = groups ? [{ field: 'groupId', is: 'in', value: groups } as const] : [];
  const recent = { field: 'timestamp', is: '>=', value: since } as const;
  const [alerts, devices] = await Promise.all([
    firstOf<'alerts'>(
      world,
      { in: 'alerts', where: [recent, ...inGroups], orderBy: [['timestamp', 'desc']] },
      mostExamined,
    ),
    firstOf<'devices'>(world, { in: 'devices', where: [...inGroups], orderBy: [['deviceId', 'asc']] }, mostExamined),
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
      const { alertId, deviceId, deviceName, groupId, code, timestamp } = alert;
      return { alertId, deviceId, deviceName, groupId, code, timestamp, isQuiet };
    }),
  };
}
