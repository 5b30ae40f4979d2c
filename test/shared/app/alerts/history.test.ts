import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AlertCommand, actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { decided, nothingRead } from '../../../../shared/app/change/written.ts';
import { decideAndCommit } from '../../../../shared/app/commit/commit.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import type { World } from '../../../../shared/app/ports.ts';
import type { AlertRecord } from '../../../../shared/domain/alert/alert.ts';
import { replay } from '../../../../shared/domain/alert/lifecycle.ts';
import { decideOneAlert } from '../../../../shared/domain/change/decide.ts';
import { AppError } from '../../../../shared/errors.ts';
import { alertOf, ana, giveRule, giveTeam, openTestAlert } from '../../../support/records/alerts.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { createTestWorld } from '../../../support/world/world.ts';

type Move =
  | { kind: 'command'; command: AlertCommand }
  | { kind: 'pass'; seconds: number }
  | { kind: 'end' }
  | { kind: 'return'; flapping: boolean }
  | { kind: 'sight' };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc
    .constantFrom<AlertCommand>(
      { kind: 'acknowledge' },
      { kind: 'resolve', comment: 'done' },
      { kind: 'reopen' },
      { kind: 'snooze', minutes: 10 },
      { kind: 'unacknowledge' },
      { kind: 'unsnooze' },
      { kind: 'add-note', text: 'seen' },
    )
    .map((command) => ({ kind: 'command' as const, command })),
  fc
    .oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 4000 }))
    .map((seconds) => ({ kind: 'pass' as const, seconds })),
  fc.constant({ kind: 'end' as const }),
  fc.boolean().map((flapping) => ({ kind: 'return' as const, flapping })),
  fc.constant({ kind: 'sight' as const }),
);

/** The lifecycle of an alert: the record without the members that a repeated report updates. */
function lifeOf({ message: _1, context: _2, occurrences: _3, lastSeenAt: _4, ...life }: AlertRecord) {
  return life;
}

async function make(world: World & { pass(seconds: number): string }, alertId: string, each: Move): Promise<void> {
  const now = world.now();
  const byDevice = (change: Parameters<typeof decideOneAlert>[1]) =>
    decideAndCommit(world, async () => {
      const [stored = null] = await world.store.get('alerts', [alertId]);
      const read = { ...nothingRead, alerts: new Map([[alertId, stored]]) };
      const outcome =
        stored &&
        (await decided(world, read, now, (known, given) =>
          decideOneAlert(stored.data, change, 'device', known, given),
        ));
      return outcome?.kind === 'change'
        ? { ...outcome, answer: undefined }
        : { writes: [], wakes: [], answer: undefined };
    });
  switch (each.kind) {
    case 'command':
      await actOnAlert(world, ana, alertId, each.command, null).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'invalid-transition') throw error;
      });
      return;
    case 'pass':
      world.pass(each.seconds);
      await handleDue(world, 'alerts', alertId);
      return;
    case 'end':
      return byDevice({ kind: 'end', resolution: 'automatic', why: 'The condition ended' });
    case 'return': {
      const notifyAfter = each.flapping ? '2026-11-21T00:00:00.000Z' : null;
      return byDevice({ kind: 'return', why: 'The condition returned', flapping: each.flapping, notifyAfter });
    }
    case 'sight':
      await world.store.commit([
        { kind: 'patch', in: 'alerts', id: alertId, set: { lastSeenAt: now }, add: { occurrences: 1 } },
      ]);
      return;
    default:
      return each satisfies never;
  }
}

test('replaying the trail of an alert gives its state after any sequence of events; sightings have no entries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 25 }), fc.boolean(), async (moves, escalates) => {
      const world = createTestWorld();
      await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
      if (escalates) {
        await giveRule(world, { name: 'r', condition: { code: 'CONN_*' }, action: { escalate_to: 'operations' } });
      }
      const alertId = await openTestAlert(world);
      for (const each of moves) await make(world, alertId, each);
      const trail = await world.store.find({
        in: 'audit',
        where: [{ field: 'alertId', is: '==', value: alertId }],
        limit: 1000,
      });
      const alert = await alertOf(world, alertId);
      expect(trail).toHaveLength(alert.version);
      expect(lifeOf(replay(trail.map(({ data }) => data)))).toEqual(lifeOf(alert));
      expect(alert.resolved).toBe(!alert.isOpen);
      for (const [index, { data }] of trail.entries()) {
        expect(data.from).toBe(index === 0 ? null : trail[index - 1]?.data.to);
      }
    }),
    { numRuns: unlessQuick(60, 300) },
  );
});
