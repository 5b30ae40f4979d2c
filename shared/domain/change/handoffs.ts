import { v5 as uuidv5 } from 'uuid';
import { type HandoffAction, handoffTable } from '../../schema/settings/handoff-kinds.ts';
import type { AlertRecord, Life } from '../alert/alert.ts';
import { catalogue } from '../alert/catalogue.ts';
import { type Delivery, type HandoffOrder, newDelivery } from '../delivery/delivery.ts';
import type { Handed, HandoffEvent, HandoffRecord } from '../delivery/handoff.ts';
import type { IncidentRecord } from '../incident/incident.ts';
import { placeAndName } from '../messages/letters.ts';
import type { TeamRecord } from '../notify/team.ts';
import { operationsTeam } from '../settings/settings.ts';
import type { Instant } from '../time.ts';

/** What hand-offs may be told of: an alert or an incident, as it is after a change. */
type Matter = { life: Life; event: Omit<HandoffEvent, 'action' | 'at'>; alertId: string | null };

/** What a change is to hand-offs: what each was told last, and the deliveries by which it is. */
type HandedOver = { handed: readonly Handed[]; deliveries: Delivery[] };

/** Attempts as the contract's schedule has them. */
const maxAttempts = 5;
const namespace = '4f0c1c60-70a1-5f0e-9d2c-0a6a1c3b9e55';

type Teams = ReadonlyMap<string, TeamRecord>;
const noneHanded: readonly Handed[] = [];

/** What hand-offs are told of an alert. Of a member, its incident is handed over in its stead. */
export function alertHandedOver(alert: AlertRecord, teams: Teams, at: Instant): HandedOver {
  if (!isHandedAnywhere(alert, teams)) return { handed: noneHanded, deliveries: [] };
  const { alertId, code, message, deviceId, groupId, severity, priority, timestamp } = alert;
  const about = { key: alertId, about: 'alert', severity, priority, code, startedAt: timestamp } as const;
  const where = { deviceId, groupId, site: alert.site ?? null, path: `alerts/${alertId}` };
  const title = `${placeAndName(alert)}: ${catalogue[code].title}`;
  return handedOver({ life: alert, event: { ...about, ...where, title, text: message }, alertId }, teams, at);
}

/** What hand-offs are told of an incident. */
export function incidentHandedOver(incident: IncidentRecord, teams: Teams, at: Instant): HandedOver {
  if (!isHandedAnywhere(incident, teams)) return { handed: noneHanded, deliveries: [] };
  const { incidentId, kind, title, message, groups, scope, severity, priority, timestamp } = incident;
  const about = { key: incidentId, about: 'incident', severity, priority, code: kind, startedAt: timestamp } as const;
  const site = scope.kind === 'site' ? scope.id : null;
  const groupId = groups.length === 1 ? (groups[0] ?? null) : '*';
  const where = { deviceId: null, groupId, site, path: `incidents/${incidentId}` };
  return handedOver({ life: incident, event: { ...about, ...where, title, text: message }, alertId: null }, teams, at);
}

function isHandedAnywhere({ handed }: Life, teams: Teams): boolean {
  if (handed && handed.length > 0) return true;
  for (const { handoffs } of teams.values()) if (handoffs && handoffs.length > 0) return true;
  return false;
}

function handedOver({ life, event, alertId }: Matter, teams: Teams, at: Instant): HandedOver {
  const { handed = [], version } = life;
  const result = { handed: [...handed], deliveries: [] as Delivery[] };
  for (const team of teams.values()) {
    for (const handoff of team.handoffs ?? []) {
      const last = handed.find(({ handoffId }) => handoffId === handoff.handoffId) ?? null;
      let behind = last?.deliveryId ?? null;
      for (const action of actionsFor(handoff, team.name, life, last)) {
        const delivery = handoffDelivery(
          { team: team.name, handoff },
          { ...event, action, at },
          { version, behind, alertId },
        );
        behind = delivery.deliveryId;
        const told = { handoffId: handoff.handoffId, action, deliveryId: behind };
        result.handed = [...result.handed.filter((each) => each.handoffId !== handoff.handoffId), told];
        result.deliveries.push(delivery);
      }
    }
  }
  return result.deliveries.length > 0 ? result : { handed, deliveries: [] };
}

/** What a hand-off must be told, by what it was told last. Each state is told once, whatever leads to it. */
function actionsFor(handoff: HandoffRecord, team: string, life: Life, last: Handed | null): HandoffAction[] {
  const isOpenThere = last !== null && last.action !== 'resolve';
  const isOpenHere = life.isOpen && !life.isFolded && (isOpenThere || isNews(handoff, team, life));
  if (!isOpenHere) return isOpenThere ? ['resolve'] : [];
  const isTaken = life.status === 'acknowledged' && handoffTable[handoff.kind].acknowledges;
  if (!isOpenThere) return isTaken ? ['trigger', 'acknowledge'] : ['trigger'];
  if (isTaken) return last.action === 'acknowledge' ? [] : ['acknowledge'];
  return last.action === 'acknowledge' ? ['trigger'] : [];
}

/**
 * Whether something begins for a hand-off. Those of `operations` get all of their severities, as machines heed no rule but one that suppresses;
 * those of another team what a rule gives it, and what is escalated to it. Quiet hours and the budgets of people are not for machines.
 */
function isNews({ severities }: HandoffRecord, team: string, life: Life): boolean {
  const isHeard = life.announcedAt !== null && life.notifyAfter === null && !life.maintenanceUntil;
  const isTheirs = team === operationsTeam || team === life.notifiedTeam || team === life.team;
  return isHeard && isTheirs && life.channelsBy !== 'suppressed' && severities.includes(life.severity);
}

type Receiver = { team: string; handoff: HandoffRecord };

/** One telling of one hand-off. The same change gives the same delivery. */
export function handoffDelivery(
  { team, handoff: { handoffId, kind, name } }: Receiver,
  event: HandoffEvent,
  { version, behind, alertId }: { version: number; behind: string | null; alertId: string | null },
): Delivery {
  const { key, about, action, at, deviceId, groupId } = event;
  const eventId = `${key}:${version}:${action}`;
  const order: HandoffOrder = {
    about,
    key,
    action,
    behind,
    isRepeated: handoffTable[kind].repeats && action === 'trigger' && about !== 'test',
  };
  return newDelivery(
    {
      deliveryId: uuidv5(JSON.stringify([handoffId, eventId]), namespace),
      channel: 'handoff',
      target: { kind: 'handoff', team, handoffId },
      targetName: `${team}: ${name}`,
      eventType: about,
      eventId,
      alertId,
      deviceId,
      groupId,
      body: JSON.stringify(event),
      handoff: order,
      maxAttempts: about === 'test' ? 1 : maxAttempts,
    },
    at,
  );
}
