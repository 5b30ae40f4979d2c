import type { Flags, Given } from '../command.ts';
import { UsageError } from '../usage.ts';
import { withoutGaps } from './records.ts';

/** The flags and request bodies of the actions that alerts and incidents share. */
export const commentFlag = {
  comment: { about: 'why; it stands in the history', value: 'TEXT' },
} as const satisfies Flags;
export const snoozeFlags = {
  ...commentFlag,
  minutes: { about: 'for how long', value: 'N', number: [1, 30 * 24 * 60] },
  until: { about: 'until when, as 2026-11-22T18:00:00Z', value: 'TIME' },
} as const satisfies Flags;
export const noteFlags = { text: { about: 'what to note', value: 'TEXT' } } as const satisfies Flags;

export const commentBody = (flags: Given) => withoutGaps({ comment: flags.text('comment') });

export function snoozeBody(flags: Given) {
  const [minutes, until] = [flags.number('minutes'), flags.text('until')];
  if ((minutes === undefined) === (until === undefined)) throw new UsageError('Give either --minutes or --until.');
  return withoutGaps({
    minutes,
    until: until === undefined ? undefined : instantOf('until', until),
    comment: flags.text('comment'),
  });
}

export function noteBody(flags: Given) {
  const text = flags.text('text');
  if (text === undefined) throw new UsageError('Say what to note with --text.');
  return { text };
}

/** The instant in UTC, as the service writes it. @throws UsageError that names the flag */
export function instantOf(flag: string, text: string): string {
  const isInstant =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isInstant) throw new UsageError(`--${flag} must be a time such as 2026-11-22T18:00:00Z, not "${text}".`);
  return new Date(text).toISOString();
}
