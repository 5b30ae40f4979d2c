import { describe, expect, test } from 'vitest';
import { createSimulation } from '../../../support/guardian/simulation.ts';

const day = 24 * 3600;

describe('an adversary who rewrites the broker', () => {
  const fights: [
    periodSeconds: number,
    firstDrifts: number[],
    conflictAt: number,
    window: string,
    driftCount: number,
  ][] = [
    [1, [30, 60, 90, 120], 120, '5m', 4],
    [20, [30, 60, 90, 120], 120, '5m', 4],
    [29, [30, 60, 90, 120], 120, '5m', 4],
    [31, [60, 90, 120, 150], 150, '5m', 4],
    [79, [90, 180, 240, 330], 330, '5m', 4],
    // Four changes span 303 s: never a fast conflict, but the tenth within a day is a slow fight.
    [101, [120, 210, 330, 420], 1020, '24h', 10],
  ];
  test.each(fights)(
    'every %d s causes a drift at each look after it, and one conflict in a day',
    (period, firstDrifts, conflictAt, window, driftCount) => {
      const simulation = createSimulation();
      simulation.fight('broker.host', 'evil.example.net', period, day);
      const drifts = simulation.timesOf('drift');
      const dueDrifts = ticks(day).filter(
        (tick) => Math.floor(tick / period) > Math.floor((tick - 30) / period) && tick > 0,
      );
      expect(drifts.slice(0, 4)).toEqual(firstDrifts);
      expect(drifts).toEqual(dueDrifts);
      expect(simulation.timesOf('healed')).toEqual(dueDrifts);
      expect(simulation.timesOf('conflict')).toEqual([conflictAt]);
      expect(simulation.last('conflict')).toMatchObject({ window, driftCount, healAttempts: driftCount - 1 });
    },
  );

  test('after a pause longer than the window begins another conflict', () => {
    const simulation = createSimulation();
    simulation.fight('broker.host', 'evil.example.net', 30, 120);
    for (const tick of ticks(600)) simulation.look(120 + tick);
    for (const tick of [750, 780, 810, 840]) {
      simulation.tamper('broker.host', 'evil.example.net');
      simulation.look(tick);
    }
    expect(simulation.timesOf('conflict')).toEqual([120, 840]);
  });

  test('without healing is one drift and no conflict while the value stays the same', () => {
    const simulation = createSimulation();
    simulation.healResult = { reason: 'ignored', isGoldenReached: false };
    simulation.tamper('broker.host', 'evil.example.net');
    for (const tick of ticks(3600)) simulation.look(tick);
    expect(simulation.timesOf('drift')).toEqual([0]);
    expect(simulation.timesOf('conflict')).toEqual([]);
    expect(simulation.heals).toEqual(ticks(3600));
    expect(simulation.timesOf('event')).toEqual([0]);
  });

  test('and uses another value causes another drift', () => {
    const simulation = createSimulation();
    simulation.healResult = { reason: 'ignored', isGoldenReached: false };
    for (const [tick, host] of [
      [0, 'a'],
      [30, 'a'],
      [60, 'b'],
      [90, 'b'],
    ] as const) {
      simulation.tamper('broker.host', host);
      simulation.look(tick);
    }
    expect(simulation.timesOf('drift')).toEqual([0, 60]);
  });

  test('right after a verified heal causes another drift, even if the heal is reported as failed', () => {
    const simulation = createSimulation();
    simulation.healResult = { reason: 'The camera was changed again during the heal.', isGoldenReached: true };
    simulation.tamper('broker.host', 'evil.example.net');
    for (const tick of ticks(90)) simulation.look(tick);
    expect(simulation.timesOf('drift')).toEqual([0, 30, 60, 90]);
    expect(simulation.timesOf('conflict')).toEqual([90]);
    expect(simulation.timesOf('healed')).toEqual([]);
  });

  test('in a HIGH field delays healing by 30, 60, 120 and 300 s; in a CRITICAL field never', () => {
    const high = createSimulation();
    high.fight('topicPrefix', 'evil', 1, 1300);
    expect(high.timesOf('conflict')).toEqual([120]);
    expect(high.heals).toEqual([30, 60, 90, 150, 210, 330, 630, 930, 1230]);
    const critical = createSimulation();
    critical.fight('broker.host', 'evil', 1, 1300);
    expect(critical.heals).toEqual(ticks(1300).slice(1));
  });

  test('starts again without backoff once the conflict is over', () => {
    const simulation = createSimulation();
    simulation.fight('topicPrefix', 'evil', 1, 150);
    for (const tick of [180, 210, 240, 270, 300, 330, 360, 390, 420, 450]) simulation.look(tick);
    expect(simulation.state().isConflict).toBe(false);
    simulation.tamper('topicPrefix', 'evil');
    simulation.look(480);
    expect(simulation.heals.at(-1)).toBe(480);
  });
});

