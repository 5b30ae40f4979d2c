import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { byAddressMember, type PeopleChannel, peopleChannels } from '../../../../shared/schema/channels.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { channelTable } from '../../../../shared/schema/vocabulary.ts';
import { at, call, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { channelNames } from '../../model.ts';
import { Handoffs } from '../teams/handoffs.tsx';
import { Duty } from '../teams/on-call.tsx';
import { DependsOnTeam } from './depends.tsx';
import { TeamDialog } from './team-dialog.tsx';

/** Who is notified: teams and their contacts, with a test for each channel. */
export function TeamsPage(): JSX.Element {
  const teams = useResource<{ teams: Team[] }>('/v1/teams');
  const [edited, setEdited] = useState<Team | null>(null);
  const mayWrite = useMay('settings:write');
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Who is told</h1>
        <span class="spacer" />
        {mayWrite ? (
          <button
            type="button"
            class="button primary"
            onClick={() =>
              setEdited({ name: '', ...byAddressMember(() => []), chats: [], handoffs: [], changedAt: null })
            }
          >
            <Icon name="plus" /> New team
          </button>
        ) : null}
      </header>
      <Show of={teams} lines={6}>
        {(data) =>
          data.teams.length === 0 ? (
            <Empty title="No teams yet" />
          ) : (
            <ul class="cards">
              {data.teams.map((team) => (
                <TeamCard
                  key={team.name}
                  team={team}
                  mayWrite={mayWrite}
                  onEdit={() => setEdited(team)}
                  onChanged={teams.reload}
                />
              ))}
            </ul>
          )
        }
      </Show>
      {edited ? (
        <TeamDialog
          team={edited}
          onClose={() => {
            setEdited(null);
            void teams.reload();
          }}
        />
      ) : null}
    </section>
  );
}

type CardProps = { team: Team; mayWrite: boolean; onEdit: () => void; onChanged: () => unknown };

function TeamCard({ team, mayWrite, onEdit, onChanged }: CardProps): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const remove = async () => {
    try {
      await call('DELETE', at('teams', team.name));
      say(`Team ${team.name} deleted.`);
      await onChanged();
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <li class="card">
      <p class="row">
        <strong>{team.name}</strong>
        <span class="spacer" />
        {mayWrite ? (
          <button type="button" class="button small" onClick={onEdit}>
            Change
          </button>
        ) : null}
        {mayWrite && team.name !== 'operations' ? (
          <button type="button" class="button small danger" onClick={() => setAsked(true)}>
            Delete
          </button>
        ) : null}
      </p>
      <dl class="contacts">
        {peopleChannels.map((channel) => (
          <Contacts key={channel} team={team} channel={channel} list={listOf(team, channel)} mayTest={mayWrite} />
        ))}
      </dl>
      <Duty team={team} mayWrite={mayWrite} onChanged={onChanged} />
      <Handoffs team={team} mayWrite={mayWrite} onChanged={onChanged} />
      {isAsked ? (
        <Confirm
          title={`Delete the team ${team.name}?`}
          action="Delete"
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <DependsOnTeam name={team.name} />
        </Confirm>
      ) : null}
    </li>
  );
}

function listOf(team: Team, channel: PeopleChannel): string[] {
  if (channel === 'chat') return team.chats.map(({ kind, url }) => `${kind} ${url}`);
  return team[channelTable[channel].contacts.member];
}

function Contacts({
  team,
  channel,
  list,
  mayTest,
}: {
  team: Team;
  channel: PeopleChannel;
  list: string[];
  mayTest: boolean;
}): JSX.Element {
  const test = async () => {
    try {
      await write('POST', at('teams', team.name, 'test'), { channel });
      say(`A test is on its way by ${channelNames[channel]}; see Deliveries.`);
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <div>
      <dt>{channelNames[channel]}</dt>
      <dd>
        <span>{list.length > 0 ? list.join(', ') : <span class="quiet">none</span>}</span>
        {mayTest && list.length > 0 ? (
          <button
            type="button"
            class="button small"
            aria-label={`Test ${channelNames[channel]} of ${team.name}`}
            onClick={() => void test()}
          >
            Test
          </button>
        ) : null}
      </dd>
    </div>
  );
}
