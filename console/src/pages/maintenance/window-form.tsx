import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type {
  MaintenancePreview,
  MaintenanceWindow,
  MaintenanceWindowInput,
} from '../../../../shared/schema/maintenance/window.ts';
import { type Weekday, weekdays } from '../../../../shared/schema/vocabulary.ts';
import { ask, type Failure, failureFrom } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useGroups } from '../../client/groups.ts';
import { CheckGroup, errorAt, Form, SelectField, TextField, textFields, words } from '../../components/form.tsx';
import { dayNames, localTime, plural } from '../../format.ts';
import { timeZone } from '../../time-zone.ts';

type Draft = {
  name: string;
  reason: string;
  devices: string;
  groups: string;
  sites: string;
  parents: string;
  tags: string;
  codes: string;
  times: 'once' | 'weekly';
  startsAt: string;
  endsAt: string;
  weekdays: Weekday[];
  from: string;
  to: string;
};

type Props = { window: Partial<MaintenanceWindow> | null; onSave: (body: MaintenanceWindowInput) => Promise<unknown> };

/** Edits a maintenance window. The preview counts the alerts that it would have silenced. */
export function WindowForm({ window, onSave }: Props): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(window));
  const [failure, setFailure] = useState<Failure | null>(null);
  const [preview, setPreview] = useState<MaintenancePreview | null>(null);
  const mayWrite = useMay('settings:write');
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const attempt = (work: () => Promise<unknown>) => {
    setFailure(null);
    work().catch((error) => setFailure(failureFrom(error)));
  };
  const look = async () => {
    const body = { window: { ...windowOf(draft), name: draft.name.trim() || 'preview' } };
    setPreview((await ask('post', '/v1/maintenance-windows/preview', { body })).data);
  };
  return (
    <>
      <Form
        class="panel form"
        isNew={!window?.windowId && !window?.name}
        failure={failure}
        onSubmit={() => attempt(() => onSave(windowOf(draft)))}
      >
        <ScopeFields draft={draft} set={set} failure={failure} />
        <TimeFields draft={draft} set={set} failure={failure} />
        <footer class="buttons">
          <button type="button" class="button" onClick={() => attempt(look)}>
            Preview on the last 30 days
          </button>
          <span class="spacer" />
          {mayWrite ? (
            <button type="submit" class="button primary" disabled={!draft.name.trim()}>
              {window?.windowId ? 'Save' : 'Plan maintenance'}
            </button>
          ) : null}
        </footer>
      </Form>
      {preview ? (
        <p class="panel notice" role="status">
          It is about {plural(preview.devices, 'camera')} now. Of {plural(preview.matched, 'alert')} of these in the
          last 30 days it would have kept {preview.quiet} quiet.
          {preview.isComplete ? '' : ' There was more than a preview looks at.'}
        </p>
      ) : null}
    </>
  );
}

type FieldsProps = { draft: Draft; set: (change: Partial<Draft>) => void; failure: Failure | null };

function ScopeFields({ draft, set, failure }: FieldsProps): JSX.Element {
  const field = textFields(draft, set, failure);
  return (
    <>
      <TextField label="Name" {...field('name')} />
      <TextField label="Reason" {...field('reason')} placeholder="New switch in the north hall" />
      <p class="hint">
        {errorAt(failure, '/scope') ?? 'Within a field any value fits; all fields that you fill in must fit.'}
      </p>
      <div class="grid-2">
        <TextField label="Cameras" {...field('devices', '/scope/devices')} hint="Ids, separated by commas." />
        <TextField label="Groups" {...field('groups', '/scope/groups')} suggestions={useGroups()} />
        <TextField label="Sites" {...field('sites', '/scope/sites')} />
        <TextField label="Connected through" {...field('parents', '/scope/parents')} placeholder="switch:sw-1" />
        <TextField label="Tags" {...field('tags', '/scope/tags')} placeholder="floor:2" />
        <TextField
          label="Codes"
          {...field('codes', '/scope/codes')}
          placeholder="CONN_*"
          hint="None: all except security, which is silenced only where it is named here."
        />
      </div>
    </>
  );
}

