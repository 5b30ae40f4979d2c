import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ChatKind, Team, TeamContacts } from '../../../shared/schema/team.ts';
import { at, type Failure, failureFrom, write } from '../api.ts';
import { Dialog } from '../components/dialog.tsx';
import { errorAt, FormFailure, TextField, words } from '../components/form.tsx';
import { say } from '../components/toast.tsx';

/** Creates or changes a team. */
export function TeamDialog({ team, onClose }: { team: Team; onClose: () => void }): JSX.Element {
  const [draft, setDraft] = useState<Draft>(() => ({
    name: team.name,
    emails: team.emails.join('\n'),
    phones: team.phones.join('\n'),
    chats: team.chats.map(({ kind, url }) => `${kind} ${url}`).join('\n'),
  }));
  const [failure, setFailure] = useState<Failure | null>(null);
  const save = async () => {
    const name = draft.name.trim();
    const body = { emails: words(draft.emails), phones: words(draft.phones), chats: chatsOf(draft.chats, team) };
    try {
      await write('PUT', at('teams', name), body);
      say(`Team ${name} saved.`);
      onClose();
    } catch (error) {
      setFailure(failureFrom(error));
    }
  };
  const set = (member: keyof Draft) => (text: string) => setDraft((before) => ({ ...before, [member]: text }));
  return (
    <Dialog title={team.name ? `Team ${team.name}` : 'New team'} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <FormFailure failure={failure} />
        {team.name ? null : (
          <TextField
            label="Name"
            value={draft.name}
            onChange={set('name')}
            hint="Letters, digits, space, dot, dash and underscore."
          />
        )}
        <ContactFields draft={draft} set={set} failure={failure} />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!draft.name.trim()}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Contacts as text, one a line. */
type Draft = { name: string; emails: string; phones: string; chats: string };
type FieldsProps = { draft: Draft; set: (member: keyof Draft) => (text: string) => void; failure: Failure | null };

function ContactFields({ draft, set, failure }: FieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label="Emails"
        rows={3}
        value={draft.emails}
        onChange={set('emails')}
        hint="One a line."
        error={errorAt(failure, '/emails')}
      />
      <TextField
        label="Phones"
        rows={2}
        value={draft.phones}
        onChange={set('phones')}
        hint="International form, such as +46701234567; one a line."
        error={errorAt(failure, '/phones')}
      />
      <TextField
        label="Chats"
        rows={3}
        value={draft.chats}
        onChange={set('chats')}
        placeholder="slack https://hooks.slack.com/…"
        hint="slack, google-chat or teams, then its webhook address; one a line."
        error={errorAt(failure, '/chats')}
      />
    </>
  );
}

/** An address that comes back as it was shown (cut short) keeps its id, so that the service keeps the address. */
function chatsOf(text: string, team: Team): NonNullable<TeamContacts['chats']> {
  return text.split('\n').flatMap((line) => {
    const [kind = '', url = ''] = line.trim().split(/\s+/, 2);
    if (!kind) return [];
    const known = team.chats.find((chat) => chat.kind === kind && chat.url === url);
    return [{ ...(known?.chatId ? { chatId: known.chatId } : {}), kind: kind as ChatKind, url }];
  });
}
