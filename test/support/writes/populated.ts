import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Kind, Records, World } from '../../../shared/app/ports.ts';
import { newDelivery } from '../../../shared/domain/delivery/delivery.ts';
import { type JobWork, newJob } from '../../../shared/domain/job/job.ts';
import { canaryIdOf } from '../../../shared/domain/sight/canary.ts';
import type { Scope } from '../../../shared/schema/scopes.ts';
import { openTestAlert, uuidOf } from '../records/alerts.ts';
import { giveIncident } from '../records/incidents.ts';
import { message } from '../records/reports.ts';
import { frames } from '../world/frames.ts';
import { startOfTests } from '../world/world.ts';

/** A caller of the tests. `groups` null: all of them. */
export type TestBearer = { name: string; groups: readonly string[] | null; without?: readonly Scope[] };

export const admin: TestBearer = { name: 'admin', groups: null };
export const north: TestBearer = { name: 'north', groups: ['north'] };
export const south: TestBearer = { name: 'south', groups: ['south'] };
export const both: TestBearer = { name: 'both', groups: ['north', 'south'] };

/** Ids of records by the path parameter that names them. */
export type Targets = Record<string, string[]>;
type Post = (path: string, body: object, bearer: TestBearer) => Promise<Record<string, string>>;

const recurrence = { weekdays: ['mon'], from: '01:00', to: '02:00' };
export const baseBodies = {
  window: { name: 'a window', scope: { groups: ['north'] }, recurrence },
  schedule: { name: 'a report', every: 'week', timeZone: 'UTC', groups: ['north'], emails: ['owner@example.com'] },
  endpoint: { url: 'https://localhost:65001/', filter: { groups: ['north'] }, events: ['alert'] },
  rule: { name: 'a rule', condition: { code: '*', group: ['north'] }, action: { priority: 'P1' } },
} as const;

/** Fills a world with records of every kind that calls of the API change: of each group, of both, and of all. */
export async function populate(world: World, post: Post): Promise<Targets> {
  const { window, schedule, endpoint, rule } = baseBodies;
  const { groups: _, ...reportOfAll } = schedule;
  const put = <K extends Kind>(kind: K, id: string, data: Records[K]) =>
    world.store.commit([{ kind: 'create', in: kind, id, data } as never]);
  const makers: [TestBearer, string[] | null][] = [
    [admin, ['north']],
    [admin, ['south']],
    [admin, null],
    [north, ['north']],
    [south, ['south']],
    [both, ['north']],
    [both, ['north', 'south']],
  ];
  const targets: Targets = { windowId: [], scheduleId: [], webhookId: [], ruleId: [], deviceId: [], alertId: [] };
  const add = (name: string, id: string | undefined) => targets[name]?.push(id ?? '');
  for (const [index, [maker, groups]] of makers.entries()) {
    const scope = groups ? { groups } : { codes: ['*'] };
    add('windowId', (await post('/v1/maintenance-windows', { ...window, scope }, maker))['windowId']);
    const report = { ...reportOfAll, name: `report ${index}`, ...(groups ? { groups } : {}) };
    add('scheduleId', (await post('/v1/reports/schedules', report, maker))['scheduleId']);
    const filter = groups ? { groups } : { devices: ['cam-north'] };
    add('webhookId', (await post('/v1/webhooks', { ...endpoint, filter }, maker))['webhookId']);
  }
  // Both see it, and only its limit keeps it from the other group.
  add('windowId', (await post('/v1/maintenance-windows', { ...window, scope: { codes: ['*'] } }, both))['windowId']);
  const [pending] = await world.store.get('webhooks', [targets['webhookId']?.[3] ?? '']);
  await put('webhooks', uuidOf(40), {
    ...(pending?.data as Records['webhooks']),
    webhookId: uuidOf(40),
    challenge: 'c',
  });
  add('webhookId', uuidOf(40));
  for (const group of ['north', 'south']) {
    const body = { ...rule, name: `rule of ${group}`, condition: { code: '*', group: [group] } };
    add('ruleId', (await post('/v1/rules', body, admin))['ruleId']);
  }
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  for (const [index, group] of ['north', 'south', 'unassigned'].entries()) {
    const deviceId = `cam-${group}`;
    await takeMessage(world, message('status', group === 'unassigned' ? {} : { groupId: group }, { deviceId }), intake);
    add('deviceId', deviceId);
    if (group === 'unassigned') continue;
    add('alertId', await openTestAlert(world, { deviceId, groupId: group, alertId: uuidOf(700 + index) }));
    await giveIncident(world, uuidOf(800 + index), group, `incident of ${group}`);
    for (const [more, channel] of ['webhook', 'email'].entries()) {
      const deliveryId = uuidOf(500 + 10 * index + more);
      const target =
        channel === 'webhook'
          ? { kind: 'webhook' as const, webhookId: targets['webhookId']?.[index === 0 ? 0 : 1] ?? '' }
          : { kind: 'email' as const, team: 'operations', address: 'ops@example.com' };
      const about = { eventType: 'alert', eventId: `${group} ${channel}`, alertId: null, deviceId, groupId: group };
      const seed = { ...about, deliveryId, target, targetName: channel, body: '{}', maxAttempts: 3 };
      const data = newDelivery({ ...seed, channel: channel as 'webhook' }, startOfTests, 'held for a person');
      await put('deliveries', deliveryId, data);
    }
  }
  await giveIncident(world, uuidOf(810), 'north', 'incident of both');
  const [shared] = await world.store.get('incidents', [uuidOf(810)]);
  if (shared) {
    const data = { ...shared.data, groups: ['north', 'south'] };
    await world.store.commit([{ kind: 'replace', in: 'incidents', id: uuidOf(810), data, revision: shared.revision }]);
  }
  const work: JobWork = {
    kind: 'act-on-alerts',
    filter: { status: ['open'] },
    groups: ['north'],
    command: { kind: 'resolve' },
  };
  const jobs: [JobWork, string][] = [
    [work, 'north'],
    [{ ...work, groups: null }, 'admin'],
    // He was a bearer of all groups when he started it.
    [{ ...work, groups: null }, 'north'],
    [{ kind: 'retry-quarantined', reasons: ['wrong-shape'], since: null, until: startOfTests }, 'admin'],
    [{ kind: 'erase', about: { kind: 'device', deviceId: 'cam-gone' } }, 'clerk'],
  ];
  for (const [index, [each, maker]] of jobs.entries()) {
    const jobId = uuidOf(900 + index);
    await put('jobs', jobId, newJob(jobId, each, 1, `user:${maker}`, startOfTests));
  }
  await takeMessage(world, message('status', { memory: 1 }, { messageId: 'bad-1' }), intake);
  const unknown = message('status', {}, { deviceId: 'cam-later', messageId: 'bad-2' });
  await takeMessage(world, unknown, { ...intake, autoRegister: false });
  const canary = { way: 'broker', n: 0 } as const;
  const bridge = { partition: 1, of: 2 };
  const platformId = canaryIdOf(canary, bridge);
  const times = { sentAt: startOfTests, handledAt: startOfTests };
  await put('platform', platformId, { ...canary, ...times, platformId, kind: 'canary', gap: null, bridge });
  return {
    ...targets,
    partition: ['1'],
    incidentId: [uuidOf(800), uuidOf(801), uuidOf(810)],
    deliveryId: [uuidOf(500), uuidOf(501), uuidOf(510), uuidOf(511)],
    jobId: jobs.map((_job, index) => uuidOf(900 + index)),
    reportId: ['bad-1', 'bad-2'],
    name: ['operations', 'night'],
    id: ['place-north', 'place-south'],
  };
}
