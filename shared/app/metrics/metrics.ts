import { type ChannelFailures, failuresOf } from '../../domain/delivery/channel-health.ts';
import { reasonToWait } from '../../domain/delivery/webhook.ts';
import { concerns } from '../../domain/incident/incident.ts';
import type { Family, Sample } from '../../domain/metrics/exposition.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { peopleChannels } from '../../schema/channels.ts';
import {
  alertCatalogue,
  alertCodes,
  incidentKinds,
  quarantineReasons,
  sightStates,
  wayNames,
} from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { isServed, toldEndpoints } from '../deliveries/endpoint-failures.ts';
import { type Cache, createKept } from '../paging/paging.ts';
import type { World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { viewSight } from '../sight/sight.ts';
import { endedOf, longDays, type OutcomeCounts } from '../webhooks/ended.ts';
import { isWithinReach } from '../writes/may-write.ts';
import { type GroupFilter, lastHourSamples, oldestPendingSeconds, waitingSamples } from './deliveries.ts';
import { deviceSamples, groupsOfFleet, mostGroups } from './devices.ts';

/** How long the metrics of a view are cached, milliseconds. */
const freshMs = 30_000;
/** Groups change rarely, and counting 28 days of deliveries is expensive, so these are cached longer. */
const groupsMs = 10 * 60_000;
const endedMs = 60 * 60_000;
/** A view is the set of groups that a bearer is limited to. */
const mostViews = 50;
const mostEndpoints = 1000;
/** Maximum number of open incidents that are counted, newest first. */
const maxIncidents = 200;

type Memory = { views: Cache<Family[]>; groups: Cache<string[]>; ended: Cache<OutcomeCounts> };

/** Reads the metrics of the bearer's groups, at most once in 30 seconds for each set of groups. */
export type Metrics = (world: World, bearer: Bearer) => Promise<Family[]>;

export function createMetrics(): Metrics {
  const memory: Memory = {
    views: createKept(freshMs, mostViews),
    groups: createKept(groupsMs, 1),
    ended: createKept(endedMs, mostEndpoints),
  };
  return (world, { groups }) => {
    const view = JSON.stringify(groups?.toSorted() ?? null);
    return memory.views(view, world.now(), () => readMetrics(world, groups, memory));
  };
}

async function readMetrics(world: World, groups: Bearer['groups'], memory: Memory): Promise<Family[]> {
  const filter: GroupFilter = groups === null ? [] : [{ field: 'groupId', is: 'in', value: groups }];
  const families = await Promise.all([
    devicesOf(world, groups, memory).then((samples): Family[] => [{ name: 'watchpost_devices', samples }]),
    alertsOf(world, filter),
    incidentsOf(world, groups),
    deliveriesOf(world, filter),
    channelsOf(world, groups),
    sightOf(world),
    groups === null ? quarantineOf(world) : [],
    endpointsOf(world, groups, memory),
  ]);
  return families.flat();
}

async function devicesOf(world: World, groups: Bearer['groups'], memory: Memory): Promise<Sample[]> {
  if (groups !== null) return deviceSamples(world, groups.toSorted().slice(0, mostGroups), true);
  const known = await memory.groups('fleet', world.now(), () => groupsOfFleet(world));
  return deviceSamples(world, known, false);
}

async function alertsOf({ store }: World, filter: GroupFilter): Promise<Family[]> {
  const samples = alertCodes.map(async (code) => ({
    labels: { severity: alertCatalogue[code].severity, code },
    value: await store.count({
      in: 'alerts',
      where: [...filter, { field: 'isOpen', is: '==', value: true }, { field: 'code', is: '==', value: code }],
    }),
  }));
  return [{ name: 'watchpost_alerts_open', samples: await Promise.all(samples) }];
}

async function incidentsOf({ store }: World, groups: Bearer['groups']): Promise<Family[]> {
  const found = await store.find({
    in: 'incidents',
    where: [{ field: 'isOpen', is: '==', value: true }],
    orderBy: [['timestamp', 'desc']],
    limit: maxIncidents,
  });
  const own = found.filter(({ data }) => concerns(data, groups));
  const samples = incidentKinds.map((kind) => ({
    labels: { kind },
    value: own.filter(({ data }) => data.kind === kind).length,
  }));
  return [{ name: 'watchpost_incidents_open', samples }];
}

async function deliveriesOf(world: World, filter: GroupFilter): Promise<Family[]> {
  const [lastHour, waiting, seconds] = await Promise.all([
    lastHourSamples(world, filter),
    waitingSamples(world, filter),
    oldestPendingSeconds(world, filter),
  ]);
  return [
    { name: 'watchpost_deliveries_last_hour', samples: lastHour },
    { name: 'watchpost_deliveries_waiting', samples: waiting },
    { name: 'watchpost_delivery_oldest_pending_age_seconds', samples: [{ labels: {}, value: seconds }] },
  ];
}

async function channelsOf(world: World, groups: Bearer['groups']): Promise<Family[]> {
  const stored = await world.store.get('channelHealth', peopleChannels);
  const failures = new Map(stored.flatMap((each) => (each ? [[each.id, failuresOf(each.data, world.now())]] : [])));
  const sampled = (value: (of: ChannelFailures | null) => number) =>
    peopleChannels.map((channel): Sample => ({ labels: { channel }, value: value(failures.get(channel) ?? null) }));
  return [
    { name: 'watchpost_channel_failing', samples: sampled((of) => (of?.isFailing ? 1 : 0)) },
    ...(groups === null
      ? [{ name: 'watchpost_channel_failing_receivers' as const, samples: sampled((of) => of?.receivers.length ?? 0) }]
      : []),
  ];
}

/** How well the platform sees. A path that no sweep has judged yet has no age. */
async function sightOf(world: World): Promise<Family[]> {
  const { state, record } = await viewSight(world);
  const now = world.now();
  const aged = (at: (way: (typeof wayNames)[number]) => Instant | null | undefined) =>
    wayNames.flatMap((way): Sample[] => {
      const from = at(way);
      return from ? [{ labels: { way }, value: Math.max(0, msBetween(from, now) / 1000) }] : [];
    });
  return [
    {
      name: 'watchpost_sight',
      samples: sightStates.map((each) => ({ labels: { state: each }, value: each === state ? 1 : 0 })),
    },
    { name: 'watchpost_ingest_lag_seconds', samples: aged((way) => record?.ways[way].horizonAt) },
    { name: 'watchpost_canary_age_seconds', samples: aged((way) => record?.ways[way].lastHandledAt) },
  ];
}

async function quarantineOf({ store }: World): Promise<Family[]> {
  const samples = quarantineReasons.map(async (reason) => ({
    labels: { reason },
    value: await store.count({
      in: 'quarantine',
      where: [
        { field: 'status', is: '==', value: 'quarantined' },
        { field: 'reason', is: '==', value: reason },
      ],
    }),
  }));
  return [{ name: 'watchpost_quarantine_messages', samples: await Promise.all(samples) }];
}

async function endpointsOf(world: World, groups: Bearer['groups'], { ended }: Memory): Promise<Family[]> {
  const { webhooks } = await loadConfiguration(world);
  const visible = webhooks.filter((webhook) => isWithinReach({ groups }, 'webhooks', webhook));
  const told = await toldEndpoints(world);
  const counts = new Map<string, OutcomeCounts>();
  const now = world.now();
  await sideBySide(visible, async ({ webhookId }) => {
    counts.set(webhookId, await ended(webhookId, now, () => endedOf(world, webhookId, longDays)));
  });
  const rows = visible.map((webhook) => ({
    webhook,
    endpoint: webhook.webhookId,
    ...(counts.get(webhook.webhookId) ?? { delivered: 0, failed: 0 }),
  }));
  return [
    {
      name: 'watchpost_endpoint_enabled',
      samples: rows.map(({ webhook, endpoint }) => ({ labels: { endpoint }, value: reasonToWait(webhook) ? 0 : 1 })),
    },
    {
      name: 'watchpost_endpoint_failing',
      samples: rows.map(({ webhook, endpoint }) => ({
        labels: { endpoint },
        value: told.has(endpoint) && isServed(webhook) ? 1 : 0,
      })),
    },
    {
      name: 'watchpost_endpoint_deliveries',
      samples: rows.flatMap(({ endpoint, delivered, failed }) => [
        { labels: { endpoint, outcome: 'delivered' }, value: delivered },
        { labels: { endpoint, outcome: 'failed' }, value: failed },
      ]),
    },
    {
      name: 'watchpost_endpoint_success_ratio',
      samples: rows.flatMap(({ endpoint, delivered, failed }) =>
        delivered + failed > 0 ? [{ labels: { endpoint }, value: delivered / (delivered + failed) }] : [],
      ),
    },
  ];
}
