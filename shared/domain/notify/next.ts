import type { Life } from '../alert/alert.ts';
import type { Waits } from '../limits.ts';
import { type Coming, type Ladder, nextStep, repeatAt } from '../settings/ladder.ts';
import { type Instant, plus, spell } from '../time.ts';
import { ladderOf, type Policies } from './policy.ts';

/** What happens next without an action by a person. */
export type Next = { at: Instant; what: string };

/** What happens next without an action by a person, soonest first: each remaining step with its receivers, and the reminders. */
export function nextOf(alert: Life, policies: Policies, waits: Waits): Next[] {
  const clocks: [Instant | null, string][] = [
    [alert.snoozedUntil, 'The snooze ends: one reminder is sent and the response time starts again'],
    [
      alert.maintenanceUntil,
      'The maintenance ends: people are notified of what is open then, and the response time starts',
    ],
    [alert.quietUntil ?? null, 'The quiet hours end: people are notified if it is still true'],
    [alert.notifyAfter, 'People are notified if the condition still holds'],
  ];
  const others = clocks.flatMap(([at, what]) => (at === null ? [] : [{ at, what }]));
  const all = [...others, ...stepsAhead(alert, policies, waits)];
  return all.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** The step after the present one of an escalation. Null: the present one is the last, or the next is due already. */
export function comingStep(alert: Life, policies: Policies, now: Instant, waits: Waits): Coming | null {
  const { status, remindAt: at } = alert;
  if (status !== 'escalated' || at === null || at <= now) return null;
  const ladder = ladderOf(alert, policies, at, waits);
  const { index, isRepeat } = nextStep(alert, ladder);
  const step = ladder.steps[index];
  return isRepeat || !step ? null : { at, to: step.to };
}

/** The receivers of each step, with the person on call at that time as far as it is known now. */
function stepsAhead(alert: Life, policies: Policies, waits: Waits): Next[] {
  const begins = alert.status === 'escalated' ? alert.remindAt : alert.respondBy;
  if (begins === null) return [];
  const at = (instant: Instant) => ladderOf(alert, policies, instant, waits);
  const ladder = at(begins);
  const { index: first, isRepeat } = nextStep(alert, ladder);
  const since = ladder.steps[first]?.afterMs ?? 0;
  const steps = isRepeat ? [] : ladder.steps.slice(first);
  const ahead = steps.map(({ afterMs }, count): Next => {
    const instant = plus(begins, afterMs - since);
    return { at: instant, what: `Nobody answers: escalated to ${stepText(at(instant), first + count)}` };
  });
  const repeated = isRepeat ? begins : repeatAt(ladder, ahead.at(-1)?.at ?? begins, ladder.repeatMs);
  const then = `from then on every ${spell(ladder.repeatMs)}, after ${spell(waits.reminderLater)} every ${spell(Math.max(ladder.repeatMs, waits.reminderLater))}`;
  const last = at(repeated).steps.at(-1);
  return [...ahead, { at: repeated, what: `Nobody answers: reminder to ${last?.to}, ${then}` }];
}

function stepText({ steps }: Ladder, index: number): string {
  const to = steps[index]?.to ?? '';
  return steps.length > 1 ? `${to} (step ${index + 1} of ${steps.length})` : to;
}
