import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AvailabilityReport } from '../../../../shared/schema/ledger/report.ts';
import { useResource } from '../../client/resource.ts';
import { href, searchOf } from '../../client/router.ts';
import { Show } from '../../components/states.tsx';
import { Proof } from './proof.tsx';

type Day = AvailabilityReport['days'][number];

const dayMs = 24 * 3_600_000;
const weeksShown = 5;
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

type Props = { deviceId: string; registeredAt: string | null };

/** When this camera was seen, day by day (UTC), from the ledger. */
export function DeviceCalendar({ deviceId, registeredAt }: Props): JSX.Element {
  const asked = useMemo(() => {
    const today = Math.floor(Date.now() / dayMs) * dayMs;
    // Each row is a week, from Monday.
    const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * dayMs;
    const from = new Date(monday - (weeksShown - 1) * 7 * dayMs).toISOString();
    const to = new Date(today + dayMs).toISOString();
    return { deviceId, from, to };
  }, [deviceId]);
  const report = useResource<AvailabilityReport>(`/v1/reports/availability?${searchOf(asked)}`);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Seen, day by day</h2>
        <span class="spacer" />
        <a href={href(['reports'])}>Reports</a>
      </header>
      <Show of={report} lines={3}>
        {({ days }) => (
          <>
            <div class="calendar heads" aria-hidden="true">
              {dayNames.map((name) => (
                <span key={name}>{name}</span>
              ))}
            </div>
            <ol class="calendar" aria-label="The last five weeks, days of UTC">
              {days.map((day, index) => (
                <li key={day.day} class={`day ${kindOf(day)}`} title={wordsOf(day)}>
                  <span aria-hidden="true">{shownOf(day, index === 0)}</span>
                  <span class="unseen">{wordsOf(day)}</span>
                </li>
              ))}
            </ol>
            <p class="quiet">
              Days of UTC. Green bar: seen whenever it was watched. Hatched: some of it is uncertain. Red and bold: it
              was lost or silent. Grey: not recorded yet, or not registered. The ledger records each camera once a day.
            </p>
          </>
        )}
      </Show>
      {registeredAt ? (
        <Proof deviceId={deviceId} from={[asked.from, registeredAt].toSorted().at(-1) ?? registeredAt} />
      ) : null}
    </section>
  );
}

/** The month is written at the first day that is shown, and at the first day of each month. */
function shownOf({ day }: Day, isFirst: boolean): string {
  const number = Number(day.slice(8));
  return isFirst || number === 1 ? `${number}/${Number(day.slice(5, 7))}` : String(number);
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
