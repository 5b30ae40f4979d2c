import { expect, test } from 'vitest';
import { readPushed } from '../../../functions/ingest/message.ts';

const now = '2026-11-20T10:00:00.000Z';
const publishedAt = (publishTime: string) =>
  readPushed({ message: { messageId: '1', publishTime, attributes: {}, data: '' } }, Date.parse(now)).message
    .publishTime;

test('a publish time that has not come yet becomes the present, and any other stands', () => {
  expect(publishedAt('2026-11-20T11:00:00.000Z')).toBe(now);
  expect(publishedAt('2026-11-20T10:00:05.001Z')).toBe(now);
  expect(publishedAt('2026-11-20T10:00:05.000Z')).toBe('2026-11-20T10:00:05.000Z');
  expect(publishedAt('2026-11-20T09:00:00.000Z')).toBe('2026-11-20T09:00:00.000Z');
});