function TimeFields({ draft, set, failure }: FieldsProps): JSX.Element {
  const field = textFields(draft, set, failure);
  return (
    <>
      <SelectField
        label="When"
        value={draft.times}
        options={[
          ['once', 'Once'],
          ['weekly', 'Each week'],
        ]}
        onChange={(times) => set({ times: times as Draft['times'] })}
      />
      {draft.times === 'once' ? (
        <div class="grid-2">
          <TextField label={`From (${timeZone})`} type="datetime-local" {...field('startsAt')} />
          <TextField label={`To (${timeZone})`} type="datetime-local" {...field('endsAt')} />
        </div>
      ) : (
        <>
          <CheckGroup
            legend="On"
            options={weekdays.map((day) => [day, dayNames[day]] as const)}
            chosen={draft.weekdays}
            onChange={(chosen) => set({ weekdays: chosen })}
            error={errorAt(failure, '/recurrence/weekdays')}
          />
          <div class="grid-2">
            <TextField label={`From (${timeZone})`} type="time" {...field('from', '/recurrence/from')} />
            <TextField label={`To (${timeZone})`} type="time" {...field('to', '/recurrence/to')} />
          </div>
        </>
      )}
    </>
  );
}

const twoHours = 2 * 3600_000;

function draftOf(window: Partial<MaintenanceWindow> | null): Draft {
  const { scope = {}, recurrence } = window ?? {};
  const now = Date.now();
  return {
    name: window?.name ?? '',
    reason: window?.reason ?? '',
    devices: scope.devices?.join(', ') ?? '',
    groups: scope.groups?.join(', ') ?? '',
    sites: scope.sites?.join(', ') ?? '',
    parents: scope.parents?.map(({ kind, id }) => `${kind}:${id}`).join(', ') ?? '',
    tags: Object.entries(scope.tags ?? {})
      .flatMap(([key, values]) => values.map((value) => `${key}:${value}`))
      .join(', '),
    codes: scope.codes?.join(', ') ?? '',
    times: recurrence ? 'weekly' : 'once',
    startsAt: localTime(window?.startsAt ? Date.parse(window.startsAt) : now),
    endsAt: localTime(window?.endsAt ? Date.parse(window.endsAt) : now + twoHours),
    weekdays: recurrence?.weekdays ?? ['sun'],
    from: recurrence?.from ?? '02:00',
    to: recurrence?.to ?? '04:00',
  };
}

function windowOf(draft: Draft): MaintenanceWindowInput {
  const list = (name: 'devices' | 'groups' | 'sites' | 'codes') => {
    const values = words(draft[name]);
    return values.length > 0 ? { [name]: values } : {};
  };
  const parents = words(draft.parents).map(pairOf);
  const tags = Map.groupBy(words(draft.tags).map(pairOf), ([key]) => key);
  const instant = (text: string) => (text ? new Date(text).toISOString() : '');
  return {
    name: draft.name.trim(),
    ...(draft.reason.trim() ? { reason: draft.reason.trim() } : {}),
    scope: {
      ...{ ...list('devices'), ...list('groups'), ...list('sites'), ...list('codes') },
      ...(parents.length > 0 ? { parents: parents.map(([kind, id]) => ({ kind, id })) } : {}),
      ...(tags.size > 0
        ? { tags: Object.fromEntries([...tags].map(([key, all]) => [key, all.map(([, value]) => value)])) }
        : {}),
    },
    ...(draft.times === 'once'
      ? { startsAt: instant(draft.startsAt), endsAt: instant(draft.endsAt) }
      : { recurrence: { weekdays: draft.weekdays, from: draft.from, to: draft.to, timeZone } }),
  };
}

/** `floor:2` as key and value. */
function pairOf(text: string): [string, string] {
  const [key = '', ...rest] = text.split(':');
  return [key.trim(), rest.join(':').trim()];
}
