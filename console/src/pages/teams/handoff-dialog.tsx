import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Handoff } from '../../../../shared/schema/settings/handoff.ts';
import {
  type HandoffKind,
  type HandoffSetting,
  handoffKinds,
  handoffTable,
  handoffWords,
} from '../../../../shared/schema/settings/handoff-kinds.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { timedSeverities } from '../../../../shared/schema/vocabulary.ts';
import { type Failure, failureFrom } from '../../client/api.ts';
import { useKeptDraft } from '../../client/kept.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Check, CheckGroup, Form, SelectField, TextField, textFields } from '../../components/form.tsx';
import { say } from '../../components/toast.tsx';
import { changeTeam, draftOfHandoff } from './change-team.ts';
import { bodyOf, type Draft, draftOf, keepable } from './handoff-draft.ts';

type Props = { team: Team; handoff: Handoff | null; onClose: () => void };

/** Creates or changes a hand-off of a team. Its credential can be set, but is never shown. */
export function HandoffDialog({ team, handoff, onClose }: Props): JSX.Element {
  const name = `handoff:${team.name}:${handoff?.handoffId ?? 'new'}`;
  const kept = useKeptDraft(name, draftOf(handoff), { keepable });
  const { value: draft, change: set } = kept;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const leave = () => {
    kept.forget();
    onClose();
  };
  const save = async () => {
    setSaving(true);
    try {
      const body = bodyOf(draft, handoff);
      await changeTeam(team.name, ({ handoffs }) => {
        const drafts = handoffs.map((each) => (each.handoffId === handoff?.handoffId ? body : draftOfHandoff(each)));
        return { handoffs: handoff ? drafts : [...drafts, body] };
      });
      say(`Hand-off ${body.name} saved.`);
      leave();
    } catch (error) {
      setFailure(withoutPlace(failureFrom(error)));
      setSaving(false);
    }
  };
  return (
    <Dialog
      title={handoff ? `Hand-off ${handoff.name}` : `New hand-off of ${team.name}`}
      onClose={leave}
      isTyped={kept.isFromBefore}
    >
      <Form failure={failure} onSubmit={save}>
        <Fields draft={draft} set={set} failure={failure} handoff={handoff} />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!draft.name.trim() || isSaving}>
            Save
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

/** The service's pointers contain the hand-off's position in the team; the form has only this one. */
function withoutPlace(failure: Failure): Failure {
  const errors = failure.errors.map((error) => ({ ...error, pointer: error.pointer.replace(/^\/handoffs\/\d+/, '') }));
  return { ...failure, errors, detail: failure.detail.replace(/\/handoffs\/\d+/g, '') };
}

type FieldsProps = {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  failure: Failure | null;
  handoff: Handoff | null;
};

function Fields({ draft, set, failure, handoff }: FieldsProps): JSX.Element {
  const field = textFields(draft, set, failure);
  const { title, url, takes, credential } = handoffTable[draft.kind];
  const isTaken = (setting: HandoffSetting) => (takes as readonly HandoffSetting[]).includes(setting);
  const isKept = handoff?.hasCredential && handoff.kind === draft.kind;
  return (
    <>
      <SelectField
        label="Product"
        value={draft.kind}
        options={handoffKinds.map((kind) => [kind, handoffTable[kind].title] as const)}
        onChange={(kind) => set({ kind: kind as HandoffKind })}
      />
      <TextField label="Name" {...field('name')} placeholder="Night desk" />
      <TextField
        label="Address"
        type="url"
        {...field('url', '/settings/url')}
        placeholder={url ?? 'https://'}
        hint={url ? `Empty: the public address of ${title}.` : 'With https.'}
      />
      {isTaken('user') ? <TextField label="User" {...field('user', '/settings/user')} /> : null}
      {isTaken('header') ? (
        <TextField
          label="Header of the credential"
          {...field('header', '/settings/header')}
          placeholder="Authorization"
        />
      ) : null}
      <TextField
        label={credential.title}
        {...field('credential')}
        placeholder={isKept ? 'Kept; type to replace it' : ''}
        hint="Stored sealed, and never shown."
      />
      <Templates draft={draft} set={set} failure={failure} isTaken={isTaken} />
      <CheckGroup
        legend="Hand over"
        options={timedSeverities.map((severity) => [severity, severity] as const)}
        chosen={draft.severities}
        onChange={(severities) => set({ severities })}
      />
      <Check
        label="Enabled. While it is not, nothing new is handed over; what is open there still ends."
        checked={draft.enabled}
        onChange={(enabled) => set({ enabled })}
      />
    </>
  );
}

type TemplatesProps = Omit<FieldsProps, 'handoff'> & { isTaken: (setting: HandoffSetting) => boolean };

/** The labels and the template, for products that use them. */
function Templates({ draft, set, failure, isTaken }: TemplatesProps): JSX.Element {
  const field = textFields(draft, set, failure);
  return (
    <>
      {isTaken('labels') ? (
        <TextField
          label="Labels"
          rows={2}
          {...field('labels', '/settings/labels')}
          placeholder="environment=production"
          hint="That each alert gets; one a line."
        />
      ) : null}
      {isTaken('template') ? (
        <TextField
          label="Template"
          rows={4}
          {...field('template', '/settings/template')}
          placeholder={'{"ticket": "{{key}}", "do": "{{action}}", "summary": "{{title}}"}'}
          hint={`JSON that names {{key}}. Words: ${handoffWords.join(', ')}.`}
        />
      ) : null}
    </>
  );
}
