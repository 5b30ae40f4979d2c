import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import { builtInSchedules } from '../../../../shared/schema/vocabulary.ts';
import type { Webhook } from '../../../../shared/schema/webhook/webhook.ts';
import { type Failure, failureFrom } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useGroups } from '../../client/groups.ts';
import { useKeptDraft } from '../../client/kept.ts';
import { useResource } from '../../client/resource.ts';
import { Check, CheckGroup, Form, SelectField, TextField, TypedBefore, textFields } from '../../components/form.tsx';
import type { WebhookDraft } from '../../model.ts';
import { judgeUrl } from './url-verdict.ts';
import { bodyOf, type Draft, draftOf, keepable, keptNameOf } from './webhook-draft.ts';

const events = [
  ['detection', 'Detections'],
  ['alert', 'Alerts'],
  ['guardian', 'Guardian alerts'],
  ['incident', 'Incidents'],
  ['audit', 'Who changed what'],
] as const;
const methods = [
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['PATCH', 'PATCH'],
] as const;

type Props = {
  webhook: Webhook | null;
  etag?: string | null;
  onSave: (body: WebhookDraft, etag: string | null) => Promise<unknown>;
};

/** Creates or changes an endpoint. The address is assessed during typing. */
export function WebhookForm({ webhook, etag = null, onSave }: Props): JSX.Element {
  const kept = useKeptDraft(keptNameOf(webhook), draftOf(webhook), { etag, keepable });
  const { value: draft, change: set } = kept;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const field = textFields(draft, set, failure);
  const save = async () => {
    setSaving(true);
    setFailure(null);
    await onSave(bodyOf(draft, webhook), kept.etag).then(kept.forget, (error) =>
      setFailure(kept.shown(failureFrom(error))),
    );
    setSaving(false);
  };
  return (
    <Form class="panel form" isNew={webhook === null} failure={failure} onSubmit={save}>
      <TypedBefore draft={kept} />
      <AddressFields draft={draft} set={set} field={field} />
      <CheckGroup
        legend="Events to send"
        options={events}
        chosen={draft.events}
        onChange={(chosen) => set({ events: chosen })}
      />
      <TextField label="Description" {...field('description')} />
      <FilterFields draft={draft} field={field} />
      <SecurityFields draft={draft} set={set} field={field} isNew={webhook === null} />
      <Check label="Enabled" checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
      <footer class="buttons">
        <button type="submit" class="button primary" disabled={isSaving || !draft.url || draft.events.length === 0}>
          {webhook ? 'Save' : 'Create endpoint'}
        </button>
      </footer>
    </Form>
  );
}

type PartProps = {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  field: ReturnType<typeof textFields<Draft>>;
};

function AddressFields({ draft, set, field }: PartProps): JSX.Element {
  const verdict = judgeUrl(draft.url);
  return (
    <>
      <div class="url-row">
        <TextField label="Address" type="url" placeholder="https://hooks.example.com/watchpost" {...field('url')} />
        <SelectField
          label="Method"
          value={draft.method}
          options={methods}
          onChange={(value) => set({ method: value as Draft['method'] })}
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

function SecurityFields({ draft, set, field, isNew }: PartProps & { isNew: boolean }): JSX.Element {
  return (
    <details>
      <summary>Delivery and security</summary>
      <div class="grid-2">
        <TextField
          label="Attempts"
          type="number"
          min={1}
          max={5}
          {...field('maxAttempts')}
          hint="At once, then after 30 s, 2 min, 10 min, 1 h."
        />
        <TextField
          label="Timeout"
          type="number"
          min={1}
          max={30}
          {...field('timeoutSeconds')}
          hint="Seconds, 1 to 30."
        />
      </div>
      <TextField
        label="Headers"
        rows={3}
        {...field('headers')}
        placeholder="Authorization: Bearer …"
        hint="One `Name: value` a line, at most 20."
      />
      <Check
        label="Number its detections, so that the receiver can tell that none is missing"
        checked={draft.sequenced}
        onChange={(sequenced) => set({ sequenced })}
      />
      {isNew ? (
        <TextField
          label="Secret"
          {...field('secret')}
          hint="Signs every request: at least 16 bytes, 24 are better. Leave it empty and the service makes one, shown once."
        />
      ) : null}
    </details>
  );
}

function FilterFields({ draft, field }: Pick<PartProps, 'draft' | 'field'>): JSX.Element {
  const settings = useResource<Settings>(useMay('settings:read') ? '/v1/settings' : null);
  // The initial value: a filter section must not close while somebody is clearing it.
  const [isUsed] = useState(
    Boolean(draft.objects || draft.groups || draft.devices || draft.schedule || draft.minConfidence),
  );
  return (
    <details open={isUsed}>
      <summary>Filter: all that is given must hold</summary>
      <div class="grid-2">
        <TextField
          label="Objects"
          {...field('objects', '/filter/objects')}
          placeholder="person, car"
          hint="Any of these was detected."
        />
        <TextField
          label="Lowest confidence"
          type="number"
          min={0}
          max={1}
          step="any"
          {...field('minConfidence', '/filter/minConfidence')}
          hint="0 to 1"
        />
        <TextField
          label="Groups"
          {...field('groups', '/filter/groups')}
          suggestions={useGroups()}
          hint="Separated by commas."
        />
        <TextField label="Devices" {...field('devices', '/filter/devices')} hint="Separated by commas." />
        <TextField
          label="Schedule"
          {...field('schedule', '/filter/schedule')}
          suggestions={[...builtInSchedules, ...Object.keys(settings.data?.schedules ?? {})]}
          hint="Built in, or named in the settings."
        />
      </div>
    </details>
  );
}
