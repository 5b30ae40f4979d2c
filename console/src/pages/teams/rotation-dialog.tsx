import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Rotation } from '../../../../shared/schema/settings/on-call.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { type Failure, failureFrom } from '../../client/api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form, SelectField, TextField } from '../../components/form.tsx';
import { Rows } from '../../components/rows.tsx';
import { say } from '../../components/toast.tsx';
import { localTime } from '../../format.ts';
import { timeZone } from '../../time-zone.ts';
import { changeTeam } from './change-team.ts';

/** An override of a rotation as form fields. */
type StandIn = { personId: string; from: string; to: string };
type Draft = { startsAt: string; standIns: StandIn[] };

type Props = { team: Team; index: number; rotation: Rotation; onClose: () => void };

/** The overrides of a rotation, and its start. */
export function RotationDialog({ team, index, rotation, onClose }: Props): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(rotation));
  const [failure, setFailure] = useState<Failure | null>(null);
  const save = async () => {
    try {
      await changeTeam(team.name, ({ rotations = [] }) => ({
        rotations: rotations.map((each, place) => (place === index ? rotationOf(draft, each) : each)),
      }));
      say(`On-call of ${team.name} saved.`);
      onClose();
    } catch (error) {
      setFailure(failureFrom(error));
    }
  };
  const people = (team.people ?? []).map(({ personId, name }) => [personId, name] as const);
  const isWhole = draft.standIns.every(({ from, to }) => from && to && from < to);
  return (
    <Dialog title={`On call in ${team.name}: ${rotation.people.join(', ')}`} onClose={onClose}>
      <Form failure={failure} onSubmit={save}>
        <p class="hint">Times are those of your screen ({timeZone}).</p>
        <Rows
          legend="Somebody stands in"
          one="Stand-in"
          items={draft.standIns}
          fresh={() => newStandIn(rotation)}
          onChange={(standIns) => setDraft({ ...draft, standIns })}
        >
          {(standIn, change) => <StandInFields standIn={standIn} people={people} change={change} />}
        </Rows>
        <TextField
          label="The first of the list has the week of"
          type="datetime-local"
          value={draft.startsAt}
          onChange={(startsAt) => setDraft({ ...draft, startsAt })}
          hint="Nobody is on call before it. Empty: weeks are counted from 5 January 1970."
        />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!isWhole}>
            Save
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

type FieldsProps = {
  standIn: StandIn;
  people: readonly (readonly [string, string])[];
  change: (changes: Partial<StandIn>) => void;
};

function StandInFields({ standIn: { personId, from, to }, people, change }: FieldsProps): JSX.Element {
  return (
    <>
      <SelectField
        label="On call instead"
        value={personId}
        options={people}
        onChange={(chosen) => change({ personId: chosen })}
      />
      <TextField label="From" type="datetime-local" value={from} onChange={(text) => change({ from: text })} />
      <TextField
        label="To"
        type="datetime-local"
        value={to}
        onChange={(text) => change({ to: text })}
        error={from !== '' && to !== '' && from >= to ? 'Must come after the beginning.' : undefined}
      />
    </>
  );
}

const hour = 3_600_000;

/** Present and future overrides. */
function draftOf({ startsAt, overrides = [] }: Rotation): Draft {
  return {
    startsAt: startsAt ? localTime(Date.parse(startsAt)) : '',
    standIns: overrides
      .filter(({ to }) => Date.parse(to) > Date.now())
      .map(({ personId, from, to }) => ({
        personId,
        from: localTime(Date.parse(from)),
        to: localTime(Date.parse(to)),
      })),
  };
}

function newStandIn({ people }: Rotation): StandIn {
  const next = Math.ceil(Date.now() / hour) * hour;
  return { personId: people[0] ?? '', from: localTime(next), to: localTime(next + 12 * hour) };
}

/** The rotation with the typed overrides. Past overrides stay, so that it remains known who was on call then. */
function rotationOf({ startsAt, standIns }: Draft, { startsAt: _, overrides = [], ...rotation }: Rotation): Rotation {
  const instant = (text: string) => new Date(text).toISOString();
  const past = overrides.filter(({ to }) => Date.parse(to) <= Date.now());
  const given = standIns.map(({ personId, from, to }) => ({ personId, from: instant(from), to: instant(to) }));
  return { ...rotation, ...(startsAt ? { startsAt: instant(startsAt) } : {}), overrides: [...past, ...given] };
}
