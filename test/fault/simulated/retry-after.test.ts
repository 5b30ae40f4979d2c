import { expect, test } from 'vitest';
import { createWebhookSender } from '../../../shared/adapters/channels/webhook/webhook-sender.ts';
import type { OutboundClient } from '../../../shared/adapters/outbound/client.ts';
import { createDispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { msBetween } from '../../../shared/domain/time.ts';
import { endpoint, storeDelivery } from '../../support/records/deliveries.ts';
import { ledger } from '../../support/score/score.ts';
import { box } from '../../support/world/secret-box.ts';
import { createTestWorld } from '../../support/world/world.ts';

type Header = string | string[] | undefined;
/** Values of Retry-After at 10:00:00 on Friday, 20 November 2026, and how many seconds they ask for; 0: no valid delay. */
const asked: [header: Header, seconds: number][] = [
  ...(
    [
      undefined,
      '',
      ' ',
      '0',
      '-1',
      '-3600',
      '+60',
      '1.5',
      '1e3',
      '0x10',
      'NaN',
      'Infinity',
      '-Infinity',
      'null',
    ] as Header[]
  ).map((header): [Header, number] => [header, 0]),
  ...(
    [
      'soon',
      '60 seconds',
      '60s',
      '1,2',
      '10, 20',
      '１２',
      '٣٠',
      '60;',
      '"60"',
      'Tomorrow',
      '2026-11-20T10:05:00Z',
    ] as Header[]
  ).map((header): [Header, number] => [header, 0]),
  ['1', 1],
  ['29', 29],
  ['30', 30],
  ['45', 45],
  [' 90 ', 90],
  ['0045', 45],
  ['119', 119],
  ['600', 600],
  ['3599', 3599],
  ['2026', 2026],
  ['3600', 3600],
  ['3601', 3601],
  ['86400', 86_400],
  ['9999999999', 9_999_999_999],
  ['99999999999999999999', 0],
  ['Fri, 20 Nov 2026 10:00:45 GMT', 45],
  ['Fri, 20 Nov 2026 10:10:00 GMT', 600],
  ['Sat, 21 Nov 2026 10:00:00 GMT', 86_400],
  ['Fri, 20 Nov 2026 09:59:59 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 251_595_475_199],
  ['Friday, 20-Nov-26 10:05:00 GMT', 300],
  ['Fri Nov 20 10:05:00 2026', 300],
  ['Fri, 32 Nov 2026 10:00:00 GMT', 0],
  ['Fri, 20 Nov 2026 25:00:00 GMT', 0],
  [['60', '120'], 120],
  [['120', '60'], 120],
  [['soon', '60'], 60],
  [['-5', 'later'], 0],
];
/** Delays of the contract before attempts 2 to 5, seconds. */
const schedule = [30, 120, 600, 3600];

test('Retry-After can only make a delay longer, up to an hour, whatever its value', async () => {
  const wrong: string[] = [];
  let tried = 0;
  for (const [header, seconds] of asked) {
    for (const [index, delay] of schedule.entries()) {
      tried += 1;
      const world = createTestWorld();
      const { deliveryId } = await storeDelivery(world.store, 's-1', endpoint());
      const answer = { statusCode: 503, retryAfter: header, excerpt: null, failure: null };
      const client = { send: async () => answer } as unknown as OutboundClient;
      const webhook = createWebhookSender({ box, client, now: world.now });
      const dispatcher = createDispatcher(world, { webhook }, () => 0);
      // As if `index` earlier attempts had failed: only the next delay is checked.
      const [stored = null] = await world.store.get('deliveries', [deliveryId]);
      if (!stored) throw new Error('no delivery');
      const data = { ...stored.data, attemptCount: index };
      await world.store.commit([
        { kind: 'replace', in: 'deliveries', id: deliveryId, data, revision: stored.revision },
      ]);
      await dispatcher.attempt(deliveryId);
      const [after = null] = await world.store.get('deliveries', [deliveryId]);
      const waits = msBetween(world.now(), after?.data.dueAt ?? '') / 1000;
      const least = Math.max(delay, Math.min(seconds, 3600));
      if (!(waits >= least && waits <= least + delay / 10 + 0.001)) wrong.push(`${header} after ${delay}: ${waits}`);
    }
  }
  ledger('R7', `answers with ${asked.length} forms of Retry-After × 4 delays`, {
    tried,
    lost: 0,
    wrong: wrong.length,
    doubled: 0,
  });
  expect(wrong).toEqual([]);
  expect(asked.length).toBeGreaterThanOrEqual(50);
});
