import type { Flags, Given } from '../command.ts';
import { UsageError } from '../usage.ts';
import { withoutGaps } from './records.ts';

/** The flags and request bodies of the actions that alerts and incidents share. */
export const commentFlag = {
  comment: { about: 'why; it stands in the history', value: 'TEXT', member: 'comment' },
} as const satisfies Flags;
export const snoozeFlags = {
  ...commentFlag,
  minutes: { about: 'for how long', value: 'N', number: [1, 30 * 24 * 60], member: 'minutes' },
  until: { about: 'until when, as 18:00', value: 'TIME', time: 'next', member: 'until' },
} as const satisfies Flags;
export const noteFlags = {
  text: { about: 'what to note', value: 'TEXT', isNeeded: true, member: 'text' },
} as const satisfies Flags;

export const commentBody = (flags: Given) => withoutGaps({ comment: flags.text('comment') });

export function snoozeBody(flags: Given) {
  const [minutes, until] = [flags.number('minutes'), flags.text('until')];
  if ((minutes === undefined) === (until === undefined)) throw new UsageError('Give either --minutes or --until.');
  return withoutGaps({ minutes, until, comment: flags.text('comment') });
}

export const noteBody = (flags: Given) => ({ text: flags.text('text') ?? '' });
