import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AlertRule, Rule, RulePreview } from '../../../../shared/schema/settings/rule.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { type Channel, type Priority, priorities } from '../../../../shared/schema/vocabulary.ts';
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
  words,
} from '../../components/form.tsx';
import { alertCodes, channelNames, channels, codeTitles } from '../../model.ts';
import { RulePreviewPanel } from './rule-preview.tsx';

type Draft = {
  name: string;
  code: string;
  group: string;
  suppress: boolean;
  notify: Channel[];
  escalateTo: string;
  priority: string;
  enabled: boolean;
};

const codes: (readonly [string, string])[] = [
  ['*', 'Every code'],
  ['CONN_*', 'CONN_* all of connectivity'],
  ['SEC_*', 'SEC_* all of security'],
  ['CFG_*', 'CFG_* all of configuration'],
  ['RES_*', 'RES_* all of resources'],
  ...alertCodes.map((code) => [code, `${code} ${codeTitles[code]}`] as const),
];
const priorityOptions = [['', 'As it comes'], ...priorities.map((name) => [name, name] as const)] as const;

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
    work().catch((error) => setFailure(kept.told(failureFrom(error))));
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
      <Form class="panel form" failure={failure} onSubmit={() => attempt(save)}>
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

type FieldsProps = { draft: Draft; set: (change: Partial<Draft>) => void; failure: Failure | null };

function RuleFields({ draft, set, failure }: FieldsProps): JSX.Element {
  const teams = useResource<{ teams: Team[] }>('/v1/teams');
  const field = textFields(draft, set, failure);
  const names = [
    '',
    ...new Set([...(teams.data?.teams.map(({ name }) => name) ?? ['operations']), draft.escalateTo]),
  ].filter((name, index) => index === 0 || name);
  return (
    <>
      <TextField label="Name" {...field('name')} />
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
      </div>
      <Check
        label="Notify nobody (the alert is still recorded)"
        checked={draft.suppress}
        onChange={(suppress) => set({ suppress })}
      />
      <CheckGroup
        legend="Tell by these channels instead of the severity’s"
        options={channels.map((channel) => [channel, channelNames[channel]] as const)}
        chosen={draft.notify}
        onChange={(notify) => set({ notify })}
      />
      <div class="grid-2">
        <SelectField
          label="Escalate at once to"
          value={draft.escalateTo}
          options={names.map((name) => [name, name || 'Nobody'] as const)}
          onChange={(escalateTo) => set({ escalateTo })}
          error={errorAt(failure, '/action/escalate_to')}
        />
        <SelectField
          label="Priority"
          value={draft.priority}
          options={priorityOptions}
          onChange={(priority) => set({ priority })}
        />
      </div>
      <Check label="Enabled" checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
    </>
  );
}

function draftOf(rule: Rule | null): Draft {
  return {
    name: rule?.name ?? '',
    code: rule?.condition.code ?? 'CONN_001',
    group: rule?.condition.group?.join(', ') ?? '',
    suppress: rule?.action.suppress ?? false,
    notify: rule?.action.notify ?? [],
    escalateTo: rule?.action.escalate_to ?? '',
    priority: rule?.action.priority ?? '',
    enabled: rule?.enabled ?? true,
  };
}

function ruleOf(draft: Draft): AlertRule {
  return {
    name: draft.name.trim(),
    condition: { code: draft.code, group: words(draft.group) },
    action: {
      ...(draft.suppress ? { suppress: true } : {}),
      ...(draft.notify.length > 0 ? { notify: draft.notify } : {}),
      ...(draft.escalateTo ? { escalate_to: draft.escalateTo } : {}),
      ...(draft.priority ? { priority: draft.priority as Priority } : {}),
    },
    enabled: draft.enabled,
  };
}
