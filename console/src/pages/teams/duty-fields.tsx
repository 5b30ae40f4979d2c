import type { JSX } from 'preact';
import { TextField } from '../../components/form.tsx';
import type { DutyText } from './duty-text.ts';

type Field = { value: string; onChange: (value: string) => void; error: string | undefined };
type Props = { field: (name: keyof DutyText) => Field; wrong: readonly string[] };

/** People, rotations, policy and quiet hours of a team, as text lines. */
export function DutyFields({ field, wrong }: Props): JSX.Element {
  return (
    <>
      <TextField
        label="People"
        rows={3}
        {...field('people')}
        placeholder="anna: Anna Berg, anna@example.com, +46701234567"
        hint="Who can be notified alone; one a line."
      />
      <TextField
        label="On call"
        rows={2}
        {...field('rotations')}
        placeholder="anna, bo from mon 08:00 in Europe/Stockholm"
        hint="A week each, in this order; a rotation a line."
      />
      <TextField
        label="If nobody answers"
        rows={3}
        {...field('steps')}
        placeholder={'0 on call\n15 team operations by sms'}
        hint="Minutes after the response time, then: on call, person …, team …, or escalation team; with “by sms, chat” beside email. None: as the settings say."
      />
      <TextField label="Repeat the last step every, minutes" type="number" {...field('repeatMinutes')} />
      <TextField
        label="Quiet hours"
        {...field('quiet')}
        placeholder="night hold WARNING"
        hint="A schedule and the severities that wait for its end. None: as the settings say."
      />
      {wrong.length > 0 ? <p class="notice problem">Not understood: {wrong.join('; ')}</p> : null}
    </>
  );
}
