import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import {
  builtInSchedules,
  type Channel,
  type Severity,
  timedSeverities,
} from '../../../../shared/schema/vocabulary.ts';
import { ask, type Failure, failureFrom } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useKeptDraft } from '../../client/kept.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { NobodyNotified } from '../../components/alert/nobody-notified.tsx';
import { SeverityBadge } from '../../components/alert/severity.tsx';
import { CheckGroup, errorAt, Form, SelectField, TextField, TypedBefore } from '../../components/form.tsx';
import { Show } from '../../components/states.tsx';
import { say } from '../../components/toast.tsx';
import { channelNames, channels, severities, severityNames } from '../../model.ts';
import { stepWords } from '../teams/step-words.ts';
import { BusinessHours } from './business-hours.tsx';
import { ChannelHead } from './channel-head.tsx';
import { NewDevices } from './new-devices.tsx';
import { Schedules } from './schedules/schedules.tsx';
import { draftOf, hasNameTwice, type PartProps, settingsOf } from './settings-draft.ts';

/** The settings for the whole fleet. */
export function SettingsPage(): JSX.Element {
  const settings = useResource<Settings>('/v1/settings');
  return (
    <section class="pane narrow">
      <header class="page-head">
        <h1>Settings</h1>
      </header>
      <NobodyNotified />
      <Show of={settings} lines={14}>
        {(data) => <SettingsForm settings={settings} saved={data} />}
      </Show>
    </section>
  );
}

function SettingsForm({ settings, saved }: { settings: Resource<Settings>; saved: Settings }): JSX.Element {
  const kept = useKeptDraft('settings', draftOf(saved), { etag: settings.etag });
  const { value: draft, change: set } = kept;
  const [failure, setFailure] = useState<Failure | null>(null);
  const mayWrite = useMay('settings:write');
  const undo = () => {
    kept.forget();
    setFailure(null);
  };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(saved));
  const save = async () => {
    try {
      const answer = await ask('put', '/v1/settings', { body: settingsOf(draft), ifMatch: kept.etag });
      settings.replace(answer.data, answer.etag);
      kept.forget();
      setFailure(null);
      say('Settings saved.');
    } catch (error) {
      const found = failureFrom(error);
      setFailure(kept.shown(found));
      if (found.kind === 'conflict') await settings.reload();
    }
  };
  return (
    <Form class="settings" failure={failure} onSubmit={save}>
      <TypedBefore draft={kept} />
      <Matrix value={draft.channels} onChange={(value) => set({ channels: value })} />
      <ResponseTimes draft={draft} set={set} failure={failure} />
      <QuietHours draft={draft} set={set} failure={failure} />
      <BusinessHours draft={draft} set={set} failure={failure} />
      <Schedules draft={draft} set={set} failure={failure} />
      <Runbooks draft={draft} set={set} failure={failure} />
      <NewDevices draft={draft} set={set} failure={failure} />
      {mayWrite ? (
        <footer class="buttons sticky">
          <button type="submit" class="button primary" disabled={!isChanged || hasNameTwice(draft)}>
            Save settings
          </button>
          <button type="button" class="button" disabled={!isChanged} onClick={undo}>
            Undo changes
          </button>
        </footer>
      ) : (
        <p class="notice">You may look at the settings, but not change them.</p>
      )}
    </Form>
  );
}

type MatrixProps = { value: Settings['channels']; onChange: (value: Settings['channels']) => void };