describe('a drift', () => {
  test('is announced once with all its fields, healed at once and announced as healed', () => {
    const simulation = createSimulation();
    simulation.tamper('broker.host', 'evil.example.net');
    simulation.tamper('keepAlive', 5);
    simulation.look(30);
    expect(simulation.notified.map(({ notice }) => notice)).toEqual([
      {
        kind: 'drift',
        action: 'HEALING',
        differences: [
          { name: 'broker.host', expected: 'mqtt.example.com', actual: 'evil.example.net', severity: 'CRITICAL' },
          { name: 'keepAlive', expected: 60, actual: 5, severity: 'LOW' },
        ],
      },
      { kind: 'healed', fields: ['broker.host', 'keepAlive'], durationMs: 0 },
    ]);
  });

  test('of MEDIUM severity is announced and left to a person', () => {
    const simulation = createSimulation();
    simulation.tamper('qos', 0);
    for (const tick of ticks(120)) simulation.look(tick);
    expect(simulation.last('drift')).toMatchObject({ action: 'ALERT_ONLY' });
    expect(simulation.timesOf('drift')).toEqual([0]);
    expect(simulation.heals).toEqual([]);
  });

  test('of LOW severity is neither announced nor healed', () => {
    const simulation = createSimulation();
    simulation.tamper('keepAlive', 5);
    for (const tick of ticks(120)) simulation.look(tick);
    expect(simulation.notified).toEqual([]);
    expect(simulation.heals).toEqual([]);
  });

  test('that somebody else corrects is announced as an event and not as healed', () => {
    const simulation = createSimulation();
    simulation.isHealingAllowed = false;
    simulation.tamper('broker.host', 'evil.example.net');
    simulation.look(0);
    simulation.restoreByHand();
    simulation.look(30);
    expect(simulation.last('drift')).toMatchObject({ action: 'ALERT_ONLY' });
    expect(simulation.last('event')).toMatchObject({ type: 'configuration_restored' });
    expect(simulation.timesOf('healed')).toEqual([]);
  });

  test('that is still there when a maintenance window ends is healed then', () => {
    const simulation = createSimulation();
    simulation.isHealingAllowed = false;
    simulation.tamper('broker.host', 'evil.example.net');
    simulation.look(0);
    simulation.look(30);
    simulation.isHealingAllowed = true;
    simulation.look(60);
    expect(simulation.heals).toEqual([60]);
    expect(simulation.timesOf('drift')).toEqual([0]);
    expect(simulation.timesOf('healed')).toEqual([60]);
  });

  test('is healed only when the client is connected again, and the duration says how long that took', () => {
    const simulation = createSimulation();
    simulation.isConnected = false;
    simulation.tamper('broker.host', 'evil.example.net');
    for (const tick of [0, 30, 60, 90]) simulation.look(tick);
    expect(simulation.timesOf('healed')).toEqual([]);
    expect(simulation.heals).toEqual([0]);
    simulation.isConnected = true;
    simulation.look(120);
    expect(simulation.last('healed')).toEqual({ kind: 'healed', fields: ['broker.host'], durationMs: 120_000 });
  });

  test('whose heal fails is announced once for each reason, and the heal is tried again at every look', () => {
    const simulation = createSimulation();
    simulation.tamper('broker.host', 'evil.example.net');
    for (const [tick, reason] of [
      [0, 'timeout'],
      [30, 'timeout'],
      [60, 'refused'],
      [90, 'refused'],
    ] as const) {
      simulation.healResult = { reason, isGoldenReached: false };
      simulation.look(tick);
    }
    simulation.healResult = null;
    simulation.look(120);
    expect(simulation.heals).toEqual([0, 30, 60, 90, 120]);
    expect(simulation.timesOf('event')).toEqual([0, 60]);
    expect(simulation.timesOf('healed')).toEqual([120]);
  });
});

describe('a camera that cannot be read', () => {
  test('makes the guardian report itself as blind once, after three looks', () => {
    const simulation = createSimulation();
    for (const tick of ticks(300)) simulation.fail(tick, 'unauthorized');
    expect(simulation.timesOf('event')).toEqual([60]);
    expect(simulation.last('event')).toMatchObject({ type: 'guardian_blind', reason: 'unauthorized' });
  });

  test('at one look only is not announced, and an open drift stays open', () => {
    const simulation = createSimulation();
    simulation.healResult = { reason: 'timeout', isGoldenReached: false };
    simulation.tamper('broker.host', 'evil.example.net');
    simulation.look(0);
    simulation.fail(30, 'timeout');
    simulation.look(60);
    expect(simulation.timesOf('drift')).toEqual([0]);
  });
});

describe('a new golden configuration', () => {
  const start = { ...createSimulation().state(), previous: { 'broker.host': 'old.example.com', 'broker.port': 8883 } };

  test('is written to a camera with the old configuration, with one event and no drift', () => {
    const simulation = createSimulation({ start });
    simulation.tamper('broker.host', 'old.example.com');
    simulation.look(0);
    expect(simulation.heals).toEqual([0]);
    expect(simulation.notified.map(({ notice }) => notice.kind)).toEqual(['event']);
    expect(simulation.last('event')).toMatchObject({ type: 'config_updated' });
    expect(simulation.state().previous).toBeNull();
  });

  test('does not hide a drift from both the old and the new configuration', () => {
    const simulation = createSimulation({ start });
    simulation.tamper('broker.host', 'evil.example.net');
    simulation.look(0);
    expect(simulation.timesOf('drift')).toEqual([0]);
    expect(simulation.timesOf('healed')).toEqual([0]);
  });

  test('waits for the end of a maintenance window', () => {
    const simulation = createSimulation({ start });
    simulation.isHealingAllowed = false;
    simulation.tamper('broker.host', 'old.example.com');
    simulation.look(0);
    expect(simulation.notified).toEqual([]);
    simulation.isHealingAllowed = true;
    simulation.look(30);
    expect(simulation.heals).toEqual([30]);
  });
});

function ticks(untilSeconds: number): number[] {
  return Array.from({ length: Math.floor(untilSeconds / 30) + 1 }, (_, slot) => slot * 30);
}
