import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { peopleChannels } from '../../../../shared/schema/channels.ts';
import type { AlertRule, Rule, RulePreview } from '../../../../shared/schema/settings/rule.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { builtInSchedules, priorities, severities } from '../../../../shared/schema/vocabulary.ts';
import { ask, type Failure, failureFrom } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useGroups } from '../../client/groups.ts';
import { useKeptDraft } from '../../client/kept.ts';
import { useResource } from '../../client/resource.ts';
import {
  Check,
  CheckGroup,
  errorAt,
  Form,
  SelectField,
  TextField,
  TypedBefore,
  textFields,
} from '../../components/form.tsx';
import { alertCodes, channelNames, channels, codeTitles } from '../../model.ts';
import { draftOf, type RuleDraft, ruleOf } from './rule-draft.ts';
import { RulePreviewPanel } from './rule-preview.tsx';

const codes: (readonly [string, string])[] = [
  ['*', 'Every code'],
  ['CONN_*', 'CONN_* all of connectivity'],
  ['SEC_*', 'SEC_* all of security'],
  ['CFG_*', 'CFG_* all of configuration'],
  ['RES_*', 'RES_* all of resources'],
  ...alertCodes.map((code) => [code, `${code} ${codeTitles[code]}`] as const),
];

type Props = {
  rule: Rule | null;
  etag?: string | null;
  onSave: (body: AlertRule, etag: string | null) => Promise<unknown>;
};

/** Edits a rule. Before saving, the preview shows what it would have done to past alerts. */
export function RuleForm({ rule, etag = null, onSave }: Props): JSX.Element {
  const kept = useKeptDraft(`rule:${rule?.ruleId ?? 'new'}`, draftOf(rule), { etag });
  const draft = kept.value;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [preview, setPreview] = useState<RulePreview | null>(null);
  const [days, setDays] = useState('7');
  const mayWrite = useMay('settings:write');
  const body = ruleOf(draft);
  const hasEffect = Object.keys(body.action).length > 0;
  const attempt = (work: () => Promise<unknown>) => {
    setFailure(null);
    work().catch((error) => setFailure(kept.shown(failureFrom(error))));
  };
  const save = async () => {
    await onSave(body, kept.etag);
    kept.forget();
  };
  const look = async () => {
    const request = {
      rule: { ...body, name: body.name || 'preview' },
      ...(rule ? { ruleId: rule.ruleId } : {}),
      days: Number(days),
    };
    setPreview((await ask('post', '/v1/rules/preview', { body: request })).data);
  };
  return (
    <>
      <Form class="panel form" isNew={rule === null} failure={failure} onSubmit={() => attempt(save)}>
        <TypedBefore draft={kept} />
        <RuleFields draft={draft} set={kept.change} failure={failure} />
        <footer class="buttons">
          <SelectField
            label="Preview on the last"
            value={days}
            options={['1', '7', '14', '30'].map((value) => [value, value === '1' ? '1 day' : `${value} days`] as const)}
            onChange={setDays}
          />
          <button type="button" class="button" disabled={!hasEffect} onClick={() => attempt(look)}>
            Preview
          </button>
          <span class="spacer" />
          {mayWrite ? (
            <button type="submit" class="button primary" disabled={!hasEffect || !draft.name.trim()}>
              {rule ? 'Save' : 'Create rule'}
            </button>
          ) : null}
        </footer>
      </Form>
      {preview ? <RulePreviewPanel preview={preview} /> : null}
    </>
  );
}

type FieldsProps = { draft: RuleDraft; set: (change: Partial<RuleDraft>) => void; failure: Failure | null };

function RuleFields({ draft, set, failure }: FieldsProps): JSX.Element {
  const field = textFields(draft, set, failure);
  return (
    <>
      <TextField label="Name" {...field('name')} />
      <ConditionFields draft={draft} set={set} failure={failure} />
      <ActionFields draft={draft} set={set} failure={failure} />
      <Check label="Enabled" checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
    </>
  );
}

/** The conditions for an alert when it is opened. */
function ConditionFields({ draft, set, failure }: FieldsProps): JSX.Element {
  const settings = useResource<Settings>('/v1/settings');
  const field = textFields(draft, set, failure);
  const own = Object.keys(settings.data?.schedules ?? {});
  const schedules = [...new Set(['', ...builtInSchedules, ...own, draft.schedule])];
  return (
    <>
      <div class="grid-2">
        <SelectField
          label="When an alert is"
          value={draft.code}
          options={codes}
          onChange={(code) => set({ code })}
          error={errorAt(failure, '/condition/code')}
        />
        <TextField
          label="In groups"
          {...field('group', '/condition/group')}
          suggestions={useGroups()}
          hint="Separated by commas; none means every group."
        />
        <TextField label="At sites" {...field('site', '/condition/site')} hint="Separated by commas." />
        <TextField label="On cameras" {...field('device', '/condition/device')} hint="Ids, separated by commas." />
        <TextField
          label="With tags"
          {...field('tags', '/condition/tags')}
          hint="As floor=1|2, wing=west: any of the values, all of the tags."
        />
        <SelectField
          label="In the schedule"
          value={draft.schedule}
          options={schedules.map((name) => [name, name || 'At any time'] as const)}
          onChange={(schedule) => set({ schedule })}
          error={errorAt(failure, '/condition/schedule')}
        />
      </div>
      <CheckGroup
        legend="Of these severities (none: of any)"
        options={severities.map((severity) => [severity, severity] as const)}
        chosen={draft.severity}
        onChange={(severity) => set({ severity })}
      />
    </>
  );
}

/** The actions if the conditions hold. */
function ActionFields({ draft, set, failure }: FieldsProps): JSX.Element {
  const teams = useResource<{ teams: Team[] }>('/v1/teams');
  const field = textFields(draft, set, failure);
  const known = teams.data?.teams.map(({ name }) => name) ?? ['operations'];
  const names = ['', ...new Set([...known, draft.escalateTo, draft.team].filter(Boolean))];
  return (
    <>
      <Check
        label="Notify nobody (the alert is still recorded)"
        checked={draft.suppress}
        onChange={(suppress) => set({ suppress })}
      />
      <CheckGroup
        legend="Notify by these channels too"
        options={channels.map((channel) => [channel, channelNames[channel]] as const)}
        chosen={draft.notify}
        onChange={(notify) => set({ notify })}
      />
      <CheckGroup
        legend="Leave these channels out"
        options={peopleChannels.map((channel) => [channel, channelNames[channel]] as const)}
        chosen={draft.mute}
        onChange={(mute) => set({ mute })}
      />
      <div class="grid-2">
        <SelectField
          label="Notify this team"
          value={draft.team}
          options={names.map((name) => [name, name || 'operations, as ever'] as const)}
          onChange={(team) => set({ team })}
          error={errorAt(failure, '/action/team')}
        />
        <SelectField
          label="Escalate at once to"
          value={draft.escalateTo}
          options={names.map((name) => [name, name || 'Nobody'] as const)}
          onChange={(escalateTo) => set({ escalateTo })}
          error={errorAt(failure, '/action/escalate_to')}
        />
        <TextField
          label="Priority"
          {...field('priority', '/action/priority')}
          suggestions={priorities}
          hint="Any text of at most 40 characters; P1 to P5 sort first."
        />
      </div>
    </>
  );
}
