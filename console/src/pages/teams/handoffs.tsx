import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Handoff } from '../../../../shared/schema/settings/handoff.ts';
import { handoffTable } from '../../../../shared/schema/settings/handoff-kinds.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { at, write } from '../../client/api.ts';
import { Confirm } from '../../components/dialog.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { changeTeam, draftOfHandoff } from './change-team.ts';
import { HandoffDialog } from './handoff-dialog.tsx';

type Props = { team: Team; mayWrite: boolean; onChanged: () => unknown };
type Asked = { kind: 'edit'; handoff: Handoff | null } | { kind: 'delete'; handoff: Handoff };

/** The systems that get a team's alerts and incidents: create, test, pause, change, delete. */
export function Handoffs({ team, mayWrite, onChanged }: Props): JSX.Element {
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => {
    setAsked(null);
    void onChanged();
  };
  const { test, pause, remove } = actsOn(team, onChanged);
  return (
    <section class="handoffs" aria-label={`Hand-offs of ${team.name}`}>
      {team.handoffs.length > 0 ? (
        <ul>
          {team.handoffs.map((handoff) => (
            <li key={handoff.handoffId}>
              <Row handoff={handoff} />
              {mayWrite ? (
                <Buttons
                  handoff={handoff}
                  onTest={() => test(handoff)}
                  onPause={() => pause(handoff)}
                  onEdit={() => setAsked({ kind: 'edit', handoff })}
                  onDelete={() => setAsked({ kind: 'delete', handoff })}
                />
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
      {mayWrite ? (
        <button
          type="button"
          class="button small"
          aria-label={`Add a hand-off to ${team.name}`}
          onClick={() => setAsked({ kind: 'edit', handoff: null })}
        >
          Add a hand-off
        </button>
      ) : null}
      {asked?.kind === 'edit' ? <HandoffDialog team={team} handoff={asked.handoff} onClose={close} /> : null}
      {asked?.kind === 'delete' ? (
        <DeleteHandoff handoff={asked.handoff} onConfirm={() => remove(asked.handoff)} onClose={() => setAsked(null)} />
      ) : null}
    </section>
  );
}

/** Actions on a hand-off that take effect at once, with a message. */
function actsOn({ name: team }: Team, onChanged: () => unknown) {
  const act = (work: () => Promise<unknown>, done: string) =>
    void work().then(() => {
      say(done);
      return onChanged();
    }, sayFailure);
  const change = (made: (handoff: Handoff) => Handoff[]) =>
    changeTeam(team, ({ handoffs }) => ({ handoffs: handoffs.flatMap(made).map(draftOfHandoff) }));
  return {
    test: ({ handoffId, name }: Handoff) =>
      act(
        () => write('POST', at('teams', team, 'test'), { handoffId }),
        `A test is on its way to ${name}; see Deliveries. It is over in ten seconds.`,
      ),
    pause: ({ handoffId, name, enabled }: Handoff) =>
      act(
        () => change((each) => [each.handoffId === handoffId ? { ...each, enabled: !enabled } : each]),
        `${name} ${enabled ? 'paused: nothing new is handed over' : 'takes what begins from now on'}.`,
      ),
    remove: ({ handoffId, name }: Handoff) =>
      act(() => change((each) => (each.handoffId === handoffId ? [] : [each])), `Hand-off ${name} deleted.`),
  };
}

type DeleteProps = { handoff: Handoff; onConfirm: () => void; onClose: () => void };

function DeleteHandoff({ handoff: { kind, name }, onConfirm, onClose }: DeleteProps): JSX.Element {
  return (
    <Confirm title={`Delete the hand-off ${name}?`} action="Delete" onConfirm={onConfirm} onClose={onClose}>
      What is open at {handoffTable[kind].title} stays open there: it does not hear of the end. Its credential is
      deleted for good. To keep both, pause it.
    </Confirm>
  );
}

function Row({ handoff: { kind, name, severities, enabled } }: { handoff: Handoff }): JSX.Element {
  return (
    <span class="handoff">
      <strong>{name}</strong> <span class="quiet">{handoffTable[kind].title}</span>{' '}
      <span class="quiet">{severities.join(', ')}</span> {enabled ? null : <span class="chip wait">paused</span>}
    </span>
  );
}

type ButtonsProps = {
  handoff: Handoff;
  onTest: () => void;
  onPause: () => void;
  onEdit: () => void;
  onDelete: () => void;
};

function Buttons({ handoff: { name, enabled }, onTest, onPause, onEdit, onDelete }: ButtonsProps): JSX.Element {
  const named = (text: string, onClick: () => void, tone = '') => (
    <button type="button" class={`button small ${tone}`} aria-label={`${text} ${name}`} onClick={onClick}>
      {text}
    </button>
  );
  return (
    <span class="buttons">
      {named('Test', onTest)}
      {named(enabled ? 'Pause' : 'Resume', onPause)}
      {named('Change', onEdit)}
      {named('Delete', onDelete, 'danger')}
    </span>
  );
}
