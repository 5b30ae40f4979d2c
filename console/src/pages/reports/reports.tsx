import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { AvailabilityReport } from '../../../../shared/schema/ledger/report.ts';
import { readBytes } from '../../client/api.ts';
import { saveAs } from '../../client/download.ts';
import { useResource } from '../../client/resource.ts';
import { href, type Route, searchOf } from '../../client/router.ts';
import { SelectFilter } from '../../components/select-filter.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { sayFailure } from '../../components/toast.tsx';
import { MailedReports } from './mailed.tsx';

type Part = AvailabilityReport['total'];

const parts = [
  ['device', 'By camera'],
  ['site', 'By site'],
  ['group', 'By group'],
] as const;
const months = [
  ['0', 'This month'],
  ['1', 'Last month'],
  ['2', 'The month before'],
] as const;
const mostRows = 200;

/** How long cameras were seen in a month, as a report for an auditor or a customer. */
export function ReportsPage({ route }: { route: Route }): JSX.Element {
  const by = route.query.get('by') || 'device';
  const back = Number(route.query.get('back') || '0') || 0;
  const asked = useMemo(() => {
    const now = new Date();
    const monthAt = (offset: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString();
    // A report on this month ends now, so that the coming days do not count as not recorded.
    return { from: monthAt(-back), to: [monthAt(1 - back), now.toISOString()].toSorted()[0] ?? '', by };
  }, [by, back]);
  const report = useResource<AvailabilityReport>(`/v1/reports/availability?${searchOf(asked)}`);
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Reports</h1>
        <span class="spacer" />
        <Downloads asked={asked} />
      </header>
      <div class="filters">
        <SelectFilter label="Month" name="back" value={String(back)} options={months} route={route} />
        <SelectFilter label="Rows" name="by" value={by} options={parts} route={route} />
      </div>
      <Show of={report} lines={10}>
        {(data) => <Report report={data} />}
      </Show>
      <MailedReports />
    </section>
  );
}

function Downloads({ asked }: { asked: Record<string, string> }): JSX.Element {
  const [isBusy, setIsBusy] = useState(false);
  const get = async (format: 'csv' | 'pdf') => {
    setIsBusy(true);
    try {
      const bytes = await readBytes(`/v1/reports/availability?${searchOf({ ...asked, format })}`);
      saveAs(bytes, `availability-${asked['from']?.slice(0, 7)}.${format}`);
    } catch (error) {
      sayFailure(error);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div class="buttons">
      {(['pdf', 'csv'] as const).map((format) => (
        <button key={format} type="button" class="button" disabled={isBusy} onClick={() => void get(format)}>
          Download {format.toUpperCase()}
        </button>
      ))}
    </div>
  );
}

function Report({ report }: { report: AvailabilityReport }): JSX.Element {
  if (report.total.devices === 0) return <Empty title="No cameras">There is nothing to report on yet.</Empty>;
  return (
    <>
      <section class="panel">
        <h2>Seen {seenOf(report.total)} of the time that counts</h2>
        <p class="quiet">{report.accounting}</p>
      </section>
      <section class="panel table-box">
        <table class="table">
          <caption>In minutes, but for the share of the time that counts in which it was seen</caption>
          <thead>
            <tr>
              {[
                rowNames[report.by],
                'Share seen',
                'Seen',
                'Lost',
                'Silent',
                'Uncertain',
                'Planned',
                'Watchpost blind',
                'Not recorded',
              ].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[report.total, ...report.parts.slice(0, mostRows)].map((part) => (
              <Row key={part.id} part={part} by={part === report.total ? 'total' : report.by} />
            ))}
          </tbody>
        </table>
        {report.parts.length > mostRows ? (
          <p class="quiet">
            The first {mostRows} of {report.parts.length}. A download has all of them.
          </p>
        ) : null}
      </section>
      <section class="panel">
        <h2>How to check it</h2>
        <p>{report.verification}</p>
        <pre class="code">{report.checkpoint ?? 'There is no checkpoint yet.'}</pre>
      </section>
    </>
  );
}

function Row({ part, by }: { part: Part; by: string }): JSX.Element {
  const { seen, lost, silent, uncertain, planned, platform, notRecorded } = part.minutes;
  return (
    <tr>
      <th scope="row">
        {by === 'device' ? (
          <a href={href(['devices', part.id])}>{part.name ?? part.id}</a>
        ) : by === 'total' ? (
          'All'
        ) : (
          (part.name ?? part.id)
        )}
      </th>
      <td>{percent(part.availability.uncertainIsDown)}</td>
      {[seen, lost, silent, uncertain, planned, platform, notRecorded].map((minutes, index) => (
        <td key={index}>{Math.round(minutes).toLocaleString()}</td>
      ))}
    </tr>
  );
}

const rowNames: Record<AvailabilityReport['by'], string> = { device: 'Camera', site: 'Site', group: 'Group' };

/** The share of the time that was seen: if all uncertain time counts as down, and if it counts as up. */
function seenOf({ availability: { uncertainIsDown, uncertainIsUp } }: Part): string {
  const [least, most] = [percent(uncertainIsDown), percent(uncertainIsUp)];
  return least === most ? least : `${least} to ${most}`;
}

function percent(value: number | null): string {
  return value === null ? 'no time' : `${value} %`;
}
