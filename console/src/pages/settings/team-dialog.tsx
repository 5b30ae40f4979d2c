import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  type AddressChannel,
  type AddressMember,
  addressChannels,
  byAddressMember,
} from '../../../../shared/schema/channels.ts';
import type { Team, TeamContacts } from '../../../../shared/schema/settings/team.ts';
import { type ChatKind, channelTable } from '../../../../shared/schema/vocabulary.ts';
import { at, type Failure, failureFrom, write } from '../../client/api.ts';
import { useKept } from '../../client/kept.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form, TextField, textFields, words } from '../../components/form.tsx';
import { say } from '../../components/toast.tsx';
import { DutyFields } from '../teams/duty-fields.tsx';
import { type DutyText, dutyOf, dutyText } from '../teams/duty-text.ts';

/** Creates or changes a team. */
export function TeamDialog({ team, onClose }: { team: Team; onClose: () => void }): JSX.Element {
  const { value: draft, isKept, change, forget } = useKept<Draft>(`team:${team.name}`, () => draftOf(team));
  const [failure, setFailure] = useState<Failure | null>(null);
  const leave = () => {
    forget();
    onClose();
  };
  const save = async () => {
    const name = draft.name.trim();
    const { name: _, changedAt: __, escalation: ___, quietHours: ____, handoffs: _____, ...kept } = team;
    const addresses = byAddressMember((channel) => words(draft[memberOf(channel)]));
    const body = { ...kept, ...addresses, chats: chatsOf(draft.chats, team), ...read.duty };
    try {
      await write('PUT', at('teams', name), body);
      say(`Team ${name} saved.`);
      leave();
    } catch (error) {
      setFailure(failureFrom(error));
    }
  };
  const read = dutyOf(draft, team);
  const field = textFields(draft, change, failure);
  return (
    <Dialog title={team.name ? `Team ${team.name}` : 'New team'} onClose={leave} isTyped={isKept}>
      <Form failure={failure} onSubmit={save}>
        {team.name ? null : (
          <TextField label="Name" {...field('name')} hint="Letters, digits, space, dot, dash and underscore." />
        )}
        {addressChannels.map((channel) => {
          const { member, hint } = channelTable[channel].contacts;
          return (
            <TextField
              key={channel}
              label={`${member[0]?.toUpperCase()}${member.slice(1)}`}
              rows={3}
              {...field(memberOf(channel))}
              hint={hint}
            />
          );
        })}
        <TextField
          label="Chats"
          rows={3}
          {...field('chats')}
          placeholder="slack https://hooks.slack.com/…"
          hint="slack, google-chat or teams, then its webhook address; one a line."
        />
        <DutyFields field={field} wrong={read.wrong} />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!draft.name.trim() || read.wrong.length > 0}>
            Save
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

/** Contacts as text, one per line. */
type Draft = DutyText & Record<AddressMember, string> & { name: string; chats: string };

function draftOf(team: Team): Draft {
  return {
    name: team.name,
    ...byAddressMember((channel) => team[memberOf(channel)].join('\n')),
    chats: team.chats.map(({ kind, url }) => `${kind} ${url}`).join('\n'),
    ...dutyText(team),
  };
}

function memberOf(channel: AddressChannel): AddressMember {
  return channelTable[channel].contacts.member;
}

/** A masked address that is sent back keeps its id, so that the service keeps the real address. */
function chatsOf(text: string, team: Team): NonNullable<TeamContacts['chats']> {
  return text.split('\n').flatMap((line) => {
    const [kind = '', url = ''] = line.trim().split(/\s+/, 2);
    if (!kind) return [];
    const known = team.chats.find((chat) => chat.kind === kind && chat.url === url);
    return [{ ...(known?.chatId ? { chatId: known.chatId } : {}), kind: kind as ChatKind, url }];
  });
}
