import { expect, test } from 'vitest';
import { actOnIncident } from '../../../shared/app/incidents/actions.ts';
import { ana, giveTeam } from '../../support/records/alerts.ts';
import { endpoint, giveWebhook } from '../../support/records/deliveries.ts';
import { createChronicle } from '../../support/world/chronicle.ts';
import { behind, hangs } from '../../support/world/living-fleet.ts';
import { hang, incidentsOf } from '../../support/world/places.ts';

const leftOut = ['fleetCounters', 'trendCounters', 'links', 'html', 'devices', 'events', 'platform'];
const status = (deviceId: string) => ({ groupId: hangs(deviceId).groupId, memory: { usedPercent: 20 } });

async function fleet(cameras: readonly string[]) {
  const chronicle = createChronicle({ leftOut });
  const { world, lives } = chronicle;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701111111'] });
  await giveWebhook(world, { webhookId: endpoint().webhookId, events: ['alert'] });
  await lives(1, cameras, status);
  for (const camera of cameras) await hang(world, camera, hangs(camera));
  await lives(3, cameras, status);
  return chronicle;
}

test('an outage that begins, widens, is taken by somebody, and ends with one camera still dark', async () => {
  const [first, second, other] = [behind('a', '1', 3), behind('a', '2', 3), behind('b', '1', 3)];
  const chronicle = await fleet([...first, ...second, ...other]);
  const { world, lives, hears, text } = chronicle;
  for (const camera of first) await hears(camera, 'connection', { status: 'offline' });
  await lives(8, [...second, ...other], status);
  for (const camera of second) await hears(camera, 'connection', { status: 'offline' });
  await lives(8, other, status);
  for (const { incidentId, status } of await incidentsOf(world)) {
    if (status === 'resolved') continue;
    await chronicle.step('ana acknowledges', () =>
      actOnIncident(world, ana, incidentId, { kind: 'acknowledge', comment: 'Power cut' }, null),
    );
    await chronicle.step('ana notes', () =>
      actOnIncident(world, ana, incidentId, { kind: 'add-note', text: 'Back at noon' }, null),
    );
  }
  await lives(3, other, status);
  await lives(14, [...first, ...second.slice(1), ...other], status);
  await lives(2, [...first, ...second, ...other], status);
  await expect(text()).toMatchFileSnapshot('outage.txt');
});

test('the service is blind for a while, and a camera has fallen silent meanwhile', async () => {
  const cameras = behind('a', '1', 5);
  const { ways, lives, text } = await fleet(cameras);
  ways.state.broker = false;
  await lives(8, [], status);
  ways.state.broker = true;
  await lives(14, cameras.slice(1), status);
  await expect(text()).toMatchFileSnapshot('blind.txt');
});
