import { publicationOf } from '../../domain/delivery/webhook-events.ts';
import { nameOf } from '../../domain/device/device.ts';
import { guardianAlertIdOf } from '../../domain/guardian/facts.ts';
import { guardianRecord } from '../../domain/guardian/guarding.ts';
import type { Report } from '../../schema/device/report.ts';
import { unassigned } from '../../schema/vocabulary.ts';
import { wakeAll } from '../commit/commit.ts';
import { createAndPublish } from '../deliveries/create-and-publish.ts';
import type { World } from '../ports.ts';
import { configurationAt, configurationIds } from '../settings/configuration.ts';

/**
 * Stores a guardian alert as it was received and creates its deliveries to all subscribed endpoints. The same alert again changes nothing.
 */
export async function takeGuardianAlert(world: World, report: Report<'guardian'>): Promise<void> {
  const { deviceId, body, receivedAt: at } = report;
  const guardianAlertId = guardianAlertIdOf(deviceId, body);
  const ids = { devices: [deviceId], guardianAlerts: [guardianAlertId], ...configurationIds };
  const found = await world.store.getMany(ids);
  const [[device = null], [kept = null], [revision = null]] = [found.devices, found.guardianAlerts, found.revisions];
  if (kept) return;
  const named = { groupId: device?.data.groupId ?? unassigned, deviceName: device && nameOf(device.data) };
  const data = guardianRecord(named, report, world.waits.driftGrace);
  const { groupId, text, alertCode } = data;
  const camera = { site: device?.data.site ?? null, tags: device?.data.tags ?? {} };
  const { severity } = body;
  const about = { guardianAlertId, alertCode, severity, deviceId, groupId, camera } as const;
  const event = { kind: 'guardian', ...about, at, text } as const;
  const published = publicationOf(event, await configurationAt(world.store, revision), world.now());
  const create = { kind: 'create', in: 'guardianAlerts', id: guardianAlertId, data } as const;
  const { dueAt } = data;
  const isNew = await createAndPublish(world, { create, published });
  if (isNew && dueAt) await wakeAll(world, [{ in: 'guardianAlerts', id: guardianAlertId, version: 1, dueAt }]);
  const deliveries = published.deliveries.length;
  if (isNew) world.log.info('guardian.taken', { guardianAlertId, alertCode, deviceId, deliveries });
}
