import { handoffDelivery } from '../../domain/change/handoffs.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { HandoffEvent } from '../../domain/delivery/handoff.ts';
import type { TeamRecord } from '../../domain/notify/team.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { notFound } from '../../errors.ts';

/** How long a test stays open at the receiver, milliseconds. */
const openMs = 10_000;

/** The test of a hand-off: a trigger and, shortly afterwards, its resolution, which waits for the trigger. */
export function handoffTest(
  { name, handoffs }: TeamRecord,
  handoffId: string,
  { asker, testId, now }: { asker: string; testId: string; now: Instant },
): Delivery[] {
  const handoff = handoffs.find((each) => each.handoffId === handoffId);
  if (!handoff) throw notFound(`hand-off ${handoffId} of the team ${name}`);
  const event: Omit<HandoffEvent, 'action'> = {
    key: `test-${testId}`,
    about: 'test',
    severity: handoff.severities[0] ?? 'CRITICAL',
    priority: null,
    title: `A test of the hand-off ${handoff.name}`,
    text: `${asker} asked for it. It is over in ten seconds.`,
    code: 'test',
    deviceId: null,
    groupId: null,
    site: null,
    startedAt: now,
    at: now,
    path: 'settings/teams',
  };
  const receiver = { team: name, handoff };
  const of = (behind: string | null) => ({ version: 1, behind, alertId: null });
  const begins = handoffDelivery(receiver, { ...event, action: 'trigger' }, of(null));
  const ends = handoffDelivery(receiver, { ...event, action: 'resolve' }, of(begins.deliveryId));
  return [begins, { ...ends, dueAt: plus(now, openMs) }];
}
