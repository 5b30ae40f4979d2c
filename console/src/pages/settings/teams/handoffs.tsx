import type { JSX } from 'preact';
import type { Handoff } from '../../../../../shared/schema/settings/handoff.ts';
import { handoffTable } from '../../../../../shared/schema/settings/handoff-kinds.ts';
import type { Team } from '../../../../../shared/schema/settings/team.ts';
import { at, write } from '../../../client/api.ts';
import { say, sayFailure } from '../../../components/toast.tsx';

/** The systems to which a team's alerts and incidents are handed over, with a test for each. */
export function Handoffs({ team, mayTest }: { team: Team; mayTest: boolean }): JSX.Element | null {
  if (team.handoffs.length === 0) return null;
  const test = async ({ handoffId, name }: Handoff) => {
    try {
      await write('POST', at('teams', team.name, 'test'), { handoffId });
      say(`A test is on its way to ${name}; see Deliveries. It is over in ten seconds.`);
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <>
      {team.handoffs.map((handoff) => (
        <div key={handoff.handoffId}>
          <dt>{handoffTable[handoff.kind].title}</dt>
          <dd>
            <span>
              {handoff.name}: {handoff.severities.join(', ')}
            </span>
            {mayTest ? (
              <button
                type="button"
                class="button small"
                aria-label={`Test ${handoff.name} of ${team.name}`}
                onClick={() => void test(handoff)}
              >
                Test
              </button>
            ) : null}
          </dd>
        </div>
      ))}
    </>
  );
}
