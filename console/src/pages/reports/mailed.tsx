import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ReportSchedule } from '../../../../shared/schema/ledger/schedule.ts';
import { ask } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Show } from '../../components/states.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { plural, shortTime } from '../../format.ts';
import { MailedDialog } from './mailed-dialog.tsx';
import { bodyOf, draftOf, rhythmNames } from './mailed-draft.ts';

const path = '/v1/reports/schedules/{scheduleId}';
type Asked = { kind: 'edit'; schedule: ReportSchedule | null } | { kind: 'delete'; schedule: ReportSchedule };

/** The mailed reports. People create, change, pause and delete them here. */
export function MailedReports(): JSX.Element | null {
  const mayRead = useMay('settings:read');
  const mayWrite = useMay('settings:write');
  const list = useResource<{ schedules: ReportSchedule[] }>(mayRead ? '/v1/reports/schedules' : null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => {
    setAsked(null);
    void list.reload();
  };
  if (!mayRead) return null;
  return (
    <section class="panel mailed" aria-labelledby="mailed-title">
      <header class="panel-head">
        <h2 id="mailed-title">By mail</h2>
        {mayWrite ? (
          <button type="button" class="button small" onClick={() => setAsked({ kind: 'edit', schedule: null })}>
            Mail a report
          </button>
        ) : null}
      </header>
      <Show of={list} lines={2}>
        {({ schedules }) => (
          <>
            {schedules.length === 0 ? (
              <p class="quiet">
                No report is mailed. Each week or month one can go to those who want it, as PDF and CSV.
              </p>
            ) : null}
            <ul>
              {schedules.map((schedule) => (
                <li key={schedule.scheduleId}>
                  <Row schedule={schedule} />
                  {mayWrite ? <Buttons schedule={schedule} onAsk={setAsked} onChanged={list.reload} /> : null}
                </li>
              ))}
            </ul>
          </>
        )}
      </Show>
      {asked?.kind === 'edit' ? <MailedDialog schedule={asked.schedule} onClose={close} /> : null}
      {asked?.kind === 'delete' ? <Delete schedule={asked.schedule} onClose={close} /> : null}
    </section>
  );
}

function Row({ schedule }: { schedule: ReportSchedule }): JSX.Element {
  const { name, every, timeZone, groups, limitedTo, emails, enabled, next, last } = schedule;
  const about = groups ?? limitedTo;
  return (
    <div>
      <strong>{name}</strong> {enabled ? null : <span class="chip wait">paused</span>}
      <p class="quiet">
        {rhythmNames[every]} ({timeZone}), {about ? about.join(', ') : 'all groups'}, to {emails.join(', ') || 'nobody'}
      </p>
      <p class="quiet">
        {next ? `Next on ${shortTime(next.sendAt)}. ` : ''}
        {last ? `Last sent on ${shortTime(last.sentAt)}.` : 'None was sent yet.'}
      </p>
    </div>
  );
}

type ButtonsProps = { schedule: ReportSchedule; onAsk: (asked: Asked) => void; onChanged: () => unknown };

function Buttons({ schedule, onAsk, onChanged }: ButtonsProps): JSX.Element {
  const { scheduleId, name, enabled } = schedule;
  const pause = async () => {
    try {
      const params = { scheduleId };
      const { data, etag } = await ask('get', path, { params });
      const body = { ...bodyOf(draftOf(data)), enabled: !enabled };
      await ask('put', path, { params, body, ifMatch: etag });
      say(enabled ? `${name} is paused: nothing is sent.` : `${name} is sent again.`);
    } catch (error) {
      sayFailure(error);
    }
    await onChanged();
  };
  const nobody = !enabled && schedule.emails.length === 0;
  return (
    <div class="buttons">
      <button
        type="button"
        class="button small"
        aria-label={`Change ${name}`}
        onClick={() => onAsk({ kind: 'edit', schedule })}
      >
        Change
      </button>
      <button
        type="button"
        class="button small"
        aria-label={`${enabled ? 'Pause' : 'Resume'} ${name}`}
        disabled={nobody}
        onClick={() => void pause()}
      >
        {enabled ? 'Pause' : 'Resume'}
      </button>
      <button
        type="button"
        class="button small danger"
        aria-label={`Delete ${name}`}
        onClick={() => onAsk({ kind: 'delete', schedule })}
      >
        Delete
      </button>
    </div>
  );
}

function Delete({ schedule, onClose }: { schedule: ReportSchedule; onClose: () => void }): JSX.Element {
  const { scheduleId, name, emails } = schedule;
  const remove = async () => {
    try {
      await ask('delete', path, { params: { scheduleId } });
      say(`${name} is mailed no more.`);
    } catch (error) {
      sayFailure(error);
    }
    onClose();
  };
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" onConfirm={remove} onClose={onClose}>
      {plural(emails.length, 'recipient')} get{emails.length === 1 ? 's' : ''} no further report. To keep it for later,
      pause it.
    </Confirm>
  );
}
