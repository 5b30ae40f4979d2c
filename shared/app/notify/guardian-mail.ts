import type { GuardianAlertRecord } from '../../domain/guardian/record.ts';
import { decideFold, foldIdOf, withWindows } from '../../domain/notify/fold.ts';
import { guardianLetter } from '../../domain/notify/messages.ts';
import { unique } from '../../domain/notify/notifications.ts';
import { contactsOf } from '../../domain/notify/team.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { plus } from '../../domain/time.ts';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { deliveryWrites, foldWake, foldWrite } from './tell.ts';

/** Guardian alerts of a device that are looked through for the other half of a pair. */
const mostLookedAt = 20;

/** Tells `operations` by mail of a guardian alert whose time has come, unless it is half of a pair of drift and heal: that is normal. */
export async function handleGuardianMailDue(world: World, guardianAlertId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('guardianAlerts', [guardianAlertId]);
    const now = world.now();
    if (!stored?.data.dueAt || stored.data.dueAt > now) return { writes: [], wakes: [], answer: undefined };
    const isNormal = await isHalfOfPair(world, stored.data);
    const mail = isNormal ? { writes: [], wakes: [], windows: [] } : await mailOf(world, stored.data, now);
    const foldIds = withWindows(stored.data.foldIds, mail.windows, now, world.waits.foldWindow);
    const data = { ...stored.data, dueAt: null, foldIds };
    return {
      writes: [
        { kind: 'replace', in: 'guardianAlerts', id: guardianAlertId, data, revision: stored.revision },
        ...mail.writes,
      ],
      wakes: mail.wakes,
      answer: undefined,
    };
  });
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

async function mailOf(world: World, record: GuardianAlertRecord, now: string) {
  const { guardianAlertId, deviceId, groupId, alertCode: code } = record;
  const { teams } = await loadConfiguration(world);
  const operations = teams.get(operationsTeam);
  const contacts = unique(operations ? contactsOf(operations) : []).filter(({ channel }) => channel === 'email');
  const letter = guardianLetter(record, fieldsOf(JSON.parse(record.text) as GuardianAlert), world.consoleUrl);
  const event = { eventType: 'notification', eventId: guardianAlertId, alertId: null, deviceId, groupId };
  const ids = contacts.map((contact) => foldIdOf(contact, groupId, code));
  const folds = ids.length > 0 ? await world.store.get('folds', ids) : [];
  const mail: { writes: Write[]; wakes: Wake[]; windows: string[] } = { writes: [], wakes: [], windows: [] };
  for (const [index, contact] of contacts.entries()) {
    const stored = folds[index] ?? null;
    const decision = decideFold(stored?.data ?? null, { contact, groupId, code }, now, world.waits.foldWindow);
    if (decision.kind === 'held') {
      mail.windows.push(decision.windowId);
      continue;
    }
    const delivery = deliveryWrites(contact, letter, event, now);
    mail.writes.push(foldWrite(stored, decision.fold), ...delivery.writes);
    mail.wakes.push(foldWake(decision.fold), ...delivery.wakes);
  }
  return mail;
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
