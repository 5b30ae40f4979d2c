import { decideMembership } from '../../domain/change/member-decision.ts';
import type { OpenIncident } from '../../domain/change/steps.ts';
import { decided, nothingRead } from '../change/written.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { World, Write } from '../ports.ts';

/** Losses that one commit changes: each writes its record, a line of its trail and deliveries. */
const mostPerCommit = 50;

/**
 * Makes losses members of an incident, or lets each stand alone (null). Idempotent, and continued by the next look where it was cut off, because what
 * was not reached is not judged.
 */
export async function setMembership(
  world: World,
  alertIds: readonly string[],
  incident: OpenIncident | null,
  why: string,
  loneOf: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  for (let from = 0; from < alertIds.length; from += mostPerCommit) {
    const some = alertIds.slice(from, from + mostPerCommit);
    await decideAndCommit(world, async () => {
      const stored = (await world.store.get('alerts', some)).filter((each) => each !== null);
      const read = { ...nothingRead, alerts: new Map(stored.map((each) => [each.id, each])) };
      const { change, writes, wakes } = await decided(world, read, world.now(), (known, given) =>
        decideMembership(
          stored.map(({ data }) => data),
          { incident, loneOf, why },
          known,
          given,
        ),
      );
      const changed = new Set(change.alerts.map(({ alertId }) => alertId));
      const others = stored.filter(({ id, data }) => !data.isJudged && !changed.has(id));
      const marks = others.map(({ id }): Write => ({ kind: 'patch', in: 'alerts', id, set: { isJudged: true } }));
      return { writes: [...writes, ...marks], wakes, answer: undefined };
    });
  }
}
