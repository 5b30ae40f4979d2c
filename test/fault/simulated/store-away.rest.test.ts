import { expect, test } from 'vitest';
import { pushRetries } from '../../../local/cloud/push/settings.ts';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { handleWake } from '../../../shared/app/due/handle-wake.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { isDueKind } from '../../../shared/app/due/table.ts';
import { takeDeadLetter, takeMessage } from '../../../shared/app/intake/take-message.ts';
import { canaryAttribute } from '../../../shared/domain/sight/canary.ts';
import { detection } from '../../support/records/detections.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { createVirtualClock, withVirtualTimers } from '../../support/simulation/clock.ts';
import { createTasks } from '../../support/simulation/cloud.ts';
import { createInstance, type Weather } from '../../support/simulation/instances.ts';
import { createOrderedPubSub, type Retries } from '../../support/simulation/ordered-pub-sub.ts';
import { compareOnce, type Findings, readKept } from '../../support/simulation/records.ts';
import { canariesUnder, clear, seal } from '../../support/simulation/sky.ts';
import { frames } from '../../support/world/frames.ts';
import { createRandom } from '../../support/world/random.ts';

const second = 1000;
const minute = 60 * second;
/** Each reports once a minute. */
const cameras = sizeOf(40, 1000);
const before = 10 * minute;
const away = 120 * minute;
const caughtUpWithin = 10 * minute;
const intake = { bridgeDialect: 'native', autoRegister: true, frames, canarySeal: seal } as const;

type Given = { cameras: number; awayMs: number; retries: Retries };

/** Runs a fleet whose store is away for `awayMs`. A run with 0 gives the expected result. */
async function live({ cameras: count, awayMs, retries }: Given) {
  const clock = createVirtualClock();
  const random = createRandom(15);
  return withVirtualTimers(clock, random.next, async () => {
    const store = createMemoryStore();
    const startMs = clock.ms();
    const [from, until] = [startMs + before, startMs + before + awayMs];
    const endMs = startMs + before + away + before + caughtUpWithin;
    const weather: Weather = {
      ...{ storeFaults: 0, outages: [{ from, until }], killEvery: 0, wakeFaults: 0, copies: 0, onTheWay: 0 },
      calmFrom: endMs,
    };
    const ground = { store, clock, random, weather };
    const waker = createTasks(ground, async ({ in: kind, id }) => {
      if (isDueKind(kind)) await handleWake(world, kind, id, false);
    });
    const { world } = createInstance({ ...ground, waker });
    const pubSub = createOrderedPubSub(
      ground,
      retries,
      (message, isRepeat) => takeMessage(world, message, intake, isRepeat),
      async (message) => {
        // The subscription of dead letters retries without end.
        for (let isTaken = false; !isTaken; ) {
          isTaken = await takeDeadLetter(world, message, intake).then(
            () => true,
            () => false,
          );
          if (!isTaken) await clock.sleep(minute);
        }
      },
    );
    const canaries = canariesUnder(clear, clock, (message) => {
      const { n } = JSON.parse(message.data.toString()) as { n: number };
      pubSub.publish(`canary-${message.attributes[canaryAttribute] ?? 'broker'}-${n}`, message);
    });
    const each = (everyMs: number, firstMs: number, lastMs: number, act: (n: number) => void) => {
      for (let at = firstMs, n = 0; at < lastMs; at += everyMs, n += 1) clock.after(at - clock.ms(), () => act(n));
    };
    const sessions: string[] = [];
    for (let camera = 0; camera < count; camera += 1) {
      const deviceId = `cam-${camera}`;
      each(minute, startMs + second + random.below(minute), endMs - 2 * minute, (n) => {
        const say = (kind: string, body: object) =>
          pubSub.publish(deviceId, {
            messageId: `${deviceId}-${kind}-${n}`,
            publishTime: clock.now(),
            attributes: { deviceId, kind },
            data: Buffer.from(JSON.stringify(body)),
          });
        if (n % 10 === 5) {
          sessions.push(`${deviceId}-${n}`);
          return say('detection', detection(`${deviceId}-${n}`));
        }
        // Half an hour above the threshold and half an hour below, with another offset for each camera.
        const usedPercent = Math.floor((n + camera) / 30) % 2 === 0 ? 40 : 85;
        say('status', { groupId: `site-${camera % 4}`, firmware: String(n), memory: { usedPercent } });
      });
    }
    each(minute, startMs, endMs, () => void sweep(world, canaries).catch(() => {}));
    let caughtUpMs: number | null = null;
    each(second, until, endMs, () => {
      // The backlog is gone: new messages are taken at once again.
      if (pubSub.counts.waiting <= count / 100) caughtUpMs ??= clock.ms() - until;
    });
    await clock.runUntil(endMs);
    return { kept: await readKept(store), sessions, counts: pubSub.counts, caughtUpMs };
  });
}

type Lived = Awaited<ReturnType<typeof live>>;

/** For each camera the firmware of its last report, which is its number, and the changes of its RES_002 alerts in order. */
function notified({ kept }: Lived): Map<string, string> {
  const codeOf = new Map(kept.alerts.map(({ alertId, code, deviceId }) => [alertId, { code, deviceId }]));
  const trails = kept.audit
    .flatMap(({ alertId, at, action }) => {
      const { code = '', deviceId = '' } = codeOf.get(alertId) ?? {};
      return code === 'RES_002' ? [{ deviceId, at, action }] : [];
    })
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const lines = new Map(kept.devices.map(({ deviceId, firmware }) => [deviceId, `${firmware}:`]));
  for (const { deviceId, action } of trails) lines.set(deviceId, `${lines.get(deviceId)} ${action}`);
  return lines;
}

test('while the store is down for two hours, no report is lost or quarantined, and the order is kept', async () => {
  const given = { cameras, awayMs: away, retries: pushRetries.messages };
  const lived = await live(given);
  const { kept, sessions, counts, caughtUpMs } = lived;
  const findings: Findings = { lost: [], wrong: [], doubled: [] };
  const found = kept.detections.map(({ sessionId }) => sessionId);
  compareOnce(findings, 'detection', sessions, found);
  const [seen, wanted] = [notified(lived), notified(await live({ ...given, awayMs: 0 }))];
  const lateMs = caughtUpMs ?? Number.POSITIVE_INFINITY;
  ledger('R15', `${cameras} cameras, two hours without the store; caught up in ${(lateMs / minute).toFixed(1)} min`, {
    tried: counts.taken,
    ...{ lost: findings.lost.length, wrong: findings.wrong.length, doubled: findings.doubled.length },
  });
  expect(findings).toEqual({ lost: [], wrong: [], doubled: [] });
  expect(kept.quarantine).toEqual([]);
  expect(counts.waiting).toBe(0);
  expect(lateMs).toBeLessThan(caughtUpWithin);
  expect(counts.tries).toBeGreaterThan(counts.taken + cameras * 20);
  // As if the store had never been away.
  expect([...seen]).toEqual([...wanted]);
  // No camera was declared lost while the platform was blind.
  expect(kept.alerts.filter(({ code }) => code.startsWith('CONN_'))).toEqual([]);
}, 3_600_000);

test('with only five attempts, ten minutes without the store quarantine reports; with a hundred none', async () => {
  const given = { cameras: 3, awayMs: 10 * minute };
  const kept = await live({ ...given, retries: pushRetries.messages });
  const before = await live({ ...given, retries: { ...pushRetries.messages, maxAttempts: 5 } });
  expect(kept.kept.quarantine).toEqual([]);
  expect(before.kept.quarantine.length).toBeGreaterThan(10);
});
