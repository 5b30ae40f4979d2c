import { expect, test } from 'vitest';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { actOnIncident } from '../../../shared/app/incidents/actions.ts';
import { createWindow } from '../../../shared/app/maintenance/windows.ts';
import { ana, giveRule, giveTeam } from '../../support/records/alerts.ts';
import { endpoint, giveWebhook } from '../../support/records/deliveries.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { createChronicle } from '../../support/world/chronicle.ts';
import { behind, hangs } from '../../support/world/living-fleet.ts';
import { hang, incidentsOf } from '../../support/world/places.ts';

const leftOut = ['fleetCounters', 'trendCounters', 'links', 'html', 'devices', 'events', 'platform', 'targets'];
const status = (deviceId: string) => ({ groupId: hangs(deviceId).groupId, memory: { usedPercent: 20 } });
const rule = {
  name: 'At once',
  condition: { code: '*' as const },
  action: { escalate_to: 'head', priority: 'P1' },
};

async function begun(cameras: readonly string[]) {
  const chronicle = createChronicle({ leftOut });
  const { world, lives } = chronicle;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await giveTeam(world, 'head', { emails: ['head@example.com'], phones: ['+46702222222'] });
  await giveWebhook(world, { webhookId: endpoint().webhookId, events: ['alert'], membersOfIncidents: false });
  await giveRule(world, rule);
  await lives(1, cameras, status);
  for (const camera of cameras) await hang(world, camera, hangs(camera));
  await lives(2, cameras, status);
  return chronicle;
}

test('a rule escalates at once what is announced at once, and what is held back when it is announced', async () => {
  const cameras = behind('a', '1', 3);
  const [first = '', second = '', third = ''] = cameras;
  const chronicle = await begun(cameras);
  const { world, says, lives, passes, text } = chronicle;
  await says(first, 'status', { memory: { usedPercent: 93 } });
  await says(first, 'guardian', guardianAlert('drift', ['port'], world.now()));
  await says(second, 'connection', { status: 'offline' });
  await passes(70);
  const open = await world.store.find({ in: 'alerts', limit: 100 });
  for (const { id, data } of open.filter(({ data }) => data.code === 'RES_001')) {
    await chronicle.step(`ana snoozes ${data.code}`, () =>
      actOnAlert(world, ana, id, { kind: 'snooze', minutes: 20 }, null),
    );
  }
  await says(first, 'status', { memory: { usedPercent: 20 } });
  await lives(3, [first, third], status);
  await says(first, 'status', { memory: { usedPercent: 99 } });
  await lives(16, [first, third], (deviceId) => ({ groupId: hangs(deviceId).groupId }));
  await says(second, 'connection', { status: 'online', connectedAt: world.now() });
  await lives(2, cameras, (deviceId) => ({ groupId: hangs(deviceId).groupId }));
  await expect(text()).toMatchFileSnapshot('held.txt');
});

test('members of an incident that is snoozed, that works silence, and that is resolved by hand', async () => {
  const [dark, lit] = [behind('a', '1', 3), behind('b', '1', 3)];
  const chronicle = await begun([...dark, ...lit]);
  const { world, hears, says, lives, text } = chronicle;
  for (const camera of dark) await hears(camera, 'connection', { status: 'offline' });
  await lives(9, lit, status);
  const act = async (command: Parameters<typeof actOnIncident>[3]) => {
    for (const { incidentId, status } of await incidentsOf(world)) {
      if (status === 'resolved') continue;
      await chronicle.step(`ana: ${JSON.stringify(command)}`, () =>
        actOnIncident(world, ana, incidentId, command, null),
      );
    }
  };
  await act({ kind: 'snooze', minutes: 10 });
  await says(dark[0] ?? '', 'connection', { status: 'online', connectedAt: world.now() });
  await says(dark[0] ?? '', 'connection', { status: 'offline' });
  await lives(6, lit, status);
  const works = {
    name: 'Works',
    scope: { groups: ['north'] },
    startsAt: world.now(),
    endsAt: '2026-11-20T10:40:00.000Z',
  };
  await chronicle.step('ana plans works', () =>
    createWindow(world, ana, works, '00000000-0000-4000-8000-00000000aaaa'),
  );
  await lives(24, lit, status);
  const [member] = await world.store.find({
    in: 'alerts',
    where: [{ field: 'isMember', is: '==', value: true }],
    limit: 1,
  });
  for (const kind of ['resolve', 'reopen'] as const) {
    await chronicle.step(`ana: ${kind} of one member`, () => actOnAlert(world, ana, member?.id ?? '', { kind }, null));
  }
  await act({ kind: 'acknowledge' });
  await lives(2, lit, status);
  await act({ kind: 'resolve', comment: 'Known' });
  await lives(6, lit, status);
  await lives(3, [...dark, ...lit], status);
  await expect(text()).toMatchFileSnapshot('members.txt');
});
