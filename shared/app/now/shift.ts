import type { IncidentRecord } from '../../domain/incident/incident.ts';
import { isSpent, slotFreeAt } from '../../domain/notify/target.ts';
import { inOrderOfShift, itemOfAlert, itemOfIncident } from '../../domain/now/shift.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import { mostShiftItems, type Shift, type ShiftQuery } from '../../schema/fleet/shift.ts';
import { askedInstant } from '../asked-time.ts';
import type { Bearer } from '../bearer.ts';
import { failingChannels } from '../deliveries/channel-failures.ts';
import { failingEndpoints } from '../deliveries/endpoint-failures.ts';
import type { Filter, World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';
import { onCallIn } from '../settings/on-call.ts';
import { openIncidents } from './read.ts';

/** Phones whose budget one sheet looks at. */
const mostPhones = 200;
/** Teams whose rotations one sheet shows. */
const mostTeams = 200;
/** Whoever writes the sheet a little late still asks for the hand-over itself. */
const lateMs = 60 * 60_000;
const aheadMs = 366 * 24 * 60 * 60_000;

/**
 * The sheet of a hand-over at an instant: what is open now in the bearer's groups.
 * @throws AppError `invalid-request` for an instant that is over: what was open then is in the trails
 */
export async function getShift(world: World, bearer: Bearer, { at: asked }: ShiftQuery): Promise<Shift> {
  const now = world.now();
  const at = asked === undefined ? now : handoverAt(asked, now);
  const { groups } = bearer;
  const [alerts, incidents, heldBack, channels, endpoints, onCall] = await Promise.all([
    openAlerts(world, groups),
    openIncidents(world, groups),
    groups === null ? budgetsUsedUp(world, now) : null,
    failingChannels(world, bearer),
    failingEndpoints(world, bearer),
    bearer.scopes.has('settings:read') ? onCallAt(world, at) : null,
  ]);
  const items = [
    ...incidents.filter(needsSheet).map((incident) => itemOfIncident(incident, groups, now)),
    ...alerts.found.map(({ data }) => itemOfAlert(data, now)),
  ];
  return {
    at,
    generatedAt: now,
    items: inOrderOfShift(items),
    rest: alerts.rest,
    heldBack,
    channels,
    endpoints,
    onCall,
  };
}

function handoverAt(asked: string, now: Instant): Instant {
  const at = askedInstant(asked, '?at');
  if (plus(now, -lateMs) <= at && at <= plus(now, aheadMs)) return at;
  const detail = 'must be at most an hour ago and at most a year ahead: the sheet shows what is open now';
  throw new AppError('invalid-request', 'The query is not valid.', { errors: [{ pointer: '?at', detail }] });
}

/** Open alerts that no incident speaks for, the most urgent first, and the number of others. */
async function openAlerts({ store }: World, groups: Bearer['groups']) {
  if (groups?.length === 0) return { found: [], rest: 0 };
  const where: Filter<'alerts'>[] = [
    { field: 'isOpen', is: '==', value: true },
    { field: 'isMember', is: '==', value: false },
    ...(groups ? [{ field: 'groupId', is: 'in', value: groups } as const] : []),
  ];
  const found = await store.find({ in: 'alerts', where, orderBy: [['urgency', 'asc']], limit: mostShiftItems });
  const total = found.length < mostShiftItems ? found.length : await store.count({ in: 'alerts', where });
  return { found, rest: Math.max(0, total - found.length) };
}

function needsSheet({ joinedTo, severity }: IncidentRecord): boolean {
  return joinedTo === null && severity !== 'INFO';
}

async function budgetsUsedUp({ store, waits }: World, now: Instant): Promise<NonNullable<Shift['heldBack']>> {
  const where: Filter<'targets'>[] = [{ field: 'channel', is: '==', value: 'sms' }];
  const phones = await store.find({ in: 'targets', where, limit: mostPhones });
  return phones.flatMap(({ data }) => {
    if (!isSpent(data, data, now, waits)) return [];
    const asking = { channel: data.channel, use: 'digest', isUrgent: false, deviceId: null } as const;
    return { channel: 'sms', target: data.targetName, until: slotFreeAt(data, asking, now, waits) };
  });
}

async function onCallAt(world: World, at: Instant): Promise<NonNullable<Shift['onCall']>> {
  const { teams } = await recentConfiguration(world);
  const turning = [...teams.values()].filter(({ rotations = [] }) => rotations.length > 0);
  return turning.slice(0, mostTeams).map((team) => onCallIn(team, at));
}
