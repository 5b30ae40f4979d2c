import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { put, requireVersion } from '../../../../shared/app/commit/commit.ts';
import { noticeOf } from '../../../../shared/app/commit/notice.ts';
import { sideBySide } from '../../../../shared/app/commit/side-by-side.ts';

import { endpoint } from '../../../support/records/deliveries.ts';
import { startOfTests } from '../../../support/world/world.ts';

describe('the version of a record that a caller has seen', () => {
  test.each([
    [null, 7],
    [7, 7],
    [0, 0],
  ])('%s is accepted for version %i', (ifVersion, version) => {
    expect(() => requireVersion('rule', version, ifVersion)).not.toThrow();
  });

  test.each([6, 8, 0])('%i is refused for version 7', (ifVersion) => {
    expect(() => requireVersion('rule', 7, ifVersion)).toThrow(
      expect.objectContaining({
        code: 'precondition-failed',
        message: 'The rule has changed: it is at version "7".',
      }),
    );
  });
});

test('a record is created if none was read; otherwise only the state that was read is replaced', async () => {
  const data = endpoint();
  const id = data.webhookId;
  expect(put('webhooks', id, data, null)).toEqual({ kind: 'create', in: 'webhooks', id, data });
  const store = createMemoryStore();
  await store.commit([put('webhooks', id, data, null)]);
  const [stored = null] = await store.get('webhooks', [id]);
  const next = { ...data, version: 2 };
  expect(put('webhooks', id, next, stored)).toEqual({
    ...{ kind: 'replace', in: 'webhooks', id, data: next },
    revision: stored?.revision,
  });
});

test('a notice is due at once, has a wake for its first version and is kept as long as the trail', () => {
  const notice = { noticeId: 'n-1', kind: 'endpoint-disabled', text: 'An endpoint was disabled.' } as const;
  const { write, wake } = noticeOf(notice, startOfTests);
  expect(wake).toEqual({ in: 'notices', id: 'n-1', version: 1, dueAt: startOfTests });
  const times = { at: startOfTests, dueAt: startOfTests, expireAt: '2027-12-25T10:00:00.000Z' };
  expect(write).toEqual({
    kind: 'create',
    in: 'notices',
    id: 'n-1',
    data: { ...notice, team: 'operations', ...times },
  });
});

describe('concurrent items', () => {
  test('are each handled once, sixteen at a time', async () => {
    const handled: number[] = [];
    let running = 0;
    let most = 0;
    await sideBySide(
      Array.from({ length: 40 }, (_, index) => index),
      async (item) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        handled.push(item);
      },
    );
    expect(most).toBe(16);
    expect(handled.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  test('end with the first failure', async () => {
    const fails = async (item: number) => {
      if (item === 2) throw new Error(`item ${item}`);
    };
    await expect(sideBySide([1, 2, 3], fails)).rejects.toThrow('item 2');
  });
});
