import { describe, expect, test } from 'vitest';
import { seedAlert, toWireAlert } from '../../../../shared/domain/alert/alert.ts';
import type { Webhook } from '../../../../shared/domain/delivery/webhook.ts';
import {
  type AlertMember,
  deliveryIdOf,
  detectionDeliveryIdOf,
  detectionIdOf,
  publicationOf,
  reasonToHold,
  type WebhookEvent,
  webhookDelivery,
} from '../../../../shared/domain/delivery/webhook-events.ts';
import { topicsFor } from '../../../../shared/domain/event/event.ts';
import { uuidOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { at } from '../../../support/world/timeline.ts';

const settings = { timeZone: 'UTC', businessHours: [], schedules: {} };
const now = at(60);
const all = ['detection', 'alert', 'guardian', 'audit'] as const;
const hook = (n: number, given: Partial<Webhook> = {}) =>
  endpoint({ webhookId: uuidOf(n), events: [...all], ...given });
const published = (event: WebhookEvent, ...webhooks: Webhook[]) => publicationOf(event, { webhooks, settings }, now);
const takers = (event: WebhookEvent, ...webhooks: Webhook[]) =>
  published(event, ...webhooks).deliveries.map(({ webhookId }) => Number(webhookId?.slice(-4)));

const seed = {
  alertId: 'a-1',
  deviceId: 'cam-1',
  groupId: 'north',
  code: 'CONN_001',
  message: 'Lost',
  context: {},
} as const;
const alert = toWireAlert(seedAlert(seed, at(0)));
const alertEvent = (member: AlertMember = 'none'): WebhookEvent => ({
  kind: 'alert',
  change: 'opened',
  alert,
  tags: {},
  version: 3,
  member,
  at: at(1),
});
const guardian: WebhookEvent = {
  kind: 'guardian',
  guardianAlertId: 'g-1',
  alertCode: 'CONFIG_DRIFT',
  severity: 'warning',
  camera: { site: null, tags: {} },
  deviceId: 'cam-1',
  groupId: 'north',
  at: at(1),
  text: '{"alertCode": "CONFIG_DRIFT"}',
};
const detection = {
  kind: 'detection',
  detection: {
    ...{
      eventType: 'detection',
      version: '1.2',
      timestamp: at(1),
      device: { id: 'cam-1', name: 'x', groupId: 'north' },
    },
    ...{ session: { id: 's-1', url: 'https://x.example.com' }, analysis: { objects: [], questions: [], summary: '' } },
  },
} as unknown as WebhookEvent;
const audit = (kind = 'devices') =>
  ({ kind: 'audit', at: at(1), entry: { entryId: 'e-1', resource: { kind, id: 'cam-9' } } }) as unknown as WebhookEvent;

describe('an event goes to the endpoints', () => {
  test('that subscribe to its kind and whose filter matches', () => {
    const [other, mine] = [{ filter: { groups: ['south'] } }, { filter: { groups: ['north'] } }];
    for (const event of [alertEvent(), guardian, detection]) {
      const hooks = [
        hook(1),
        hook(2, { events: [] }),
        hook(3, other),
        hook(4, mine),
        hook(5, { filter: { devices: ['cam-2'] } }),
      ];
      expect(takers(event, ...hooks), event.kind).toEqual([1, 4]);
    }
  });

  test('of members of incidents only to those that take members, and of a released member to the others', () => {
    const hooks = [hook(1), hook(2, { membersOfIncidents: true }), hook(3, { membersOfIncidents: false })];
    expect(takers(alertEvent('none'), ...hooks)).toEqual([1, 2, 3]);
    expect(takers(alertEvent('member'), ...hooks)).toEqual([1, 2]);
    expect(takers(alertEvent('left'), ...hooks)).toEqual([3]);
    expect(takers(guardian, ...hooks)).toEqual([1, 2, 3]);
  });

  test('of the audit to those made by unlimited bearers, whatever their filter', () => {
    const hooks = [
      hook(1),
      hook(2, { isMadeByLimited: true }),
      hook(3, { filter: { groups: ['south'] } }),
      hook(4, { events: ['alert'] }),
    ];
    expect(takers(audit(), ...hooks)).toEqual([1, 3]);
    // Endpoints of limited bearers still get every other event that passes their filter.
    expect(takers(guardian, hook(2, { isMadeByLimited: true }))).toEqual([2]);
  });
});

describe('the feed', () => {
  test('has every event, also one that no endpoint wants', () => {
    for (const event of [alertEvent(), alertEvent('member'), guardian, detection, audit()]) {
      const { events, deliveries } = published(event);
      expect([events.length, events[0]?.type, deliveries]).toEqual([1, event.kind, []]);
    }
  });

  test('has no event of a released member; its bytes are kept only for the endpoints that get it', () => {
    expect(published(alertEvent('left'))).toEqual({ events: [], deliveries: [] });
    expect(published(alertEvent('left'), hook(1))).toEqual({ events: [], deliveries: [] });
    const { events, deliveries } = published(alertEvent('left'), hook(3, { membersOfIncidents: false }));
    expect(events.map(({ topics, recordId }) => [topics, recordId])).toEqual([[[], deliveries[0]?.recordId]]);
  });

  test('shows an event to its group, and one of the audit to those who see all', () => {
    expect(published(guardian).events[0]?.topics).toEqual(
      expect.arrayContaining(topicsFor(['north'], ['', 'guardian'])),
    );
    expect(published(audit()).events[0]?.topics).toEqual(topicsFor(null, ['audit']));
  });

  test('names the device that an event is about, so that it is erased with it', () => {
    const deviceOf = (event: WebhookEvent) => published(event).events[0]?.deviceId;
    expect([guardian, detection, alertEvent(), audit(), audit('rules')].map(deviceOf)).toEqual([
      'cam-1',
      'cam-1',
      'cam-1',
      'cam-9',
      null,
    ]);
    const none = { kind: 'audit', at: at(1), entry: { entryId: 'e-1', resource: null } } as unknown as WebhookEvent;
    expect(deviceOf(none)).toBeNull();
  });
});

describe('the body', () => {
  const bodyOf = (event: WebhookEvent) => published(event).events[0]?.body ?? '';
  test('of a detection is the payload of the interface alone', () => {
    expect(JSON.parse(bodyOf(detection))).toEqual((detection as { detection: object }).detection);
  });
  test('of an alert, a guardian alert and an audit entry has its kind, version and time', () => {
    const head = { version: '1.0', timestamp: at(1) };
    expect(JSON.parse(bodyOf(alertEvent()))).toEqual({
      eventType: 'alert',
      ...head,
      change: 'opened',
      alert: JSON.parse(JSON.stringify(alert)),
    });
    expect(bodyOf(guardian)).toBe(
      `{"eventType":"guardian","version":"1.0","timestamp":"${at(1)}","deviceId":"cam-1","guardianAlert":{"alertCode": "CONFIG_DRIFT"}}`,
    );
    expect(JSON.parse(bodyOf(audit()))).toEqual({
      eventType: 'audit',
      ...head,
      entry: { entryId: 'e-1', resource: { kind: 'devices', id: 'cam-9' } },
    });
  });
});

describe('a delivery', () => {
  test('is known by endpoint and event, and of a detection by device and session', () => {
    const idOf = (event: WebhookEvent) => published(event, hook(1)).deliveries[0];
    expect(idOf(alertEvent())).toMatchObject({
      eventId: 'a-1:3',
      alertId: 'a-1',
      deviceId: 'cam-1',
      groupId: 'north',
      body: '',
    });
    expect(idOf(alertEvent())?.deliveryId).toBe(deliveryIdOf(uuidOf(1), 'alert', 'a-1:3'));
    expect(idOf(guardian)).toMatchObject({
      eventId: 'g-1',
      alertId: null,
      deliveryId: deliveryIdOf(uuidOf(1), 'guardian', 'g-1'),
    });
    expect(idOf(detection)).toMatchObject({
      eventId: 's-1',
      alertId: null,
      deliveryId: detectionDeliveryIdOf(uuidOf(1), 'cam-1', 's-1'),
    });
    expect(idOf(audit())).toMatchObject({ eventId: 'e-1', deviceId: null, groupId: null });
    const [a, b] = ['cam-1', 'cam-2'].map((deviceId) => detectionDeliveryIdOf(uuidOf(1), deviceId, 's-1'));
    expect(a === b).toBe(false);
    expect(detectionIdOf('cam-1', 's-1') === detectionIdOf('cam-2', 's-1')).toBe(false);
  });

  test('of a detection without a device is known by its event', () => {
    const event = { eventType: 'detection', eventId: 's', alertId: null, deviceId: null, groupId: null, body: '{}' };
    expect(webhookDelivery(hook(1), event, now).deliveryId).toBe(deliveryIdOf(uuidOf(1), 'detection', 's'));
  });

  test('to an endpoint that is off is held', () => {
    const [held] = published(guardian, hook(1, { isEnabled: false })).deliveries;
    const [sent] = published(guardian, hook(1)).deliveries;
    expect([held?.status, sent?.status]).toEqual(['held', 'pending']);
  });
});

describe('a delivery may be sent', () => {
  const made = (eventType: string, groupId: string | null = 'north') =>
    webhookDelivery(hook(1), { eventType, eventId: 'e', alertId: null, deviceId: 'cam-1', groupId, body: '' }, now);
  const narrowed = hook(1, { filter: { groups: ['south'] } });

  test.each<[string, string, Partial<Webhook> | null, boolean]>([
    ['an event', 'alert', {}, true],
    ['an event to an endpoint that was deleted', 'alert', null, false],
    ['a challenge to one that was deleted', 'challenge', null, false],
    ['an event to one that is off', 'alert', { isEnabled: false }, false],
    ['an event to one that is not proven', 'alert', { challenge: 'c' }, false],
    ['a challenge to one that is neither on nor proven', 'challenge', { isEnabled: false, challenge: 'c' }, true],
    ['a test to one that is off', 'test', { isEnabled: false }, true],
    ['a test to one that is not proven', 'test', { challenge: 'c' }, false],
    ['a test to one of other groups', 'test', { filter: { groups: ['south'] } }, true],
    ['an event of a group that it no longer takes', 'alert', { filter: { groups: ['south'] } }, false],
    ['an event of a group that it takes', 'alert', { filter: { groups: ['south', 'north'] } }, true],
    ['a checkpoint, which has the groups of its making', 'checkpoint', { filter: { groups: ['south'] } }, true],
    ['a checkpoint to one that is off', 'checkpoint', { isEnabled: false }, false],
    ['an audit entry', 'audit', { filter: { groups: ['south'] } }, true],
    [
      'an audit entry to one made by a limited bearer',
      'audit',
      { filter: { groups: ['south'] }, isMadeByLimited: true },
      false,
    ],
  ])('%s', (_, eventType, given, isSent) => {
    const reason = reasonToHold(made(eventType), given && hook(1, given));
    expect(reason === null).toBe(isSent);
  });

  test('or the reason says why not', () => {
    expect(reasonToHold(made('alert'), null)).toBe('The endpoint was deleted.');
    expect(reasonToHold(made('alert'), narrowed)).toBe('The endpoint no longer takes events of this group.');
  });
});
