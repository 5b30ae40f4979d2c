import { expect, test } from 'vitest';
import { seedAlert, toWireAlert } from '../../../../shared/domain/alert/alert.ts';
import type { Publication } from '../../../../shared/domain/delivery/delivery.ts';
import type { Webhook } from '../../../../shared/domain/delivery/webhook.ts';
import {
  incidentPublicationOf,
  publicationOf,
  type WebhookEvent,
} from '../../../../shared/domain/delivery/webhook-events.ts';
import {
  alertCodes,
  alertEventChanges,
  categories,
  guardianAlertCodes,
  incidentEventChanges,
  incidentKinds,
  severities,
} from '../../../../shared/schema/vocabulary.ts';
import type { WebhookFilter } from '../../../../shared/schema/webhook/webhook.ts';
import { uuidOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { createRandom, type Random } from '../../../support/world/random.ts';

const settings = {
  timeZone: 'UTC',
  businessHours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'] as const, from: '08:00', to: '18:00' }],
  schedules: {},
} as never;
const groups = ['north', 'south', 'east'];
const sites = ['gate', 'yard', null];
const devices = ['cam-1', 'cam-2', 'cam-3'];
type Camera = { site: string | null; tags: Record<string, string> };

/** The sentences of docs/webhooks.md on filters, read over the bytes that are sent and the record of the camera. */
function isChosen(filter: WebhookFilter, body: string, camera: Camera): boolean {
  const event = JSON.parse(body);
  const { alert, incident, guardianAlert } = event;
  const named = <T>(asked: readonly T[] | undefined, values: readonly T[]) =>
    !asked || asked.length === 0 || values.some((value) => asked.includes(value));
  const concerned = incident ? incident.groups : [alert ? alert.groupId : camera['groupId' as never]];
  if (!named(filter.groups, concerned)) return false;
  if (!named(filter.devices, incident ? [] : [alert ? alert.deviceId : event.deviceId])) return false;
  const severity = alert?.severity ?? incident?.severity ?? guardianAlert.severity.toUpperCase();
  const isKnown = ['CRITICAL', 'ERROR', 'WARNING', 'INFO'].includes(severity);
  if (isKnown && !named(filter.severities, [severity])) return false;
  if (incident && !named(filter.kinds, [incident.kind])) return false;
  if (!guardianAlert && !named(filter.changes, [event.change])) return false;
  const code = alert?.code ?? guardianAlert?.alertCode;
  const beginnings = (filter.codes ?? []).map((text) => text.split('*')[0] ?? '');
  const fits = (text: string, index: number) =>
    filter.codes?.[index]?.endsWith('*') ? code.startsWith(text) : code === text;
  if (code && beginnings.length > 0 && !beginnings.some(fits)) return false;
  if (!incident && !named(filter.categories, [alert?.category ?? 'configuration'])) return false;
  if (incident) {
    if (incident.scope.kind === 'site' && !named(filter.sites, [incident.scope.id])) return false;
  } else {
    if (!named(filter.sites, [camera.site])) return false;
    for (const [key, values] of Object.entries(filter.tags ?? {})) {
      if (!values.includes(camera.tags[key] ?? '\0')) return false;
    }
  }
  const hour = new Date(event.timestamp).getUTCHours();
  const isWork = ![0, 6].includes(new Date(event.timestamp).getUTCDay()) && hour >= 8 && hour < 18;
  if (filter.schedule === 'business_hours') return isWork;
  return filter.schedule !== 'outside_business_hours' || !isWork;
}

const some = <T>(random: Random, values: readonly T[]) => values.filter(() => random.chance(0.5));

function filterOf(random: Random): WebhookFilter {
  const members: Record<string, () => unknown> = {
    groups: () => some(random, groups),
    devices: () => some(random, devices),
    sites: () => some(random, ['gate', 'yard']),
    severities: () => some(random, severities),
    codes: () => some(random, [...alertCodes, ...guardianAlertCodes, 'CONN_*', 'SEC_00*', 'RES_*']),
    categories: () => some(random, categories),
    changes: () => some(random, incidentEventChanges),
    kinds: () => some(random, incidentKinds),
    tags: () => ({ [random.pick(['wing', 'floor'])]: [random.pick(['a', 'b']), random.pick(['1', '2'])] }),
    schedule: () => random.pick(['always', 'business_hours', 'outside_business_hours']),
  };
  const given = Object.entries(members).filter(() => random.chance(0.25));
  return Object.fromEntries(given.map(([name, make]) => [name, make()])) as WebhookFilter;
}

function eventOf(random: Random, webhooks: Webhook[], n: number): { published: Publication; camera: Camera } {
  const at = new Date(Date.UTC(2026, 10, 1) + random.below(14 * 24 * 60) * 60_000).toISOString();
  const [deviceId, groupId] = [random.pick(devices), random.pick(groups)];
  const tags: Record<string, string> = {
    ...(random.chance(0.7) ? { wing: random.pick(['a', 'b']) } : {}),
    ...(random.chance(0.7) ? { floor: random.pick(['1', '2']) } : {}),
  };
  const camera = { site: random.pick(sites), tags, groupId };
  const configuration = { webhooks, settings };
  const kind = random.pick(['alert', 'guardian', 'incident']);
  if (kind === 'incident') {
    const scope = random.chance(0.6) ? { kind: 'site', id: 'gate' } : { kind: 'uplink', id: 'u-1' };
    const about = { kind: random.pick(incidentKinds), severity: random.pick(severities) };
    const own = random.chance(0.3) ? ['*'] : [groupId];
    const incident = { ...about, groups: own, scope };
    const site = scope.kind === 'site' ? scope.id : null;
    const change = random.pick(incidentEventChanges);
    const parts = { ended: [], opened: [], reopened: [], over: [] };
    const event = { ...about, site, change, incidentId: `i-${n}`, groups: own, version: 1, members: [], parts, at };
    const published = incidentPublicationOf({ ...event, shownTo: () => incident as never }, configuration);
    return { published, camera };
  }
  if (kind === 'guardian') {
    const alertCode = random.pick(guardianAlertCodes);
    const severity = random.pick(['warning', 'info', 'critical', 'odd']);
    const text = JSON.stringify({ alertCode, severity });
    const said = { guardianAlertId: `g-${n}`, alertCode, severity, deviceId, groupId, camera, at, text };
    return { published: publicationOf({ kind, ...said }, configuration, at), camera };
  }
  const seed = { alertId: uuidOf(n), deviceId, groupId, message: '', context: {}, site: camera.site };
  const alert = toWireAlert(seedAlert({ ...seed, code: random.pick(alertCodes) }, at));
  const changed = { change: random.pick(alertEventChanges), alert, tags, version: 1, member: 'none', at } as const;
  const event: WebhookEvent = { kind: 'alert', ...changed };
  return { published: publicationOf(event, configuration, at), camera };
}

test('an endpoint gets exactly the events that an independent reading of its filter chooses, of 10,000', () => {
  const random = createRandom(46);
  const events: Webhook['events'] = ['alert', 'guardian', 'incident'];
  let [chosen, refused] = [0, 0];
  for (let n = 1; n <= 10_000; n += 1) {
    const filter = filterOf(random);
    const webhook = endpoint({ webhookId: uuidOf(1), events, filter });
    const { published, camera } = eventOf(random, [webhook], n);
    const isSent = published.deliveries.length > 0;
    const body = published.events.find(({ topics }) => topics.length > 0)?.body ?? '';
    if (isChosen(filter, body, camera) !== isSent) expect({ filter, body, camera, isSent }).toBe('read alike');
    if (isSent) chosen += 1;
    else refused += 1;
  }
  expect(Math.min(chosen, refused)).toBeGreaterThan(2000);
});
