import { compare } from '../../../device/guardian/decide/compare.ts';
import { decide, decideHealed } from '../../../device/guardian/decide/decide.ts';
import type { Configuration, FieldName, FieldValue } from '../../../device/guardian/decide/fields.ts';
import type { Notice } from '../../../device/guardian/decide/notice.ts';
import { initialWatchState, type WatchState } from '../../../device/guardian/decide/watch-state.ts';

export const goldenConfiguration: Configuration = {
  'broker.host': 'mqtt.example.com',
  'broker.port': 8883,
  topicPrefix: 'axis/ACCC8E000001',
  qos: 1,
  keepAlive: 60,
};

type Notified = { atSeconds: number; notice: Notice };

/**
 * Runs the decisions against a simulated camera and clock: a day takes milliseconds. Heals take no time and succeed, unless `healResult` says
 * otherwise.
 */
export function createSimulation(options: { start?: WatchState; golden?: Configuration } = {}) {
  const golden = options.golden ?? goldenConfiguration;
  let state = options.start ?? initialWatchState;
  let camera: Configuration = { ...golden };
  const notified: Notified[] = [];
  const heals: number[] = [];
  const simulation = {
    notified,
    heals,
    isConnected: true,
    isHealingAllowed: true,
    /** Null: the golden configuration is written and verified. */
    healResult: null as null | { reason: string; isGoldenReached: boolean },
    state: () => state,
    tamper(field: FieldName, value: FieldValue) {
      camera = { ...camera, [field]: value };
    },
    restoreByHand() {
      camera = { ...camera, ...golden };
    },
    fail(atSeconds: number, reason: string) {
      take(atSeconds, decide(state, { status: 'failed', reason }, momentAt(atSeconds)));
    },
    look(atSeconds: number) {
      const differences = compare(golden, camera, 'ACCC8E000001');
      const moment = momentAt(atSeconds);
      const decision = decide(state, { status: 'compared', differences, isConnected: simulation.isConnected }, moment);
      take(atSeconds, decision);
      if (!decision.heal) return;
      heals.push(atSeconds);
      if (simulation.healResult) {
        take(atSeconds, decideHealed(state, { status: 'failed', ...simulation.healResult }, moment));
        return;
      }
      simulation.restoreByHand();
      if (simulation.isConnected) take(atSeconds, decideHealed(state, { status: 'healed', leftover: [] }, moment));
      else
        take(
          atSeconds,
          decideHealed(state, { status: 'failed', reason: 'not connected', isGoldenReached: true }, moment),
        );
    },
    /** Checks every 30 s while an attacker rewrites a field every `periodSeconds`, until `untilSeconds`. */
    fight(field: FieldName, value: FieldValue, periodSeconds: number, untilSeconds: number) {
      for (let second = 0; second <= untilSeconds; second += 1) {
        if (second > 0 && second % periodSeconds === 0) simulation.tamper(field, value);
        if (second % 30 === 0) simulation.look(second);
      }
    },
    timesOf: (kind: Notice['kind']) =>
      notified.filter(({ notice }) => notice.kind === kind).map(({ atSeconds }) => atSeconds),
    last: <Kind extends Notice['kind']>(kind: Kind) =>
      notified.findLast(({ notice }) => notice.kind === kind)?.notice as (Notice & { kind: Kind }) | undefined,
  };

  const momentAt = (atSeconds: number) => ({
    slotMs: atSeconds * 1000,
    nowMs: atSeconds * 1000,
    isHealingAllowed: simulation.isHealingAllowed,
  });
  const take = (atSeconds: number, decision: { state: WatchState; notices: Notice[] }) => {
    // The state must survive being written to disk.
    state = JSON.parse(JSON.stringify(decision.state)) as WatchState;
    notified.push(...decision.notices.map((notice) => ({ atSeconds, notice })));
  };
  return simulation;
}
