import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Explanation } from '../../../../shared/schema/alert/life.ts';

type Explained = Pick<Explanation, 'channels' | 'channelsBy' | 'rules' | 'notified' | 'notNotified'>;

/** Why nobody is notified of an open alert. Null if somebody is, or if its incident notifies people. */
export function silenceOf(
  { resolved, maintenance, respondBy, snoozedUntil, status }: Alert,
  { channels, channelsBy, rules, notified, notNotified }: Explained,
): string | null {
  if (resolved) return null;
  const waits = status === 'active' && respondBy === null;
  if (snoozedUntil && waits) return 'It is snoozed: nobody is notified and no clock runs until the snooze ends.';
  if (maintenance && waits) {
    return 'A maintenance window keeps it quiet: nobody is notified and no clock runs until the window ends.';
  }
  if (channelsBy === 'suppressed') {
    return `Nobody is notified: it is suppressed by ${rules.map(({ name }) => `the rule “${name}”`).join(', ') || 'a rule'}.`;
  }
  if (channels.length === 0) {
    return channelsBy === 'rules'
      ? 'Nobody is notified: the rules for it leave no channel.'
      : 'Nobody is notified: the settings name no channel for its severity.';
  }
  const last = notNotified.at(-1);
  if (notified.length === 0 && last?.reason === 'no-contact') return `Nobody was notified: ${last.detail}`;
  return null;
}
