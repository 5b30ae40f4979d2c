import type { AlertCommand } from '../../../shared/app/alerts/actions.ts';
import { AppError } from '../../../shared/errors.ts';
import type { VirtualClock } from './clock.ts';
import type { Random } from './instances.ts';

/** What an operator requested, and the final answer. */
export type Action = {
  name: string;
  alertId: string;
  kind: AlertCommand['kind'];
  startedAt: number;
  endedAt: number;
  tries: number;
  /** `accepted`, the code of a refusal, or `unknown` if no try got an answer. */
  answer: string;
};

export type Act = (alertId: string, command: AlertCommand, ifVersion: number | null) => Promise<unknown>;

const minute = 60_000;
const mostTries = 8;

/** An operator who acts on an alert, and retries if no answer comes. The comment names the action, so the checker finds it in the trail. */
export async function operate(
  { clock, random }: { clock: VirtualClock; random: Random },
  number: number,
  alertId: string,
  versionOf: (alertId: string) => Promise<number>,
  act: Act,
): Promise<Action> {
  const name = `op-${number}`;
  const kind = random.pick(['acknowledge', 'acknowledge', 'resolve', 'reopen', 'snooze', 'add-note'] as const);
  const until = new Date(clock.ms() + minute + random.below(40 * minute)).toISOString();
  const command: AlertCommand =
    kind === 'add-note' ? { kind, text: name } : { kind, comment: name, ...(kind === 'snooze' ? { until } : {}) };
  const startedAt = clock.ms();
  const done = (answer: string, tries: number): Action => {
    return { name, alertId, kind, startedAt, endedAt: clock.ms(), tries, answer };
  };
  let version: number | null = null;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    try {
      // A note could be added twice if its answer is lost, so it requires the alert's version.
      if (kind === 'add-note') version ??= await versionOf(alertId);
      await act(alertId, command, version);
      return done('accepted', tries);
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return done(error.code, tries);
      await clock.sleep(1000 * tries);
    }
  }
  return done('unknown', mostTries);
}
