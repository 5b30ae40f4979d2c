import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AlertRule, Rule } from '../../../../shared/schema/settings/rule.ts';
import { ask, at } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, navigate, type Route } from '../../client/router.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { channelNames } from '../../model.ts';
import { RuleForm } from './rule-form.tsx';

/** The rules that filter, route and escalate alerts. */
export function RulesPage(): JSX.Element {
  const list = useResource<{ rules: Rule[] }>('/v1/rules?pageSize=200', { everyMs: 60_000 });
  const mayWrite = useMay('settings:write');
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Rules</h1>
        <span class="spacer" />
        {mayWrite ? (
          <a class="button primary" href={href(['rules', 'new'])}>
            <Icon name="plus" /> New rule
          </a>
        ) : null}
      </header>
      <Show of={list} lines={6}>
        {({ rules }) =>
          rules.length === 0 ? (
            <Empty title="No rules yet">Without rules, the settings decide by severity which channels notify.</Empty>
          ) : (
            <ul class="cards">
              {rules.map((rule) => (
                <li key={rule.ruleId}>
                  <a class="card" href={href(['rules', rule.ruleId])}>
                    <p class="row">
                      <span class={rule.enabled ? 'presence on' : 'presence off'}>
                        {rule.enabled ? 'Enabled' : 'Disabled'}
                      </span>
                      <strong>{rule.name}</strong>
                      <span class="spacer" />
                      <code>{rule.condition.code}</code>
                    </p>
                    <p class="quiet">{inWords(rule)}</p>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  );
}

export function NewRulePage(): JSX.Element {
  const create = async (body: AlertRule) => {
    const { data: rule } = await ask('post', '/v1/rules', { body });
    say(`Rule “${rule.name}” counts from the next alert on.`);
    navigate(href(['rules']));
  };
  return (
    <section class="pane narrow">
      <BackToRules />
      <header class="page-head">
        <h1>New rule</h1>
      </header>
      <RuleForm rule={null} onSave={create} />
    </section>
  );
}

export function RulePage({ route }: { route: Route }): JSX.Element {
  const ruleId = route.path[1] ?? '';
  const rule = useResource<Rule>(at('rules', ruleId));
  const [isAsked, setAsked] = useState(false);
  const mayWrite = useMay('settings:write');
  const save = async (body: AlertRule, etag: string | null) => {
    const answer = await ask('put', '/v1/rules/{ruleId}', { params: { ruleId }, body, ifMatch: etag }).catch(
      async (error) => {
        await rule.reload();
        throw error;
      },
    );
    rule.replace(answer.data, answer.etag);
    say('Rule saved.');
  };
  const remove = async () => {
    try {
      await ask('delete', '/v1/rules/{ruleId}', { params: { ruleId } });
      navigate(href(['rules']));
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <section class="pane narrow">
      <BackToRules />
      {rule.data ? null : <h1 class="unseen">Rule</h1>}
      <Show of={rule} lines={10}>
        {(data) => (
          <>
            <header class="page-head">
              <h1>{data.name}</h1>
              <span class="spacer" />
              {mayWrite ? (
                <button type="button" class="button danger" onClick={() => setAsked(true)}>
                  Delete
                </button>
              ) : null}
            </header>
            <RuleForm rule={data} etag={rule.etag} onSave={save} />
          </>
        )}
      </Show>
      {isAsked ? (
        <Confirm title="Delete this rule?" action="Delete" onConfirm={remove} onClose={() => setAsked(false)}>
          {rule.data ? <p class="notice">It says: {inWords(rule.data)}.</p> : null}
          <p>Open alerts keep what it decided. Those from now on go by the settings and the other rules.</p>
        </Confirm>
      ) : null}
    </section>
  );
}

function BackToRules(): JSX.Element {
  return (
    <a class="back" href={href(['rules'])}>
      <Icon name="back" /> All rules
    </a>
  );
}

/** A rule as a sentence. */
function inWords({ condition, action }: AlertRule): string {
  const groups = condition.group && condition.group.length > 0 ? `in ${condition.group.join(', ')}` : 'in every group';
  const effects = [
    action.suppress ? 'notify nobody' : null,
    action.notify ? `notify by ${action.notify.map((channel) => channelNames[channel]).join(', ')} too` : null,
    action.mute ? `not by ${action.mute.map((channel) => channelNames[channel]).join(', ')}` : null,
    action.team ? `notify ${action.team}` : null,
    action.escalate_to ? `escalate to ${action.escalate_to}` : null,
    action.priority ? `priority ${action.priority}` : null,
  ];
  const { site = [], device = [], severity = [], tags = {}, schedule } = condition;
  const asked = [
    severity.length > 0 ? `of ${severity.join(', ')}` : null,
    site.length > 0 ? `at ${site.join(', ')}` : null,
    device.length > 0 ? `on ${device.join(', ')}` : null,
    ...Object.entries(tags).map(([key, values]) => `${key} ${values.join(' or ')}`),
    schedule ? `in ${schedule}` : null,
  ];
  return `${[condition.code, groups, ...asked.filter(Boolean)].join(' ')}: ${effects.filter(Boolean).join(', ')}`;
}
