import type { GuardianAlertRecord } from '../../domain/guardian/record.ts';
import { type Addressed, addressed } from '../../domain/notify/address.ts';
import { targetIdOf } from '../../domain/notify/target.ts';
import { contactsOfTeam } from '../../domain/notify/teams.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import type { Decided } from '../commit/commit.ts';
import { put } from '../commit/put.ts';
import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { loadHorizon } from '../sight/sight.ts';

/** Guardian alerts of a device that are looked through for the other half of a pair. */
const mostLookedAt = 20;

/**
 * Tells `operations` by mail of a guardian alert whose time has come, unless it is half of a pair of drift and heal: that is normal. What looks
 * alone waits until its other half can no longer be on its way.
 */
export async function decideGuardianMail(
  world: World,
  stored: Stored<'guardianAlerts'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const fields = fieldsOf(JSON.parse(stored.data.text) as GuardianAlert);
  const isPair = await isHalfOfPair(world, stored.data);
  const isDoubted = isPair && world.unsignedHeals === 'doubt' && isUnsignedTurn(stored.data, fields);
  const isNormal = isPair && !isDoubted;
  if (!isPair && !(await isWholeSeen(world, stored.data))) return { writes: [], wakes: [], answer: false };
  const mail = isNormal
    ? { deliveries: [], foldIds: stored.data.foldIds }
    : await mailOf(world, stored.data, { fields, remark: isDoubted ? 'healed, unsigned' : null }, now);
  const settled = put('guardianAlerts', stored.id, { ...stored.data, dueAt: null, foldIds: mail.foldIds }, stored);
  return {
    writes: [settled, ...mail.deliveries.map(deliveryCreation)],
    wakes: deliveryWakes(mail.deliveries),
    answer: false,
  };
}

/** Whether no message of the time in which its other half belongs can be missing. A conflict is told by itself. */
async function isWholeSeen(world: World, { alertCode, receivedAt }: GuardianAlertRecord): Promise<boolean> {
  if (alertCode === 'CONFIG_CONFLICT') return true;
  const horizon = await loadHorizon(world);
  return horizon !== null && plus(receivedAt, world.waits.driftGrace) <= horizon;
}

/** A drift that was healed within the grace, or the heal of a drift that came just before. */
async function isHalfOfPair(
  { store, waits }: World,
  { alertCode, deviceId, receivedAt }: GuardianAlertRecord,
): Promise<boolean> {
  if (alertCode === 'CONFIG_CONFLICT') return false;
  const isDrift = alertCode === 'CONFIG_DRIFT';
  const found = await store.find({
    in: 'guardianAlerts',
    where: [
      { field: 'deviceId', is: '==', value: deviceId },
      { field: 'receivedAt', is: '>=', value: isDrift ? receivedAt : plus(receivedAt, -waits.driftGrace) },
      { field: 'receivedAt', is: '<=', value: isDrift ? plus(receivedAt, waits.driftGrace) : receivedAt },
    ],
    orderBy: [['receivedAt', 'desc']],
    limit: mostLookedAt,
  });
  return found.some(({ data }) => data.alertCode === (isDrift ? 'CONFIG_HEALED' : 'CONFIG_DRIFT'));
}

/** A drift that can turn the camera to somebody else, of a guardian whose word for its heal anybody with the camera's password can give. */
function isUnsignedTurn({ alertCode, isSigned = false }: GuardianAlertRecord, fields: readonly string[]): boolean {
  return alertCode === 'CONFIG_DRIFT' && !isSigned && fields.some((name) => /^(broker|tls)\./.test(name));
}

async function mailOf(
  world: World,
  { guardianAlertId, deviceId, groupId, foldIds }: GuardianAlertRecord,
  about: { fields: string[]; remark: string | null },
  now: Instant,
): Promise<Addressed> {
  const { teams } = await loadConfiguration(world);
  const contacts = contactsOfTeam(teams, operationsTeam).filter(({ channel }) => channel === 'email');
  const event = { eventType: 'notification', eventId: guardianAlertId, alertId: null, deviceId, groupId };
  const ids = contacts.map(targetIdOf);
  const stored = ids.length > 0 ? await world.store.get('targets', ids) : [];
  const targets = new Map(stored.flatMap((target) => (target ? [[target.id, target.data]] : [])));
  const message = { about: 'guardian', id: guardianAlertId, occasion: 'opened', ...about } as const;
  return addressed(contacts, { event, message, isUrgent: false, foldIds }, targets, now, world.waits);
}

/** Names of the fields that it is about; their values may be secrets. */
function fieldsOf(alert: GuardianAlert): string[] {
  switch (alert.alertCode) {
    case 'CONFIG_DRIFT':
      return alert.drift.fields.map(({ name }) => name);
    case 'CONFIG_HEALED':
      return alert.heal.fieldsRestored;
    case 'CONFIG_CONFLICT':
      return [alert.conflict.lastDrift.field];
    default:
      return alert satisfies never;
  }
}
