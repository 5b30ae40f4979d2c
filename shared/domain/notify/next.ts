import type { Life } from '../alert/alert.ts';
import type { Waits } from '../limits.ts';
import { type Ladder, nextStep } from '../settings/ladder.ts';
import { type Instant, plus, spell } from '../time.ts';
import { ladderOf, type Policies } from './policy.ts';

/** What happens next without anybody's doing. */
export type Next = { at: Instant; what: string };

/** What will happen next without anybody's doing, soonest first: each further step with whom it notifies, and what is repeated then. */
export function nextOf(alert: Life, policies: Policies, waits: Waits): Next[] {
  const clocks: [Instant | null, string][] = [
    [alert.snoozedUntil, 'The snooze ends: one reminder goes out and the response time starts anew'],
    [alert.maintenanceUntil, 'The maintenance ends: what is open then is told, and the response time starts'],
    [alert.quietUntil ?? null, 'The quiet hours end: it is told then, if it still holds'],
    [alert.notifyAfter, 'The alert is told, if the condition still holds'],
  ];
  const others = clocks.flatMap(([at, what]) => (at === null ? [] : [{ at, what }]));
  const all = [...others, ...stepsAhead(alert, policies, waits)];
  return all.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** Whom the escalation notifies, step by step: who is on call at the time of each, as far as that is known now. */
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
  const repeated = isRepeat ? begins : plus(ahead.at(-1)?.at ?? begins, ladder.repeatMs);
  const then = `from then on every ${spell(ladder.repeatMs)}, after ${spell(waits.reminderLater)} every ${spell(Math.max(ladder.repeatMs, waits.reminderLater))}`;
  const last = at(repeated).steps.at(-1);
  return [...ahead, { at: repeated, what: `Nobody answers: reminder to ${last?.to}, ${then}` }];
}

function stepText({ steps }: Ladder, index: number): string {
  const to = steps[index]?.to ?? '';
  return steps.length > 1 ? `${to} (step ${index + 1} of ${steps.length})` : to;
}
