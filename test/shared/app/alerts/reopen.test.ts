import { expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { ana } from '../../../support/records/alerts.ts';
import { createTimeline, hour } from '../../../support/world/timeline.ts';

test('an alert is not reopened beside the one that its camera has for the same code, and the refusal names that one', async () => {
  const line = createTimeline();
  await line.says(0, 'status', { memory: { usedPercent: 95 } });
  await line.says(60, 'status', { memory: { usedPercent: 10 } });
  await line.says(30 * hour, 'status', { memory: { usedPercent: 95 } });
  const alerts = (await line.alerts()).filter(({ code }) => code === 'RES_001');
  const [first, second] = alerts.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  expect([first?.status, second?.status]).toEqual(['resolved', 'active']);
  const refusal = actOnAlert(line.world, ana, first?.alertId ?? '', { kind: 'reopen' }, null);
  await expect(refusal).rejects.toMatchObject({ code: 'invalid-transition' });
  expect(JSON.stringify(await refusal.catch((error) => ({ ...error })))).toContain(second?.alertId);
  expect((await line.alerts()).find(({ alertId }) => alertId === first?.alertId)?.status).toBe('resolved');
});
