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
import { DependsOnTeam } from './depends.tsx';
import { Handoffs } from './handoffs.tsx';
import { Duty } from './on-call.tsx';
import { TeamDialog } from './team-dialog.tsx';
import { contactNames } from './team-draft.ts';

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
          teams={teams.data?.teams ?? []}
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
      <header class="row">
        <h2>{team.name}</h2>
        <span class="spacer" />
        {mayWrite ? (
          <button type="button" class="button small" aria-label={`Change ${team.name}`} onClick={onEdit}>
            Change
          </button>
        ) : null}
        {mayWrite && team.name !== 'operations' ? (
          <button type="button" class="button small danger" onClick={() => setAsked(true)}>
            Delete
          </button>
        ) : null}
      </header>
      <Contacts team={team} mayTest={mayWrite} />
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

/** Each way in which the team is told, with a test. */
function Contacts({ team, mayTest }: { team: Team; mayTest: boolean }): JSX.Element {
  const lists = peopleChannels.map((channel) => [channel, listOf(team, channel)] as const);
  const rows = lists.flatMap(([channel, list]) => list.map((text) => ({ channel, ...text })));
  if (rows.length === 0) return <p class="notice problem">Nobody: the team has no contact.</p>;
  return (
    <ul class="contacts" aria-label={`Contacts of ${team.name}`}>
      {rows.map(({ channel, kind, address }, index) => (
        <li key={`${kind} ${address}`}>
          <span class="quiet">{kind}</span>
          <span class="address">{address}</span>
          {mayTest && rows.findIndex((row) => row.channel === channel) === index ? (
            <TestButton team={team.name} channel={channel} />
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function listOf(team: Team, channel: PeopleChannel): { kind: string; address: string }[] {
  if (channel === 'chat') return team.chats.map(({ kind, url }) => ({ kind: contactNames[kind], address: url }));
  return team[channelTable[channel].contacts.member].map((address) => ({ kind: channelNames[channel], address }));
}

function TestButton({ team, channel }: { team: string; channel: PeopleChannel }): JSX.Element {
  const test = async () => {
    try {
      await write('POST', at('teams', team, 'test'), { channel });
      say(`A test is on its way by ${channelNames[channel]}; see Deliveries.`);
    } catch (error) {
      sayFailure(error);
    }
  };
  const name = `Test ${channelNames[channel]} of ${team}`;
  return (
    <button type="button" class="button small" aria-label={name} onClick={() => void test()}>
      Test
    </button>
  );
}
