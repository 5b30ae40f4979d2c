import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Team, TeamContacts } from '../../../../shared/schema/settings/team.ts';
import type { ChatKind } from '../../../../shared/schema/vocabulary.ts';
import { at, type Failure, failureFrom, write } from '../../client/api.ts';
import { useKept } from '../../client/kept.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form, TextField, textFields, words } from '../../components/form.tsx';
import { say } from '../../components/toast.tsx';
import { type DutyText, dutyOf, dutyText } from './duty-text.ts';

/** Creates or changes a team. */
export function TeamDialog({ team, onClose }: { team: Team; onClose: () => void }): JSX.Element {
  const {
    value: draft,
    isKept,
    change,
    forget,
  } = useKept<Draft>(`team:${team.name}`, () => ({
    name: team.name,
    emails: team.emails.join('\n'),
    phones: team.phones.join('\n'),
    chats: team.chats.map(({ kind, url }) => `${kind} ${url}`).join('\n'),
    ...dutyText(team),
  }));
  const [failure, setFailure] = useState<Failure | null>(null);
  const leave = () => {
    forget();
    onClose();
  };
  const save = async () => {
    const name = draft.name.trim();
    const { name: _, changedAt: __, escalation: ___, quietHours: ____, ...kept } = team;
    const contacts = { emails: words(draft.emails), phones: words(draft.phones), chats: chatsOf(draft.chats, team) };
    const body = { ...kept, ...contacts, ...read.duty };
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
        <TextField label="Emails" rows={3} {...field('emails')} hint="One a line." />
        <TextField
          label="Phones"
          rows={2}
          {...field('phones')}
          hint="International form, such as +46701234567; one a line."
        />
        <TextField
          label="Chats"
          rows={3}
          {...field('chats')}
          placeholder="slack https://hooks.slack.com/…"
          hint="slack, google-chat or teams, then its webhook address; one a line."
        />
        <TextField
          label="People"
          rows={3}
          {...field('people')}
          placeholder="anna: Anna Berg, anna@example.com, +46701234567"
          hint="Who can be notified alone; one a line."
        />
        <TextField
          label="On call"
          rows={2}
          {...field('rotations')}
          placeholder="anna, bo from mon 08:00 in Europe/Stockholm"
          hint="A week each, in this order; a rotation a line."
        />
        <TextField
          label="If nobody answers"
          rows={3}
          {...field('steps')}
          placeholder={'0 on call\n15 team operations by sms'}
          hint="Minutes after the response time, then: on call, person …, team …, or escalation team; with “by sms, chat” beside email. None: as the settings say."
        />
        <TextField label="Repeat the last step every, minutes" type="number" {...field('repeatMinutes')} />
        <TextField
          label="Quiet hours"
          {...field('quiet')}
          placeholder="night hold WARNING"
          hint="A schedule and the severities that wait for its end. None: as the settings say."
        />
        {read.wrong.length > 0 ? <p class="notice problem">Not understood: {read.wrong.join('; ')}</p> : null}
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
type Draft = DutyText & { name: string; emails: string; phones: string; chats: string };

/** A masked address that is sent back keeps its id, so that the service keeps the real address. */
function chatsOf(text: string, team: Team): NonNullable<TeamContacts['chats']> {
  return text.split('\n').flatMap((line) => {
    const [kind = '', url = ''] = line.trim().split(/\s+/, 2);
    if (!kind) return [];
    const known = team.chats.find((chat) => chat.kind === kind && chat.url === url);
    return [{ ...(known?.chatId ? { chatId: known.chatId } : {}), kind: kind as ChatKind, url }];
  });
}
