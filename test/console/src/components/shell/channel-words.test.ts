import { expect, test } from 'vitest';
import { channelWords } from '../../../../../console/src/components/shell/channel-words.ts';
import type { ChannelFailure } from '../../../../../shared/schema/fleet/channel-failure.ts';

const since = '2026-11-20T02:10:00.000Z';
const sms: ChannelFailure = {
  channel: 'sms',
  failingSince: since,
  lastFailedAt: since,
  detail: 'The gateway answered 500.',
  receivers: [],
};
const receiver = (name: string) => ({ name, failingSince: since, isRefused: false });

test('while every channel gets through, no banner is shown', () => {
  expect(channelWords([])).toBeNull();
});

test('a channel that fails for everybody is bad, and says why', () => {
  const words = channelWords([sms]);
  expect(words?.tone).toBe('bad');
  expect(words?.lines).toEqual([
    expect.stringMatching(/^SMS does not get through since .*: nobody hears.* The gateway answered 500\.$/),
  ]);
});

test('receivers by themselves are named, a few of them', () => {
  const receivers = ['ops: a@x.se', 'ops: b@x.se', 'ops: c@x.se', 'ops: d@x.se', 'ops: e@x.se'].map(receiver);
  const words = channelWords([{ ...sms, channel: 'email', failingSince: null, detail: null, receivers }]);
  expect(words).toEqual({
    tone: 'wait',
    lines: ['Email does not reach ops: a@x.se, ops: b@x.se, ops: c@x.se and 2 more.'],
  });
});
