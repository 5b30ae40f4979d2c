import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { OnCall } from '../../../../shared/schema/settings/on-call.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { at } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { Time } from '../../components/time.tsx';
import { stepText } from './duty-text.ts';
import { RotationDialog } from './rotation-dialog.tsx';

type Props = { team: Team; mayWrite: boolean; onChanged: () => unknown };

/** Who is on call in a team now and next, and whom its escalations notify. */
export function Duty(props: Props): JSX.Element {
  const { rotations = [], escalation } = props.team;
  return (
    <>
      {rotations.length > 0 ? <OnCallNow {...props} /> : null}
      <p class="quiet">
        {escalation
          ? `Nobody answers: ${escalation.steps.map(stepText).join(' → ')} (minutes after the response time)`
          : 'Nobody answers: as the settings say'}
      </p>
    </>
  );
}

function OnCallNow({ team, mayWrite, onChanged }: Props): JSX.Element | null {
  const found = useResource<OnCall>(at('teams', team.name, 'on-call'), { everyMs: 60_000 });
  const [edited, setEdited] = useState<number | null>(null);
  if (found.failure) return <p class="notice problem">Who is on call could not be read.</p>;
  if (!found.data) return null;
  const rotation = edited === null ? null : team.rotations?.[edited];
  return (
    <>
      <ul class="on-call" aria-label={`On call in ${team.name}`}>
        {found.data.rotations.map((each, index) => (
          <li key={index}>
            <Turns rotation={each} />
            {mayWrite ? (
              <button
                type="button"
                class="button small"
                aria-label={`Stand-ins of rotation ${index + 1} of ${team.name}`}
                onClick={() => setEdited(index)}
              >
                Stand-ins
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {edited !== null && rotation ? (
        <RotationDialog
          team={team}
          index={edited}
          rotation={rotation}
          onClose={() => {
            setEdited(null);
            void found.reload();
            void onChanged();
          }}
        />
      ) : null}
    </>
  );
}

function Turns({ rotation: { now, next } }: { rotation: OnCall['rotations'][number] }): JSX.Element {
  return (
    <span>
      {now ? (
        <>
          On call: <strong>{now.name}</strong>
          {now.to ? (
            <>
              {' '}
              until <Time at={now.to} form="full" />
            </>
          ) : null}
        </>
      ) : (
        <strong class="problem">Nobody is on call: escalations reach operations.</strong>
      )}
      {next ? (
        <>
          , then {next.name}
          {next.from ? (
            <>
              {' '}
              from <Time at={next.from} form="full" />
            </>
          ) : null}
        </>
      ) : null}
    </span>
  );
}
