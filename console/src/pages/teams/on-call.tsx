import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { OnCall } from '../../../../shared/schema/settings/on-call.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { daysOfTurns } from '../../../../shared/schema/vocabulary.ts';
import { at } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { Time } from '../../components/time.tsx';
import { minuteTime } from '../../format.ts';
import { RotationDialog } from './rotation-dialog.tsx';
import { stepWords } from './step-words.ts';

type Props = { team: Team; mayWrite: boolean; onChanged: () => unknown };

/** Whom the escalations of a team tell, with who that is now, and who is on call in the next weeks. */
export function Duty(props: Props): JSX.Element {
  const { name, rotations = [] } = props.team;
  const found = useResource<OnCall>(rotations.length > 0 ? at('teams', name, 'on-call') : null, { everyMs: 60_000 });
  const onCall = found.data?.rotations.map(({ now }) => now?.name ?? 'nobody') ?? [];
  return (
    <>
      {found.failure ? <p class="notice problem">Who is on call could not be read.</p> : null}
      {found.data ? <OnCallNow {...props} onCall={found.data} reload={found.reload} /> : null}
      <Steps team={props.team} onCall={onCall} />
    </>
  );
}

function Steps({ team, onCall }: { team: Team; onCall: readonly string[] }): JSX.Element {
  const { escalation, people = [] } = team;
  const nameOf = (id: string) => people.find(({ personId }) => personId === id)?.name ?? id;
  if (!escalation) return <p class="quiet">Nobody answers: as the settings say.</p>;
  return (
    <section aria-label={`If nobody answers in ${team.name}`}>
      <h3>If nobody answers</h3>
      <ol class="steps">
        {escalation.steps.map((step, index) => (
          <li key={index}>
            <span class="quiet">{step.afterMinutes === 0 ? 'at once' : `${step.afterMinutes} min`}</span>
            <span>{stepWords(step, nameOf, onCall)}</span>
          </li>
        ))}
        <li>
          <span class="quiet">then</span>
          <span>the last again every {escalation.repeatMinutes ?? 30} min, until somebody has it</span>
        </li>
      </ol>
    </section>
  );
}

type NowProps = Props & { onCall: OnCall; reload: () => unknown };

function OnCallNow({ team, mayWrite, onChanged, onCall, reload }: NowProps): JSX.Element {
  const [edited, setEdited] = useState<number | null>(null);
  const rotation = edited === null ? null : team.rotations?.[edited];
  return (
    <>
      <ul class="on-call" aria-label={`On call in ${team.name}`}>
        {onCall.rotations.map((each, index) => (
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
            <Weeks turns={each.turns} from={onCall.at} />
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
            void reload();
            void onChanged();
          }}
        />
      ) : null}
    </>
  );
}

type Shown = OnCall['rotations'][number];

const spanMs = daysOfTurns * 24 * 60 * 60_000;

/** Who is on call in the next four weeks, as a strip. */
function Weeks({ turns, from }: { turns: Shown['turns']; from: string }): JSX.Element {
  const begin = Date.parse(from);
  const partOf = (instant: string | null, otherwise: number) =>
    instant === null ? otherwise : Math.min(1, Math.max(0, (Date.parse(instant) - begin) / spanMs));
  const people = [...new Set(turns.map(({ personId }) => personId))];
  return (
    <ol class="weeks" aria-label="The next four weeks">
      {turns.map(({ personId, name, from: first, to }) => {
        const [left, right] = [partOf(first, 0), partOf(to, 1)];
        const until = to ? `until ${minuteTime(to)}` : 'from then on';
        return (
          <li
            key={`${personId} ${first}`}
            class={`turn turn-${people.indexOf(personId) % 4}`}
            style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
            title={`${name} ${until}`}
          >
            <span aria-hidden="true">{name}</span>
            <span class="unseen">{`${name} ${until}`}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Turns({ rotation: { now, next } }: { rotation: Shown }): JSX.Element {
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
