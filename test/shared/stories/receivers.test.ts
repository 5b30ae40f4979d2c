import { expect, test } from 'vitest';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import type { SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import { draftOf } from '../../support/handoff/receivers.ts';
import { ana, giveTeam } from '../../support/records/alerts.ts';
import { endpoint, failure, giveWebhook, success } from '../../support/records/deliveries.ts';
import { detection } from '../../support/records/detections.ts';
import { createChronicle } from '../../support/world/chronicle.ts';

const leftOut = ['fleetCounters', 'trendCounters', 'links', 'html', 'devices'];
const isOf = (name: string) => endpoint({ webhookId: `11111111-1111-4111-8111-${name.padStart(12, '0')}` });

test('an endpoint that fails on each attempt, one that asks to wait, one that is gone, and one that comes back', async () => {
  const answers = new Map<string, (attempt: number) => SendOutcome>([
    [isOf('1').webhookId, () => failure],
    [isOf('2').webhookId, (attempt) => (attempt < 3 ? { ...failure, statusCode: 429, retryAfterMs: 90_000 } : success)],
    [isOf('3').webhookId, () => ({ ...failure, statusCode: 410, isRetryable: false, isGone: true })],
    [
      isOf('4').webhookId,
      (attempt) => (attempt < 2 ? { ...failure, errorClass: 'timeout', statusCode: null } : success),
    ],
    [isOf('5').webhookId, () => ({ ...failure, statusCode: 400, isRetryable: false })],
  ]);
  const chronicle = createChronicle({
    leftOut,
    answer: ({ webhookId, attemptCount }) => answers.get(webhookId ?? '')?.(attemptCount) ?? success,
  });
  const { world, says, passes, text } = chronicle;
  for (const webhookId of answers.keys()) {
    await giveWebhook(world, {
      webhookId,
      maxAttempts: 5,
      sequenced: true,
      events: ['detection', 'alert', 'guardian'],
    });
  }
  await says('cam-1', 'status', { groupId: 'north' });
  for (let number = 1; number <= 4; number += 1) {
    await says('cam-1', 'detection', detection(`s-${number}`, { timestamp: world.now() }));
    await passes(number * 300);
  }
  await says('cam-1', 'status', { memory: { usedPercent: 95 } });
  await passes(8 * 3600);
  await expect(text()).toMatchFileSnapshot('webhooks.txt');
});

test('hand-offs to other systems follow an alert from its opening to its end', async () => {
  const chronicle = createChronicle({ leftOut: [...leftOut, 'events'] });
  const { world, says, passes, text } = chronicle;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], handoffs: Object.values(draftOf) });
  await says('cam-1', 'status', { groupId: 'north', memory: { usedPercent: 95 } });
  await passes(60);
  const [alert] = await world.store.find({ in: 'alerts', limit: 10 });
  await chronicle.step('ana acknowledges', () =>
    actOnAlert(world, ana, alert?.id ?? '', { kind: 'acknowledge' }, null),
  );
  await passes(600);
  await says('cam-1', 'status', { memory: { usedPercent: 20 } });
  await passes(3600);
  await expect(text()).toMatchFileSnapshot('handoffs.txt');
});
