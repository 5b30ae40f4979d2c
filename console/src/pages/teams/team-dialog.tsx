import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { peopleChannels } from '../../../../shared/schema/channels.ts';
import type { Rotation } from '../../../../shared/schema/settings/on-call.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { timedSeverities, weekdays } from '../../../../shared/schema/vocabulary.ts';
import { at, type Failure, failureFrom, write } from '../../client/api.ts';
import { useKept } from '../../client/kept.ts';
import { useResource } from '../../client/resource.ts';
import { Dialog } from '../../components/dialog.tsx';
import { CheckGroup, errorAt, Form, SelectField, TextField, textFields } from '../../components/form.tsx';
import { Rows } from '../../components/rows.tsx';
import { say } from '../../components/toast.tsx';
import { dayNames } from '../../format.ts';
import { channelNames, severityNames } from '../../model.ts';
import { timeZone } from '../../time-zone.ts';
import {
  bodyOf,
  contactKinds,
  contactNames,
  draftOf,
  keyOfNew,
  kindOf,
  pointerOf,
  type TeamDraft,
} from './team-draft.ts';

type Props = { team: Team; teams: readonly Team[]; onClose: () => void };

/** Creates or changes a team. */
export function TeamDialog({ team, teams, onClose }: Props): JSX.Element {
  const { value: draft, isKept, change, forget } = useKept<TeamDraft>(`team-form:${team.name}`, () => draftOf(team));
  const [failure, setFailure] = useState<Failure | null>(null);
  const leave = () => {
    forget();
    onClose();
  };
  const name = draft.name.trim();
  const save = async () => {
    try {
      await write('PUT', at('teams', name), bodyOf(draft));
      say(`Team ${name} saved.`);
      leave();
    } catch (error) {
      setFailure(failureFrom(error));
    }
  };
  const field = textFields(draft, change, failure);
  return (
    <Dialog title={team.name ? `Team ${team.name}` : 'New team'} onClose={leave} isTyped={isKept}>
      <Form failure={failure} onSubmit={save}>
        {team.name ? null : (
          <TextField label="Name" {...field('name')} hint="Letters, digits, space, dot, dash and underscore." />
        )}
        <Contacts draft={draft} change={change} failure={failure} />
        <People draft={draft} change={change} failure={failure} />
        <Rotations draft={draft} change={change} />
        <Steps draft={draft} change={change} teams={teams} />
        {draft.steps.length > 0 ? (
          <TextField
            label="Repeat the last step every, minutes"
            type="number"
            {...field('repeatMinutes', '/escalation/repeatMinutes')}
          />
        ) : null}
        <Quiet draft={draft} change={change} />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!name}>
            Save
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

type Part = { draft: TeamDraft; change: (changes: Partial<TeamDraft>) => void };

function Contacts({ draft, change, failure }: Part & { failure: Failure | null }): JSX.Element {
  return (
    <Rows
      legend="Contacts"
      one="Contact"
      items={draft.contacts}
      fresh={() => ({ kind: 'email' as const, value: '' })}
      onChange={(contacts) => change({ contacts })}
    >
      {({ kind, value }, set, index) => (
        <>
          <TextField
            label="Address"
            value={value}
            onChange={(text) => set({ value: text, kind: kindOf(text) ?? kind })}
            placeholder={kind === 'email' ? 'ops@example.com' : kind === 'sms' ? '+46 70 123 45 67' : 'https://…'}
            error={errorAt(failure, pointerOf(draft, index))}
          />
          <SelectField
            label="By"
            value={kind}
            options={contactKinds.map((each) => [each, contactNames[each]] as const)}
            onChange={(chosen) => set({ kind: chosen as typeof kind })}
          />
        </>
      )}
    </Rows>
  );
}

function People({ draft, change, failure }: Part & { failure: Failure | null }): JSX.Element {
  return (
    <Rows
      legend="People"
      one="Person"
      hint="Who can be told alone: while on call, or by a step."
      items={draft.people}
      fresh={() => ({ key: keyOfNew(draft.people), name: '', email: '', phone: '' })}
      onChange={(people) => change({ people })}
    >
      {({ name, email, phone }, set, index) => (
        <>
          <TextField label="Name" value={name} onChange={(text) => set({ name: text })} required />
          <TextField
            label="Email"
            value={email}
            onChange={(text) => set({ email: text })}
            error={errorAt(failure, `/people/${index}/email`)}
          />
          <TextField
            label="Phone"
            value={phone}
            onChange={(text) => set({ phone: text })}
            placeholder="+46 70 123 45 67"
            error={errorAt(failure, `/people/${index}/phone`)}
          />
        </>
      )}
    </Rows>
  );
}

function Rotations({ draft, change }: Part): JSX.Element | null {
  const people = draft.people.filter(({ name }) => name.trim()).map(({ key, name }) => [key, name] as const);
  if (people.length === 0) return null;
  return (
    <Rows
      legend="On call"
      one="Rotation"
      hint="A week each, in this order."
      items={draft.rotations}
      fresh={(): Rotation => ({
        people: people.map(([key]) => key),
        handover: { weekday: 'mon', time: '08:00' },
        timeZone,
      })}
      onChange={(rotations) => change({ rotations })}
    >
      {({ people: order, handover, timeZone: zone }, set) => (
        <>
          {[...order, ''].map((person, index) => (
            <SelectField
              key={index}
              label={index === 0 ? 'First' : 'Then'}
              value={person}
              options={[['', index < order.length ? 'Nobody (remove)' : 'Add …'], ...people]}
              onChange={(chosen) => {
                const next = order.toSpliced(index, 1, ...(chosen ? [chosen] : []));
                if (next.length > 0) set({ people: next });
              }}
            />
          ))}
          <SelectField
            label="Changes on"
            value={handover.weekday}
            options={weekdays.map((day) => [day, dayNames[day]] as const)}
            onChange={(chosen) => set({ handover: { ...handover, weekday: chosen as typeof handover.weekday } })}
          />
          <TextField
            label="At"
            type="time"
            value={handover.time}
            onChange={(time) => set({ handover: { ...handover, time } })}
          />
          <TextField label="Time zone" value={zone} onChange={(text) => set({ timeZone: text })} />
        </>
      )}
    </Rows>
  );
}

function Steps({ draft, change, teams }: Part & { teams: readonly Team[] }): JSX.Element {
  const receivers: (readonly [string, string])[] = [
    ['on-call', 'Whoever is on call'],
    ['escalation-team', 'The escalation team of the settings'],
    ...draft.people.filter(({ name }) => name.trim()).map(({ key, name }) => [`person ${key}`, name] as const),
    ...teams.map(({ name }) => [`team ${name}`, `Team ${name}`] as const),
  ];
  const last = Number(draft.steps.at(-1)?.afterMinutes ?? -15);
  return (
    <Rows
      legend="If nobody answers"
      one="Step"
      hint="Minutes after the response time. Without a step: as the settings say."
      items={draft.steps}
      fresh={() => ({ afterMinutes: String(last + 15), who: 'on-call', channels: [] })}
      onChange={(steps) => change({ steps })}
    >
      {({ afterMinutes, who, channels }, set) => (
        <>
          <TextField
            label="After, minutes"
            type="number"
            min={0}
            max={1440}
            value={afterMinutes}
            onChange={(text) => set({ afterMinutes: text })}
          />
          <SelectField label="Tell" value={who} options={receivers} onChange={(chosen) => set({ who: chosen })} />
          <CheckGroup
            legend="Also by"
            options={peopleChannels.map((channel) => [channel, channelNames[channel]] as const)}
            chosen={channels}
            onChange={(chosen) => set({ channels: chosen })}
          />
        </>
      )}
    </Rows>
  );
}

function Quiet({ draft, change }: Part): JSX.Element {
  const { data } = useResource<Settings>('/v1/settings');
  const { schedule, hold } = draft.quiet;
  const names = new Set([...Object.keys(data?.schedules ?? {}), ...(schedule ? [schedule] : [])]);
  return (
    <>
      <SelectField
        label="Quiet hours"
        value={schedule}
        options={[['', 'As the settings say'], ...[...names].map((name) => [name, name] as const)]}
        onChange={(chosen) => change({ quiet: { schedule: chosen, hold } })}
      />
      {schedule ? (
        <CheckGroup
          legend="Waits for their end"
          options={timedSeverities.map((severity) => [severity, severityNames[severity]] as const)}
          chosen={hold}
          onChange={(chosen) => change({ quiet: { schedule, hold: chosen } })}
        />
      ) : null}
    </>
  );
}
