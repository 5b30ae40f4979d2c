import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../shared/schema/webhook.ts';
import { type Failure, failureFrom } from '../api.ts';
import { Check, CheckGroup, errorAt, FormFailure, SelectField, TextField } from '../components/form.tsx';
import { useGroups } from '../groups.ts';
import type { WebhookDraft } from '../model.ts';
import { judgeUrl } from '../url-verdict.ts';
import { bodyOf, type Draft, draftOf } from './webhook-draft.ts';

const events = [
  ['detection', 'Detections'],
  ['alert', 'Alerts'],
  ['guardian', 'Guardian alerts'],
] as const;
const methods = [
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['PATCH', 'PATCH'],
] as const;

type Props = { webhook: Webhook | null; onSave: (body: WebhookDraft) => Promise<unknown> };

/** Creates or changes an endpoint; the address is judged while it is typed. */
export function WebhookForm({ webhook, onSave }: Props): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const set =
    <K extends keyof Draft>(member: K) =>
    (value: Draft[K]) =>
      setDraft((before) => ({ ...before, [member]: value }));
  const save = async () => {
    setSaving(true);
    setFailure(null);
    await onSave(bodyOf(draft, webhook)).catch((error) => setFailure(failureFrom(error)));
    setSaving(false);
  };
  return (
    <form
      class="panel form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FormFailure failure={failure} />
      <AddressFields draft={draft} set={set} failure={failure} />
      <CheckGroup legend="Tell it of" options={events} chosen={draft.events} onChange={set('events')} />
      <TextField
        label="Description"
        value={draft.description}
        onChange={set('description')}
        error={errorAt(failure, '/description')}
      />
      <FilterFields draft={draft} set={set} failure={failure} />
      <SecurityFields draft={draft} set={set} failure={failure} isNew={webhook === null} />
      <Check label="Enabled" checked={draft.enabled} onChange={set('enabled')} />
      <footer class="buttons">
        <button type="submit" class="button primary" disabled={isSaving || !draft.url || draft.events.length === 0}>
          {webhook ? 'Save' : 'Create endpoint'}
        </button>
      </footer>
    </form>
  );
}

type Setter = <K extends keyof Draft>(member: K) => (value: Draft[K]) => void;

type PartProps = { draft: Draft; set: Setter; failure: Failure | null };

function AddressFields({ draft, set, failure }: PartProps): JSX.Element {
  const verdict = judgeUrl(draft.url);
  return (
    <>
      <div class="url-row">
        <TextField
          label="Address"
          type="url"
          placeholder="https://hooks.example.com/watchpost"
          value={draft.url}
          onChange={set('url')}
          error={errorAt(failure, '/url')}
        />
        <SelectField
          label="Method"
          value={draft.method}
          options={methods}
          onChange={(value) => set('method')(value as Draft['method'])}
        />
      </div>
      {draft.url ? (
        <p class={verdict.isGood ? 'verdict good' : 'verdict bad'} role="status">
          {verdict.text}
        </p>
      ) : (
        <p class="verdict">The address is judged while you type.</p>
      )}
    </>
  );
}

function SecurityFields({ draft, set, failure, isNew }: PartProps & { isNew: boolean }): JSX.Element {
  return (
    <details>
      <summary>Delivery and security</summary>
      <div class="grid-2">
        <TextField
          label="Attempts"
          type="number"
          min={1}
          max={5}
          value={draft.maxAttempts}
          onChange={set('maxAttempts')}
          error={errorAt(failure, '/maxAttempts')}
          hint="At once, then after 30 s, 2 min, 10 min, 1 h."
        />
        <TextField
          label="Timeout"
          type="number"
          min={1}
          max={30}
          value={draft.timeoutSeconds}
          onChange={set('timeoutSeconds')}
          error={errorAt(failure, '/timeoutSeconds')}
          hint="Seconds, 1 to 30."
        />
      </div>
      <TextField
        label="Headers"
        rows={3}
        value={draft.headers}
        onChange={set('headers')}
        placeholder="Authorization: Bearer …"
        error={errorAt(failure, '/headers')}
        hint="One `Name: value` a line, at most 20."
      />
      {isNew ? (
        <TextField
          label="Secret"
          value={draft.secret}
          onChange={set('secret')}
          error={errorAt(failure, '/secret')}
          hint="Signs every request. Leave it empty and the service makes one, shown once."
        />
      ) : null}
    </details>
  );
}

function FilterFields({ draft, set, failure }: PartProps): JSX.Element {
  return (
    <details open={Boolean(draft.objects || draft.groups || draft.devices || draft.schedule || draft.minConfidence)}>
      <summary>Filter: all that is given must hold</summary>
      <div class="grid-2">
        <TextField
          label="Objects"
          value={draft.objects}
          onChange={set('objects')}
          placeholder="person, car"
          hint="Any of these was detected."
          error={errorAt(failure, '/filter/objects')}
        />
        <TextField
          label="Lowest confidence"
          type="number"
          min={0}
          max={1}
          step="any"
          value={draft.minConfidence}
          onChange={set('minConfidence')}
          hint="0 to 1"
          error={errorAt(failure, '/filter/minConfidence')}
        />
        <TextField
          label="Groups"
          value={draft.groups}
          onChange={set('groups')}
          suggestions={useGroups()}
          hint="Separated by commas."
          error={errorAt(failure, '/filter/groups')}
        />
        <TextField
          label="Devices"
          value={draft.devices}
          onChange={set('devices')}
          hint="Separated by commas."
          error={errorAt(failure, '/filter/devices')}
        />
        <TextField
          label="Schedule"
          value={draft.schedule}
          onChange={set('schedule')}
          suggestions={['always', 'business_hours', 'outside_business_hours']}
          hint="Built in, or named in the settings."
          error={errorAt(failure, '/filter/schedule')}
        />
      </div>
    </details>
  );
}
