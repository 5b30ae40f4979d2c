import { v5 as uuidv5 } from 'uuid';
import { type HandoffAction, handoffTable } from '../../schema/settings/handoff-kinds.ts';
import type { AlertRecord, Life } from '../alert/alert.ts';
import { titleOf } from '../alert/catalogue.ts';
import { type Delivery, type HandoffOrder, newDelivery } from '../delivery/delivery.ts';
import type { Handed, HandoffEvent, HandoffRecord } from '../delivery/handoff.ts';
import { refusalsOf } from '../delivery/webhook-filter.ts';
import { everybody } from '../event/event.ts';
import type { EventFacts } from '../event/facts.ts';
import { type IncidentRecord, isPartOver, toWireIncident } from '../incident/incident.ts';
import { placeAndName } from '../messages/content.ts';
import type { Configuration } from '../notify/configuration.ts';
import type { ScheduleSettings } from '../settings/schedules.ts';
import { operationsTeam } from '../settings/settings.ts';
import type { Instant } from '../time.ts';

/** What a hand-off may be sent: an alert or an incident, or the part of it that concerns its groups, as it is after a change. */
type Matter = {
  life: Life;
  event: Omit<HandoffEvent, 'action' | 'at'>;
  alertId: string | null;
  facts: Omit<EventFacts, 'at'>;
};

/** The effect of a change on hand-offs: the last event of each, and the new deliveries. */
type HandedOver = { handed: readonly Handed[]; deliveries: Delivery[] };

/** The number of attempts in the contract's schedule. */
const maxAttempts = 5;
const namespace = '4f0c1c60-70a1-5f0e-9d2c-0a6a1c3b9e55';

type Receivers = Pick<Configuration, 'teams'> & { settings: ScheduleSettings };

/** The events of an alert for hand-offs. Of a member of an incident, only the incident is sent. */
export function alertHandedOver(alert: AlertRecord, receivers: Receivers, at: Instant): HandedOver {
  const { alertId, code, message, deviceId, groupId, severity, priority, timestamp } = alert;
  const about = { key: alertId, about: 'alert', severity, priority, code, startedAt: timestamp } as const;
  const where = { deviceId, groupId, site: alert.site ?? null, path: `alerts/${alertId}` };
  const title = `${placeAndName(alert)}: ${titleOf(code)}`;
  const { site = null, tags, category } = alert;
  const facts = { deviceId, groupId, site, tags, severity, code, category };
  const event = { ...about, ...where, title, text: message };
  return handedOver(alert, () => ({ life: alert, event, alertId, facts }), receivers, at);
}

/** The events of an incident for hand-offs. One that takes some of its groups only gets their part: it ends with the last of them. */
export function incidentHandedOver(incident: IncidentRecord, receivers: Receivers, at: Instant): HandedOver {
  return handedOver(incident, (filter) => partFor(incident, filter), receivers, at);
}

function partFor(incident: IncidentRecord, filter: HandoffRecord['filter'] | null): Matter {
  const view = filter?.groups?.length ? filter.groups : null;
  const { incidentId, kind, title, message, groups, scope, severity, priority, startedAt } = toWireIncident(
    incident,
    view,
  );
  const about = { key: incidentId, about: 'incident', severity, priority, code: kind, startedAt } as const;
  const site = scope.kind === 'site' ? scope.id : null;
  const groupId = groups.length === 1 ? (groups[0] ?? null) : '*';
  const where = { deviceId: null, groupId, site, path: `incidents/${incidentId}` };
  const compared = {
    deviceId: '',
    groupId: groups[0] ?? everybody,
    kind,
    severity,
    ...(site === null ? {} : { site }),
  };
  const life = { ...incident, isOpen: incident.isOpen && !isPartOver(incident, view) };
  return { life, event: { ...about, ...where, title, text: message }, alertId: null, facts: compared };
}

function handedOver(
  { handed = [], version }: Life,
  matterFor: (filter: HandoffRecord['filter'] | null) => Matter,
  { teams, settings }: Receivers,
  at: Instant,
): HandedOver {
  const result = { handed: [...handed], deliveries: [] as Delivery[] };
  for (const team of teams.values()) {
    for (const handoff of team.handoffs) {
      const { filter = null } = handoff;
      const { life, event, alertId, facts } = matterFor(filter);
      const isChosen = refusalsOf(filter, { ...facts, at }, settings).length === 0;
      const last = handed.find(({ handoffId }) => handoffId === handoff.handoffId) ?? null;
      let behind = last?.deliveryId ?? null;
      for (const action of actionsFor(handoff, team.name, life, { last, isChosen })) {
        const delivery = handoffDelivery(
          { team: team.name, handoff },
          { ...event, action, at },
          { version, behind, alertId },
        );
        const marked = { handoffId: handoff.handoffId, action, deliveryId: delivery.deliveryId, behind };
        behind = delivery.deliveryId;
        result.handed = [...result.handed.filter((each) => each.handoffId !== handoff.handoffId), marked];
        result.deliveries.push(delivery);
      }
    }
  }
  return result;
}

/** The events that a hand-off must get, given the last one that it got. Each state is sent once, whichever change led to it. */
function actionsFor(
  handoff: HandoffRecord,
  team: string,
  life: Life,
  { last, isChosen }: { last: Handed | null; isChosen: boolean },
): HandoffAction[] {
  const isOpenThere = last !== null && last.action !== 'resolve';
  const isOpenHere = life.isOpen && !life.isMember && (isOpenThere || (isChosen && isNews(handoff, team, life)));
  if (!isOpenHere) return isOpenThere ? ['resolve'] : [];
  const isTaken = life.status === 'acknowledged' && handoffTable[handoff.kind].acknowledges;
  if (!isOpenThere) return isTaken ? ['trigger', 'acknowledge'] : ['trigger'];
  if (isTaken) return last.action === 'acknowledge' ? [] : ['acknowledge'];
  return last.action === 'acknowledge' ? ['trigger'] : [];
}

/**
 * Whether an alert or incident is sent to a hand-off that does not have it open: not to a paused one, not before it was announced, and not during a
 * maintenance window. A hand-off of `operations` gets all its severities, because for machines only a suppressing rule counts. A hand-off of another
 * team gets what a rule assigns to the team and what is escalated to it. Quiet hours and the budgets of people do not apply to machines.
 */
function isNews({ severities, isPaused = false }: HandoffRecord, team: string, life: Life): boolean {
  const isHeard = life.announcedAt !== null && life.notifyAfter === null && !life.awaitsLook && !life.maintenanceUntil;
  const isTheirs = team === operationsTeam || team === life.notifiedTeam || team === life.team;
  return !isPaused && isHeard && isTheirs && life.channelsBy !== 'suppressed' && severities.includes(life.severity);
}

type Receiver = { team: string; handoff: HandoffRecord };

/** One event for one hand-off. The same change gives the same delivery. */
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
