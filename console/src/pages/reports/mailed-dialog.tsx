import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ReportSchedule } from '../../../../shared/schema/ledger/schedule.ts';
import { ask, type Failure, failureFrom } from '../../client/api.ts';
import { useGroups } from '../../client/groups.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form, SelectField, TextField, textFields } from '../../components/form.tsx';
import { say } from '../../components/toast.tsx';
import { bodyOf, type Draft, draftOf, rhythmNames } from './mailed-draft.ts';

const rhythms = Object.entries(rhythmNames);
const rows = [
  ['site', 'A row for each site'],
  ['group', 'A row for each group'],
  ['device', 'A row for each camera'],
] as const;

/** Creates or changes a report that is mailed. */
export function MailedDialog({
  schedule,
  onClose,
}: {
  schedule: ReportSchedule | null;
  onClose: () => void;
}): JSX.Element {
  const [before] = useState(() => draftOf(schedule));
  const [draft, setDraft] = useState<Draft>(before);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((was) => ({ ...was, ...change }));
  const field = textFields(draft, set, failure);
  const save = async () => {
    setSaving(true);
    try {
      const body = bodyOf(draft);
      await (schedule ? change(schedule.scheduleId, body) : ask('post', '/v1/reports/schedules', { body }));
      say(`${body.name} is saved.`);
      onClose();
    } catch (error) {
      setFailure(failureFrom(error));
      setSaving(false);
    }
  };
  return (
    <Dialog
      title={schedule ? `Report ${schedule.name}` : 'Mail a report'}
      onClose={onClose}
      isTyped={JSON.stringify(draft) !== JSON.stringify(before)}
    >
      <Form failure={failure} onSubmit={save}>
        <TextField label="Name" {...field('name')} />
        <div class="grid-2">
          <SelectField
            label="How often"
            value={draft.every}
            options={rhythms}
            onChange={(every) => set({ every: every as Draft['every'] })}
          />
          <SelectField label="Rows" value={draft.by} options={rows} onChange={(by) => set({ by: by as Draft['by'] })} />
          <TextField label="Time zone" {...field('timeZone')} hint="Its weeks begin on Monday." />
          <TextField label="Groups" {...field('groups')} suggestions={useGroups()} hint="None: all that you may see." />
        </div>
        <TextField label="To" {...field('emails')} rows={3} hint="Addresses, one a line." />
        <p class="hint">It is sent at 06:00 on the second day after the week or month, when all of it is recorded.</p>
        <footer class="buttons">
          <button
            type="submit"
            class="button primary"
            disabled={isSaving || !draft.name.trim() || !draft.emails.trim()}
          >
            Save
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

async function change(scheduleId: string, body: ReturnType<typeof bodyOf>): Promise<void> {
  const path = '/v1/reports/schedules/{scheduleId}';
  const { etag } = await ask('get', path, { params: { scheduleId } });
  await ask('put', path, { params: { scheduleId }, body, ifMatch: etag });
}
