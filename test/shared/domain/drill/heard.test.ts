import { describe, expect, test } from 'vitest';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { newDelivery } from '../../../../shared/domain/delivery/delivery.ts';
import { heardBy } from '../../../../shared/domain/drill/heard.ts';
import { drillDeliveries, drillDevice } from '../../../../shared/domain/drill/messages.ts';
import type { Configuration } from '../../../../shared/domain/notify/configuration.ts';
import { emptyTeam } from '../../../../shared/domain/notify/team.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { at } from '../../../support/world/timeline.ts';

const targets = {
  emails: ['drill@example.com'],
  phones: ['+46700000001'],
  chats: [
    { kind: 'slack' as const, url: 'https://chat.example.com/1' },
    { kind: 'teams' as const, url: 'https://chat.example.com/2' },
  ],
};

const configured = (webhooks = [endpoint({ drill: true })]): Configuration => ({
  ...{ webhooks, rules: [], windows: [] },
  teams: new Map([['operations', emptyTeam('operations')]]),
  settings: defaultSettings,
});

describe('the configuration of an alert', () => {
  test('is as it stands for a camera, with or without a drill', () => {
    const configuration = configured();
    expect(heardBy('cam-1', configuration, targets)).toBe(configuration);
    expect(heardBy('cam-1', configuration, null)).toBe(configuration);
  });

  test.each([
    ['asks for drills', { drill: true }, 1],
    ['does not ask', { drill: false }, 0],
    ['does not say', {}, 0],
    ['is disabled', { drill: true, isEnabled: false }, 0],
    ['has not proven itself', { drill: true, challenge: 'c' }, 0],
  ])('of the drill has an endpoint that %s: %#', (_, given, count) => {
    const { webhooks } = heardBy('watchpost-drill', configured([endpoint(given)]), targets);
    expect(webhooks).toHaveLength(count);
  });

  test('of the drill opens an endpoint to alerts, whatever it filters, and closes all else', () => {
    const asking = endpoint({ drill: true, events: ['detection'], filter: { groups: ['north'] } });
    const { webhooks, rules, windows, teams, settings } = heardBy('watchpost-drill', configured([asking]), targets);
    expect(webhooks).toEqual([{ ...asking, events: ['alert'], filter: null }]);
    expect([rules, windows, [...teams.keys()]]).toEqual([[], [], ['operations']]);
    expect(settings.channels.ERROR).toEqual({ email: true, chat: true, sms: true, webhook: true });
    expect(settings).not.toHaveProperty('quietHours');
  });

  test('of the drill has only its own targets, each chat with a number and without its address', () => {
    const team = heardBy('watchpost-drill', configured(), targets).teams.get('operations');
    expect(team).toMatchObject({ name: '(drill)', emails: targets.emails, phones: targets.phones });
    expect(team?.chats).toEqual([
      { chatId: '0', kind: 'slack', sealedUrl: '', shownUrl: '' },
      { chatId: '1', kind: 'teams', sealedUrl: '', shownUrl: '' },
    ]);
  });

  test('of a drill that is not set up reaches nobody', () => {
    const { webhooks, teams } = heardBy('watchpost-drill', configured(), null);
    expect(webhooks).toEqual([]);
    expect(teams.get('operations')).toEqual(emptyTeam('(drill)'));
  });
});

test('the device of a drill has a name that calms whoever sees it', () => {
  expect(drillDevice(at(0))).toMatchObject({
    ...{ deviceId: 'watchpost-drill', name: 'Drill: nothing is wrong', groupId: 'watchpost' },
    setByHand: ['name', 'groupId'],
  });
});

describe('the deliveries of a drill', () => {
  const alert = seedAlert(
    {
      ...{ alertId: 'a-1', deviceId: 'watchpost-drill', groupId: 'watchpost', code: 'RES_001' },
      ...{ message: 'Memory', context: {} },
    },
    at(0),
  );
  const seed = {
    ...{ deliveryId: 'd-1', targetName: 'x', eventType: 'notification', eventId: 'e', body: '', maxAttempts: 5 },
    ...{ alertId: 'a-1', deviceId: 'watchpost-drill', groupId: 'watchpost', recordId: 'r-1' },
  };
  const slot = {
    ...{ targetId: 't', form: 'sms' as const, use: 'direct' as const },
    ...{ isUrgent: false, window: null, hasLeft: false },
  };
  const toPeople = newDelivery({ ...seed, channel: 'sms', target: { kind: 'heartbeat', index: 0 }, slot }, at(0));
  const toEndpoint = newDelivery(
    { ...seed, channel: 'webhook', target: { kind: 'webhook', webhookId: 'w-1' }, eventType: 'alert' },
    at(0),
  );
  const made = drillDeliveries(alert, [toPeople, toEndpoint], {
    now: at(5),
    consoleUrl: 'https://console.example.com',
  });

  test('are tests that no alert, camera, group, event or slot is charged with', () => {
    const none = { alertId: null, deviceId: null, groupId: null, message: null, slot: null, recordId: null };
    expect(made).toMatchObject([
      { deliveryId: 'd-1', eventType: 'test', ...none },
      { deliveryId: 'd-1', eventType: 'test', ...none },
    ]);
  });

  test('have a text for people, and a test event for an endpoint', () => {
    expect(made[0]?.body).toContain('ERR watchpost / watchpost-drill memory critical');
    expect(JSON.parse(made[1]?.body ?? '')).toEqual({
      ...{ eventType: 'test', version: expect.any(String), timestamp: at(5), webhookId: 'w-1' },
      message: 'This is a drill of Watchpost itself. Nothing is wrong.',
    });
  });
});
