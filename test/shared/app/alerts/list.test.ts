import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { listAlerts, statusChoice } from '../../../../shared/app/alerts/list.ts';
import { createWindow } from '../../../../shared/app/maintenance/windows.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { ana, giveRule, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));

test('alerts sorted by urgency: severity, then priority P1, then the oldest, in pages; a time range is refused', async () => {
  const world = createTestWorld();
  const opened: string[] = [];
  const open = async (code: 'CONN_001' | 'RES_001' | 'RES_002', groupId: string) => {
    world.pass(60);
    opened.push(await openTestAlert(world, { code, groupId }));
  };
  await giveRule(world, { name: 'gate', condition: { code: '*', group: ['gate'] }, action: { priority: 'P1' } });
  await open('RES_002', 'north');
  await open('CONN_001', 'north');
  await open('RES_001', 'north');
  await open('CONN_001', 'north');
  await open('CONN_001', 'gate');
  const [warning, older, error, newer, first] = opened;
  const query = { orderBy: 'urgency desc', pageSize: 3 } as const;
  const one = await listAlerts(world, ana, query, tokens);
  const other = await listAlerts(world, ana, { ...query, pageToken: one.nextPageToken ?? '' }, tokens);
  expect([...one.alerts, ...other.alerts].map(({ alertId }) => alertId)).toEqual([first, older, newer, error, warning]);
  const ranged = listAlerts(world, ana, { ...query, since: world.now() }, tokens);
  await expect(ranged).rejects.toMatchObject({ code: 'invalid-request' });
});

test('the filter `maintenance` finds alerts held by a window, which have no `respondBy`', async () => {
  const world = createTestWorld();
  const times = { startsAt: world.now(), endsAt: plus(world.now(), 600_000) };
  await createWindow(world, ana, { name: 'Works', scope: { groups: ['south'] }, ...times }, uuidOf(9));
  world.pass(1);
  const kept = await openTestAlert(world, { groupId: 'south' });
  const loud = await openTestAlert(world, { groupId: 'north' });
  const shown = async (maintenance: boolean) =>
    (await listAlerts(world, ana, { maintenance }, tokens)).alerts.map(({ alertId, respondBy }) => [
      alertId,
      respondBy !== null,
    ]);
  expect(await shown(true)).toEqual([[kept, false]]);
  expect(await shown(false)).toEqual([[loud, true]]);
  await actOnAlert(world, ana, loud, { kind: 'acknowledge' }, null);
  expect(await shown(false)).toEqual([[loud, false]]);
});

test.each<[string[], ReturnType<typeof statusChoice>]>([
  [['open'], [['isOpen', [true]]]],
  [['active', 'acknowledged', 'escalated'], [['isOpen', [true]]]],
  [['open', 'active'], [['isOpen', [true]]]],
  [['all'], []],
  [['active', 'all'], []],
  [['open', 'resolved'], []],
  [['active'], [['status', ['active']]]],
  [['active', 'acknowledged'], [['status', ['active', 'acknowledged']]]],
  [['active', 'acknowledged', 'resolved'], [['status', ['active', 'acknowledged', 'resolved']]]],
])('alerts that are %j are found by %j', (status, choice) => {
  expect(statusChoice(status)).toEqual(choice);
});
