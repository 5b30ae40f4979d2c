import { expect, test } from 'vitest';
import { type IncidentEvent, incidentPublicationOf } from '../../../../shared/domain/delivery/webhook-events.ts';
import { topicsFor } from '../../../../shared/domain/event/event.ts';
import { retention } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { startOfTests as at } from '../../../support/world/world.ts';

const settings = { timeZone: 'UTC', businessHours: [], schedules: {} };
const webhookId = (n: number) => `22222222-2222-4222-8222-${String(n).padStart(12, '0')}`;
const members = [
  { deviceId: 'cam-n', alertId: 'a-n', groupId: 'north' },
  { deviceId: 'cam-s', alertId: 'a-s', groupId: 'south' },
];

const parts = { ended: [], opened: [], reopened: [], over: [] };
function event(groups: string[]): IncidentEvent {
  const shownTo = (view: readonly string[] | null) =>
    ({ groups: view ? groups.filter((group) => view.includes(group)) : groups }) as never;
  const about = { incidentId: 'i-1', kind: 'outage', severity: 'CRITICAL', site: null } as const;
  return { ...about, change: 'opened', groups, version: 2, members, parts, at, shownTo };
}
const shown = (body: string) => {
  const { incident, members: named } = JSON.parse(body);
  return [incident.groups, named.map(({ deviceId }: { deviceId: string }) => deviceId)];
};

test('an incident of several groups is one event for each of them and one for who sees all', () => {
  const { events } = incidentPublicationOf(event(['north', 'south']), { webhooks: [], settings });
  const seenBy = (groups: readonly string[] | null) => {
    const topics = new Set(topicsFor(groups, null));
    return events.filter((each) => each.topics.some((topic) => topics.has(topic))).map(({ body }) => shown(body));
  };
  expect(seenBy(null)).toEqual([
    [
      ['north', 'south'],
      ['cam-n', 'cam-s'],
    ],
  ]);
  expect(seenBy(['north'])).toEqual([[['north'], ['cam-n']]]);
  expect(seenBy(['north', 'south'])).toEqual([
    [['north'], ['cam-n']],
    [['south'], ['cam-s']],
  ]);
  expect(seenBy(['west'])).toEqual([]);
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
  expect(new Set(events.map(({ recordId }) => recordId)).size).toBe(3);
  expect(events.map(({ expireAt }) => expireAt)).toEqual(events.map(() => plus(at, retention.feed)));
});

test('an incident of one group is one event, and one of the platform is for who sees all', () => {
  const [one, ...more] = incidentPublicationOf(event(['north']), { webhooks: [], settings }).events;
  expect([one?.topics, more]).toEqual([
    [...topicsFor(null, ['', 'incident']), ...topicsFor(['north'], ['', 'incident'])],
    [],
  ]);
  const [platform] = incidentPublicationOf(event(['*']), { webhooks: [], settings }).events;
  expect(platform?.topics).toEqual(topicsFor(null, ['', 'incident']));
  expect(topicsFor(['*'], null)).toEqual([]);
});

test('endpoints refer to the event that has their bytes; a form that no reader gets is stored once for all who want it', () => {
  const limited = (n: number, groups?: string[]) =>
    endpoint({ webhookId: webhookId(n), events: ['incident'], filter: groups ? { groups } : null });
  const webhooks = [
    limited(1),
    limited(2, ['north']),
    limited(3, ['north', 'south']),
    limited(4, ['south', 'north', 'west']),
    limited(5, ['west']),
  ];
  const { events, deliveries } = incidentPublicationOf(event(['north', 'south', 'east']), { webhooks, settings });
  const byId = new Map(events.map((each) => [each.recordId, each]));
  const sent = deliveries.map((each) => [each.webhookId, each.body, shown(byId.get(each.recordId ?? '')?.body ?? '')]);
  expect(sent).toEqual([
    [
      webhookId(1),
      '',
      [
        ['north', 'south', 'east'],
        ['cam-n', 'cam-s'],
      ],
    ],
    [webhookId(2), '', [['north'], ['cam-n']]],
    [
      webhookId(3),
      '',
      [
        ['north', 'south'],
        ['cam-n', 'cam-s'],
      ],
    ],
    [
      webhookId(4),
      '',
      [
        ['north', 'south'],
        ['cam-n', 'cam-s'],
      ],
    ],
  ]);
  const unlisted = events.filter(({ topics }) => topics.length === 0);
  expect(unlisted.map(({ recordId }) => recordId)).toEqual([deliveries[2]?.recordId]);
  expect(deliveries[3]?.recordId).toBe(deliveries[2]?.recordId);
  expect(unlisted[0]?.expireAt).toBe(plus(at, retention.delivery));
});

test('a delivery about one group is seen by those who see it, and one about several by all', () => {
  const groupOf = (groups: string[], filter: { groups: string[] } | null = null) => {
    const webhooks = [endpoint({ webhookId: webhookId(1), events: ['incident'], filter })];
    return incidentPublicationOf(event(groups), { webhooks, settings }).deliveries[0]?.groupId;
  };
  expect(groupOf(['north'])).toBe('north');
  expect(groupOf(['north', 'south'])).toBe('*');
  expect(groupOf(['north', 'south'], { groups: ['south'] })).toBe('south');
});
