import { expect, test } from 'vitest';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { loadConfiguration } from '../../../../shared/app/settings/configuration.ts';
import { giveRule, giveTeam } from '../../../support/records/alerts.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const status = (usedPercent: number) => message('status', { memory: { usedPercent } }, { deviceId: 'cam-1' });

test.each([30, 120])(
  'an alert goes to whom the rules of this moment name, although this process read the rules %i s ago',
  async (seconds) => {
    const world = createTestWorld();
    // Another process on the same database: it shares the records, and not what this process remembers.
    const elsewhere = { ...world, store: { ...world.store } };
    await takeMessage(world, status(40), intake);
    await loadConfiguration(world);
    await giveTeam(elsewhere, 'night', { emails: ['night@example.com'] });
    const rule = {
      condition: { code: 'RES_*', group: [] },
      action: { notify: ['email' as const], escalate_to: 'night' },
    };
    await giveRule(elsewhere, { name: 'At night', ...rule });
    world.pass(seconds);
    await takeMessage(world, status(95), intake);
    const deliveries = await world.store.find({ in: 'deliveries', limit: 10 });
    expect(deliveries.map(({ data }) => data.target)).toMatchObject([{ kind: 'email', address: 'night@example.com' }]);
  },
);
