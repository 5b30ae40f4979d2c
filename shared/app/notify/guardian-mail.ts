import type { GuardianAlertRecord } from '../../domain/guardian/record.ts';
import { addressed } from '../../domain/notify/address.ts';
import { foldIdOf, withWindows } from '../../domain/notify/fold.ts';
import { guardianLetter } from '../../domain/notify/messages.ts';
import { unique } from '../../domain/notify/notifications.ts';
import { contactsOf } from '../../domain/notify/team.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { foldWake } from '../change/written.ts';
import type { Decided } from '../commit/commit.ts';
import { put } from '../commit/put.ts';
import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';
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
    ? { writes: [], wakes: [], windowIds: [] }
    : await mailOf(world, stored.data, { fields, remark: isDoubted ? 'healed, unsigned' : null }, now);
  const foldIds = withWindows(stored.data.foldIds, mail.windowIds, now, world.waits.foldWindow);
  const settled = put('guardianAlerts', stored.id, { ...stored.data, dueAt: null, foldIds }, stored);
  return { writes: [settled, ...mail.writes], wakes: mail.wakes, answer: false };
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
  record: GuardianAlertRecord,
  about: { fields: readonly string[]; remark: string | null },
  now: Instant,
): Promise<{ writes: Write[]; wakes: Wake[]; windowIds: string[] }> {
  const { guardianAlertId, deviceId, groupId, alertCode: code } = record;
  const { teams, settings } = await loadConfiguration(world);
  const operations = teams.get(operationsTeam);
  const contacts = unique(operations ? contactsOf(operations) : []).filter(({ channel }) => channel === 'email');
  const { consoleUrl } = world;
  const letter = guardianLetter(record, about, { consoleUrl, timeZone: settings.timeZone });
  const event = { eventType: 'notification', eventId: guardianAlertId, alertId: null, deviceId, groupId };
  const ids = contacts.map((contact) => foldIdOf(contact, groupId, code));
  const stored = ids.length > 0 ? await world.store.get('folds', ids) : [];
  const folds = new Map(stored.flatMap((fold) => (fold ? [[fold.id, fold]] : [])));
  const known = new Map([...folds].map(([id, { data }]) => [id, data]));
  const subject = { groupId, code, event };
  const { opened, deliveries, windowIds } = addressed(contacts, subject, letter, known, now, world.waits.foldWindow);
  return {
    writes: [
      ...opened.map((fold) => put('folds', fold.foldId, fold, folds.get(fold.foldId) ?? null)),
      ...deliveries.map(deliveryCreation),
    ],
    wakes: [...opened.map(foldWake), ...deliveryWakes(deliveries)],
    windowIds,
  };
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
