import type { GuardianAlertRecord } from '../../domain/guardian/guarding.ts';
import { addressed, type Notifications } from '../../domain/notify/address.ts';
import { targetIdOf } from '../../domain/notify/target.ts';
import { contactsOfTeam } from '../../domain/notify/team.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { type Decided, put } from '../commit/commit.ts';

import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { loadHorizon } from '../sight/sight.ts';

/** Guardian alerts of a device that are looked through for the other half of a pair. */
const mostLookedAt = 20;

/**
 * Notifies `operations` by mail of a guardian alert that is due. A pair of drift and heal is normal and not notified, unless its unsigned heal is
 * doubted (`unsignedHeals`). A single one waits until its other half can no longer be on its way.
 */
export async function handleGuardianMailDue(
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
    ? { deliveries: [], digestIds: stored.data.digestIds }
    : await mailOf(world, stored.data, { fields, remark: isDoubted ? 'healed, unsigned' : null }, now);
  const settled = put('guardianAlerts', stored.id, { ...stored.data, dueAt: null, digestIds: mail.digestIds }, stored);
  return {
    writes: [settled, ...mail.deliveries.map(deliveryCreation)],
    wakes: deliveryWakes(mail.deliveries),
    answer: false,
  };
}

/** Whether all messages of the period that could contain its other half have arrived. A conflict has no other half. */
async function isWholeSeen(world: World, { alertCode, receivedAt }: GuardianAlertRecord): Promise<boolean> {
  if (alertCode === 'CONFIG_CONFLICT') return true;
  const horizon = await loadHorizon(world);
  return horizon !== null && plus(receivedAt, world.waits.driftGrace) <= horizon;
}

/** Whether it is a drift that was healed within the grace period, or the heal of a drift shortly before. */
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

/**
 * A drift that can give control of the camera to somebody else, from a guardian that does not sign: anybody with the camera's password could forge
 * its heal.
 */
function isUnsignedTurn({ alertCode, isSigned }: GuardianAlertRecord, fields: readonly string[]): boolean {
  return alertCode === 'CONFIG_DRIFT' && !isSigned && fields.some((name) => /^(broker|tls)\./.test(name));
}

async function mailOf(
  world: World,
  { guardianAlertId, deviceId, groupId, digestIds }: GuardianAlertRecord,
  about: { fields: string[]; remark: string | null },
  now: Instant,
): Promise<Notifications> {
  const { teams } = await loadConfiguration(world);
  const contacts = contactsOfTeam(teams, operationsTeam).filter(({ channel }) => channel === 'email');
  const event = { eventType: 'notification', eventId: guardianAlertId, alertId: null, deviceId, groupId };
  const ids = contacts.map(targetIdOf);
  const stored = ids.length > 0 ? await world.store.get('targets', ids) : [];
  const targets = new Map(stored.flatMap((target) => (target ? [[target.id, target.data]] : [])));
  const message = { about: 'guardian', id: guardianAlertId, occasion: 'opened', ...about } as const;
  return addressed(contacts, { event, message, isUrgent: false, digestIds }, targets, now, world.waits);
}

/** Names of its fields. Their values may be secrets. */
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
