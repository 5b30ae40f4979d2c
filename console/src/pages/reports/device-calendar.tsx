import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AvailabilityReport } from '../../../../shared/schema/ledger/report.ts';
import { useResource } from '../../client/resource.ts';
import { href, searchOf } from '../../client/router.ts';
import { Show } from '../../components/states.tsx';

type Day = AvailabilityReport['days'][number];

const dayMs = 24 * 3_600_000;
const daysShown = 35;

/** When this camera was seen, day by day (UTC), as the ledger recorded it. */
export function DeviceCalendar({ deviceId }: { deviceId: string }): JSX.Element {
  const path = useMemo(() => {
    const today = Math.floor(Date.now() / dayMs) * dayMs;
    const from = new Date(today - (daysShown - 1) * dayMs).toISOString();
    const to = new Date(today + dayMs).toISOString();
    return `/v1/reports/availability?${searchOf({ deviceId, from, to })}`;
  }, [deviceId]);
  const report = useResource<AvailabilityReport>(path);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Seen, day by day</h2>
        <a href={href(['reports'])}>Reports</a>
      </header>
      <Show of={report} lines={3}>
        {({ days }) => (
          <>
            <ol class="calendar" aria-label={`The last ${daysShown} days, UTC`}>
              {days.map((day) => (
                <li key={day.day} class={`day ${kindOf(day)}`} title={wordsOf(day)}>
                  <span aria-hidden="true">{Number(day.day.slice(8))}</span>
                  <span class="unseen">{wordsOf(day)}</span>
                </li>
              ))}
            </ol>
            <p class="quiet">
              Days of UTC. Green: seen whenever it was watched. Hatched: some of it is uncertain. Red: it was lost or
              silent. Grey: not recorded yet, or not registered. The ledger records each camera once a day.
            </p>
          </>
        )}
      </Show>
    </section>
  );
}

function kindOf({ minutes }: Day): string {
  if (minutes.lost + minutes.silent >= 1) return 'down';
  if (minutes.uncertain >= 1) return 'unsure';
  return minutes.seen > 0 ? 'up' : 'none';
}

function wordsOf({ day, minutes }: Day): string {
  const down = minutes.lost + minutes.silent;
  const parts = [
    `seen ${rounded(minutes.seen)}`,
    down > 0 ? `not seen ${rounded(down)}` : '',
    minutes.uncertain > 0 ? `uncertain ${rounded(minutes.uncertain)}` : '',
    minutes.planned > 0 ? `planned ${rounded(minutes.planned)}` : '',
    minutes.platform > 0 ? `Watchpost blind ${rounded(minutes.platform)}` : '',
    minutes.notRecorded > 0 ? `not recorded ${rounded(minutes.notRecorded)}` : '',
  ];
  return `${day}: ${parts.filter(Boolean).join(', ')}`;
}

function rounded(minutes: number): string {
  return minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}
