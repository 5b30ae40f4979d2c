import type { JSX } from 'preact';
import type { OnCall } from '../../../../shared/schema/settings/on-call.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { at } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { Time } from '../../components/time.tsx';
import { stepText } from './duty-text.ts';

/** Who is on call in a team now and next, and whom its escalations notify. */
export function Duty({ team }: { team: Team }): JSX.Element {
  const { rotations = [], escalation } = team;
  return (
    <>
      {rotations.length > 0 ? <OnCallNow name={team.name} /> : null}
      <p class="quiet">
        {escalation
          ? `Nobody answers: ${escalation.steps.map(stepText).join(' → ')} (minutes after the response time)`
          : 'Nobody answers: as the settings say'}
      </p>
    </>
  );
}

function OnCallNow({ name }: { name: string }): JSX.Element | null {
  const found = useResource<OnCall>(at('teams', name, 'on-call'), { everyMs: 60_000 });
  if (found.failure) return <p class="notice problem">Who is on call could not be read.</p>;
  if (!found.data) return null;
  return (
    <ul class="plain-list" aria-label={`On call in ${name}`}>
      {found.data.rotations.map((rotation, index) => (
        <Turns key={index} rotation={rotation} />
      ))}
    </ul>
  );
}

function Turns({ rotation: { now, next } }: { rotation: OnCall['rotations'][number] }): JSX.Element {
  return (
    <li>
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
    </li>
  );
}
