import { beforeEach, describe, expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { actOnIncident } from '../../../../shared/app/incidents/actions.ts';
import { createWindow } from '../../../../shared/app/maintenance/windows.ts';
import { getShift } from '../../../../shared/app/now/shift.ts';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import type { Shift } from '../../../../shared/schema/fleet/shift.ts';
import { createPost } from '../../../support/notify/post.ts';
import { ana, giveTeam, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { giveIncident } from '../../../support/records/incidents.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const of = (...groups: string[]): Bearer => ({ ...ana, groups });
const states = ({ items }: Shift) => items.map(({ state, deviceId, kind }) => `${state} ${deviceId ?? kind}`);
const act = (world: TestWorld, alertId: string, command: Parameters<typeof actOnAlert>[3]) =>
  actOnAlert(world, ana, alertId, command, null);

describe('the sheet of a hand-over', () => {
  let world: TestWorld;
  beforeEach(() => {
    world = createTestWorld();
  });

  test('says what nobody has, what is in hand, snoozed and in maintenance, in this order', async () => {
    await createWindow(
      world,
      ana,
      { name: 'Works', startsAt: startOfTests, endsAt: '2026-11-20T14:00:00.000Z', scope: { devices: ['cam-m'] } },
      uuidOf(700),
    );
    await openTestAlert(world, { deviceId: 'cam-m' });
    const snoozed = await openTestAlert(world, { deviceId: 'cam-s' });
    const held = await openTestAlert(world, { deviceId: 'cam-h', deviceName: 'Gate 2', site: 'gbg' });
    await openTestAlert(world, { deviceId: 'cam-w', code: 'RES_003' });
    await openTestAlert(world, { deviceId: 'cam-c' });
    const over = await openTestAlert(world, { deviceId: 'cam-o' });
    await giveIncident(world, uuidOf(701), 'north', 'Reports are late');
    world.pass(60);
    await act(world, snoozed, { kind: 'snooze', minutes: 60 });
    await act(world, held, { kind: 'acknowledge' });
    await act(world, over, { kind: 'resolve' });
    const sheet = await getShift(world, ana, {});
    expect(states(sheet)).toEqual([
      ...['unanswered blind', 'unanswered cam-c', 'unanswered cam-w'],
      ...['in-hand cam-h', 'snoozed cam-s', 'maintenance cam-m'],
    ]);
    expect(sheet.items[3]).toMatchObject({
      ...{ about: 'alert', id: held, severity: 'CRITICAL', code: 'CONN_001', deviceName: 'Gate 2', site: 'gbg' },
      ...{ groups: ['north'], startedAt: startOfTests, acknowledgedBy: 'ana', acknowledgedAt: world.now() },
    });
    expect(sheet.items[4]).toMatchObject({ snoozedUntil: '2026-11-20T11:01:00.000Z', acknowledgedBy: null });
    expect(sheet.items[5]).toMatchObject({ maintenance: uuidOf(700), maintenanceUntil: '2026-11-20T14:00:00.000Z' });
    expect(sheet).toMatchObject({ at: world.now(), generatedAt: world.now(), rest: 0, heldBack: [], onCall: null });
  });

  test('leaves a member to its incident, and an incident to the wider one', async () => {
    await openTestAlert(world, { deviceId: 'cam-1', isMember: true });
    const [inner, wider] = [uuidOf(702), uuidOf(703)];
    await giveIncident(world, inner, 'north', 'inner');
    await giveIncident(world, wider, 'north', 'wider');
    await world.store.commit([{ kind: 'patch', in: 'incidents', id: inner, set: { joinedTo: wider } }]);
    expect((await getShift(world, ana, {})).items.map(({ title }) => title)).toEqual(['wider']);
  });

  test('shows a bearer what concerns their groups, and of a shared incident nothing of the others', async () => {
    for (const group of ['north', 'south', 'west']) await openTestAlert(world, { deviceId: group, groupId: group });
    const shared = uuidOf(704);
    const until = { maintenanceUntil: '2026-11-20T14:00:00.000Z', quietUntil: '2026-11-20T15:00:00.000Z' };
    await giveIncident(world, shared, 'north', 'shared');
    await world.store.commit([
      { kind: 'patch', in: 'incidents', id: shared, set: { groups: ['north', 'west'], ...until } },
    ]);
    await actOnIncident(world, ana, shared, { kind: 'acknowledge' }, null);
    const sheet = await getShift(world, of('north', 'south'), {});
    expect(states(sheet).toSorted()).toEqual(['maintenance blind', 'unanswered north', 'unanswered south']);
    expect(JSON.stringify(sheet)).not.toContain('west');
    expect(sheet.items.find(({ id }) => id === shared)).toMatchObject({
      ...{ groups: ['north'], acknowledgedBy: null, maintenanceUntil: null, heldUntil: null },
    });
    expect(sheet.heldBack).toBeNull();
    expect((await getShift(world, of(), {})).items).toEqual([]);
  });

  test('names the phones whose hour is used up, and until when', async () => {
    await giveTeam(world, 'operations', { phones: ['+46700000001', '+46700000002'] });
    const post = createPost(world);
    for (let minute = 0; minute < 20; minute += 1) {
      for (let count = 0; count < 3; count += 1) await openTestAlert(world, { code: 'SEC_001' });
      await post.pass(60);
    }
    const { heldBack } = await getShift(world, ana, {});
    expect(heldBack?.map(({ channel, target }) => `${channel} ${target}`).toSorted()).toEqual([
      'sms operations: +46700000001',
      'sms operations: +46700000002',
    ]);
    for (const { until } of heldBack ?? []) expect(until > world.now()).toBe(true);
  });

  test('says until when quiet hours hold back a message', async () => {
    const channels = { ...defaultSettings.channels, WARNING: { ...defaultSettings.channels.WARNING, email: true } };
    await putSettings(world, { ...defaultSettings, channels }, null);
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    world.pass(13 * 3600);
    await openTestAlert(world, { code: 'RES_002' });
    await openTestAlert(world, { code: 'SEC_001' });
    expect((await getShift(world, ana, {})).items).toMatchObject([
      { code: 'SEC_001', heldUntil: null },
      { code: 'RES_002', heldUntil: '2026-11-21T07:00:00.000Z' },
    ]);
  });

  test('lists a bounded number, and counts the rest', async () => {
    for (let count = 0; count < 303; count += 1)
      await openTestAlert(world, { code: count < 3 ? 'RES_003' : 'SEC_001' });
    const { items, rest } = await getShift(world, ana, {});
    expect([items.length, rest]).toEqual([300, 3]);
    expect(items.every(({ severity }) => severity === 'CRITICAL')).toBe(true);
  });

  test('says who takes over at the hand-over, to a bearer who may read the settings', async () => {
    const rotation = {
      people: ['bo', 'eva'],
      handover: { weekday: 'mon' as const, time: '08:00' },
      timeZone: 'Europe/Stockholm',
      startsAt: '2026-11-16T07:00:00.000Z',
    };
    await giveTeam(world, 'night', {
      people: [
        { personId: 'bo', name: 'Bo', email: 'bo@example.com' },
        { personId: 'eva', name: 'Eva', email: 'eva@example.com' },
      ],
      rotations: [rotation],
    });
    const may: Bearer = { ...ana, scopes: new Set(['settings:read']) };
    const names = async (at?: string) => {
      const [team] = (await getShift(world, may, at === undefined ? {} : { at })).onCall ?? [];
      return [team?.team, team?.rotations[0]?.now?.name, team?.rotations[0]?.next?.name];
    };
    expect(await names()).toEqual(['night', 'Bo', 'Eva']);
    expect(await names('2026-11-23T07:00:00Z')).toEqual(['night', 'Eva', 'Bo']);
    expect(JSON.stringify(await getShift(world, may, {}))).not.toContain('@example.com');
  });

  test.each(['2026-11-20T08:59:00Z', '2028-01-01T00:00:00Z', '1970-01-01T00:00:00Z'])(
    'refuses %s, because it shows what is open now',
    async (at) => {
      await expect(getShift(world, ana, { at })).rejects.toMatchObject({
        code: 'invalid-request',
        errors: [{ pointer: '?at' }],
      });
    },
  );
});
