import { expect, test } from 'vitest';
import { derive } from '../../../../shared/domain/sight/intervals.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { postOf } from '../../../support/notify/post.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind } from '../../../support/world/living-fleet.ts';
import { incidentsOf } from '../../../support/world/places.ts';
import type { TestWorld } from '../../../support/world/world.ts';

const cameras = behind('a', '1', 6);
const others = behind('b', '1', 6);
const clockOf = (at: string) => at.slice(11, 16);

async function lossesOf({ store }: TestWorld) {
  const found = await store.find({ in: 'alerts', limit: 100 });
  return found.map(({ data }) => data).filter(({ code }) => code === 'CONN_001');
}

/** What the ledger, and so the report of availability, records of the last time in which each camera was dark. */
async function recordedOf({ store, now, waits }: TestWorld) {
  const found = await store.get('devices', cameras);
  return found.map((stored) => {
    if (!stored) throw new Error('no camera');
    const span = derive(stored.data, stored.data.registeredAt, now(), waits);
    const last = span?.intervals.at(-1);
    if (!last) throw new Error('nothing is recorded');
    return last;
  });
}

const mailsOf = (world: TestWorld, part: string) =>
  postOf(world).sent.flatMap(({ channel, text }) => (channel === 'email' && text.includes(part) ? [text] : []));

test.each([
  ['silent', 'hush'],
  ['lost, as the broker tells', 'darken'],
] as const)(
  'alert, incident, message and ledger say the same of when cameras were %s, within bounds that hold the truth',
  async (_, how) => {
    const { world, minutes, light, ...fleet } = await lateFleet([...cameras, ...others]);
    await minutes(10);
    // Its last report was 10 seconds ago, whatever of it was written; the next would have come in 50.
    const darkFrom = how === 'hush' ? plus(world.now(), -10_000) : world.now();
    await fleet[how](cameras);
    await minutes(20);
    const litAt = world.now();
    await light(cameras);
    await minutes(5);

    const recorded = await recordedOf(world);
    for (const { begin, end } of recorded) {
      expect(begin[0] <= darkFrom && darkFrom <= begin[1]).toBe(true);
      expect(end[0] <= litAt && litAt <= end[1]).toBe(true);
    }
    const losses = await lossesOf(world);
    expect(losses).toHaveLength(6);
    const byCamera = new Map(losses.map((loss) => [loss.deviceId, loss]));
    for (const [index, { begin, end }] of recorded.entries()) {
      const { context, resolvedAt } = byCamera.get(cameras[index] ?? '') ?? {};
      expect(begin).toContain(context?.lastConnected);
      expect(resolvedAt).toBe(end[1]);
      if (how === 'hush') expect(context?.lastReportBy && darkFrom <= context.lastReportBy).toBe(true);
      else expect(context?.lastReportBy).toBeUndefined();
    }
    const [outage] = await incidentsOf(world);
    const since = losses.map(({ context }) => context.lastConnected ?? '').toSorted()[0] ?? '';
    const back =
      losses
        .map(({ resolvedAt }) => resolvedAt ?? '')
        .toSorted()
        .at(-1) ?? '';
    expect([outage?.timestamp, outage?.endedAt]).toEqual([since, back]);
    const [opening] = mailsOf(world, 'Outage at a since');
    expect(opening).toContain(`since ${clockOf(since)}`);
    const by = losses.find(({ context }) => context.lastConnected === since)?.context.lastReportBy;
    if (how === 'hush') expect(opening).toContain(`Last report ${clockOf(since)} to ${clockOf(by ?? '')}.`);
    else expect(opening).not.toContain('Last report');
    const [over] = mailsOf(world, 'Outage at a: over');
    expect(over).toContain(`from ${clockOf(since)} to ${clockOf(back)}`);
  },
);
