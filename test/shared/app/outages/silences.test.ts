import { expect, test } from 'vitest';
import { actOnIncident } from '../../../../shared/app/incidents/actions.ts';
import { postOf } from '../../../support/notify/post.ts';
import { ana, giveTeam } from '../../../support/records/alerts.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import type { TestWorld } from '../../../support/world/world.ts';

/** Cameras whose loss waits for a look. */
async function waiting({ store }: TestWorld): Promise<(string | null)[]> {
  const found = await store.find({ in: 'alerts', limit: 5000 });
  return found.flatMap(({ data }) => (data.awaitsLook ? [data.deviceId] : []));
}

test('a site of which a person resolved the outage is told again when what was left of it is lost hours later', async () => {
  const all = behind('a', '1', 10);
  const [gone, others] = [all.slice(0, 6), all.slice(6)];
  const { world, darken, minutes } = await lateFleet([...all, ...behind('b', '1', 30)]);
  await darken(gone);
  await minutes(9);
  const [first] = await incidentsOf(world);
  await actOnIncident(world, ana, first?.incidentId ?? '', { kind: 'resolve' }, null);
  await minutes(150);
  const before = notifiedOf(world).length;
  await darken(others);
  await minutes(15);
  expect(notifiedOf(world).slice(before).join('\n')).toContain('Outage at a');
});

test('an outage that cannot be written holds nobody else back, and no sweep that met it says that it is done', async () => {
  const [a, b, lone] = [behind('a', '1', 6), behind('b', '1', 6), ['e.1.cam', 'f.1.cam']];
  const { world, darken, minutes } = await lateFleet([...a, ...b, ...lone, ...behind('c', '1', 30)]);
  const { store } = world;
  world.store = {
    ...store,
    commit: async (writes) => {
      const isRefused = JSON.stringify(writes).includes('"title":"Outage at a"');
      if (isRefused) throw new Error('refused');
      return store.commit(writes);
    },
  };
  await darken([...a, ...b, ...lone]);
  const faults: unknown[] = [];
  for (let minute = 0; minute < 15; minute += 1) await minutes(1).catch((error) => faults.push(error));
  expect(faults.map(String)).toContain('Error: refused');
  const left = await waiting(world);
  expect(left.filter((camera) => !a.includes(camera ?? ''))).toEqual([]);
  expect(notifiedOf(world).join('\n')).toContain('Outage at b');
});

test('a phone hears of what is still dark when a provider is back', async () => {
  const [a, b, c] = [behind('a', '1', 20), behind('b', '1', 20), behind('c', '1', 20)];
  const { world, darken, light, minutes } = await lateFleet([...a, ...b, ...c]);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46702222222'] });
  await darken([...a, ...b, ...c]);
  await minutes(12);
  await light([...a, ...c]);
  await minutes(8);
  const texts = postOf(world).sent.flatMap(({ channel, text }) => (channel === 'sms' ? [text] : []));
  expect(texts.join('\n')).toContain('Outage at b since');
});