function Matrix({ value, onChange }: MatrixProps): JSX.Element {
  const toggle = (severity: Severity, channel: Channel, isOn: boolean) =>
    onChange({ ...value, [severity]: { ...value[severity], [channel]: isOn } });
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Who hears of what</h2>
      </header>
      <p class="quiet">Channels by severity. The console always shows everything; rules can say otherwise.</p>
      <div class="table-box">
        <table class="table matrix">
          <ChannelHead first="Severity" />
          <tbody>
            {severities.map((severity) => (
              <tr key={severity}>
                <th scope="row">
                  <SeverityBadge severity={severity} />
                </th>
                {channels.map((channel) => (
                  <td key={channel}>
                    <label class="pick">
                      <input
                        type="checkbox"
                        aria-label={`${severityNames[severity]} by ${channelNames[channel]}`}
                        checked={value[severity][channel]}
                        onChange={(event) => toggle(severity, channel, event.currentTarget.checked)}
                      />
                    </label>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ResponseTimes({ draft, set, failure }: PartProps): JSX.Element {
  const teams = useResource<{ teams: Team[] }>('/v1/teams');
  const names = [...new Set([draft.escalationTeam, ...(teams.data?.teams.map(({ name }) => name) ?? [])])];
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Response times</h2>
      </header>
      <p class="quiet">
        An alert that nobody acknowledges in this time is escalated: to each step of the policy of the team that was
        notified of it, or to the team below if that team has no policy. If the team below was notified already, another
        team is notified, if there is one. The last step is repeated until somebody acknowledges: after four hours,
        every four hours. Escalations go out on the channels of the table above, and always by email. Information needs
        no answer.
      </p>
      {draft.escalation ? (
        <p class="quiet">
          The default policy now:{' '}
          {draft.escalation.steps.map((step) => `${step.afterMinutes} min ${stepWords(step)}`).join(' → ')}, repeated
          every {draft.escalation.repeatMinutes ?? 30} minutes.
        </p>
      ) : null}
      <div class="grid-3">
        {timedSeverities.map((severity) => (
          <TextField
            key={severity}
            label={`${severityNames[severity]}, minutes`}
            type="number"
            min={1}
            max={43_200}
            step="any"
            value={String(draft.responseSeconds[severity] / 60)}
            onChange={(text) => {
              const seconds = Math.round(Number(text) * 60);
              if (seconds > 0) set({ responseSeconds: { ...draft.responseSeconds, [severity]: seconds } });
            }}
            error={errorAt(failure, `/responseSeconds/${severity}`)}
          />
        ))}
      </div>
      <SelectField
        label="Escalate to"
        value={draft.escalationTeam}
        options={names.map((name) => [name, name] as const)}
        onChange={(escalationTeam) => set({ escalationTeam })}
        error={errorAt(failure, '/escalationTeam')}
      />
    </section>
  );
}

/** Which notifications wait until the quiet hours end. */
function QuietHours({ draft, set, failure }: PartProps): JSX.Element {
  const { schedule = 'night', hold = [] } = draft.quietHours ?? {};
  const names = [...builtInSchedules.filter((name) => name !== 'always'), ...draft.schedules.map(({ name }) => name)];
  return (
    <section class="panel" aria-label="Quiet hours">
      <header class="panel-head">
        <h2>Quiet hours</h2>
      </header>
      <p class="quiet">
        What begins, gets worse or is escalated in these hours with one of these severities is notified when the hours
        end, if it still holds. Webhooks and incidents do not wait. By default, warnings wait from 22:00 to 07:00.
      </p>
      <SelectField
        label="In the schedule"
        value={schedule}
        options={[...new Set([...names, schedule])].filter(Boolean).map((name) => [name, name] as const)}
        onChange={(name) => set({ quietHours: { schedule: name, hold } })}
        error={errorAt(failure, '/quietHours/schedule')}
      />
      <CheckGroup
        legend="These wait"
        options={timedSeverities.map((severity) => [severity, severityNames[severity]] as const)}
        chosen={hold}
        onChange={(chosen) => set({ quietHours: { schedule, hold: chosen } })}
      />
    </section>
  );
}

/** Links to this fleet's own instructions for each code. */
function Runbooks({ draft, set, failure }: PartProps): JSX.Element {
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Runbooks</h2>
      </header>
      <p class="quiet">An address for each alert code: it stands beside the alert, below what usually helps.</p>
      <TextField
        label="Links"
        rows={4}
        value={draft.runbooks}
        onChange={(runbooks) => set({ runbooks })}
        placeholder="CONN_001 https://wiki.example.com/offline"
        hint="One per line: code and address."
        error={errorAt(failure, '/runbooks')}
      />
    </section>
  );
}
