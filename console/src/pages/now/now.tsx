import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Severity } from '../../../../shared/schema/vocabulary.ts';
import { me } from '../../client/auth.ts';
import { useFleet, useWrong } from '../../client/fleet.ts';
import { href } from '../../client/router.ts';
import { NobodyNotified } from '../../components/alert/nobody-notified.tsx';
import { SeverityMark } from '../../components/alert/severity.tsx';
import { severities, severityNames } from '../../model.ts';
import { useStore } from '../../store.ts';
import { Causes } from './causes.tsx';
import { Headline } from './headline.tsx';
import { OnlineTile } from './online-tile.tsx';
import { RecentAlerts } from './recent-alerts.tsx';
import { SightLine } from './sight-line.tsx';
import { Squares } from './squares.tsx';
import { Trends } from './trends.tsx';
import './now.css';

/** What is wrong now, why, and who has it, live: in one sentence, in numbers and in rows. */
export function NowPage(): JSX.Element {
  const fleet = useFleet();
  const isPainted = useIsPainted();
  const isQuiet = useWrong().data?.causes.length === 0;
  const isEmpty = fleet.data?.devices.total === 0;
  return (
    <section class="pane now-page">
      <h1 class="unseen">Now</h1>
      <NobodyNotified />
      {isEmpty ? <FirstSteps /> : null}
      {isEmpty && isQuiet ? null : <Headline />}
      <div class="numbers">
        <OnlineTile fleet={fleet.data} />
        {severities.map((severity) => (
          <SeverityTile
            key={severity}
            severity={severity}
            open={fleet.data?.alerts.open[severity] ?? null}
            day={fleet.data?.alerts.last24h[severity] ?? null}
          />
        ))}
      </div>
      {isEmpty && isQuiet ? null : <Causes />}
      {isPainted ? (
        <div class="now-rest">
          <div>
            <Squares />
            <Trends />
          </div>
          <RecentAlerts fleet={fleet} />
        </div>
      ) : null}
      {fleet.data ? <SightLine platform={fleet.data.platform} /> : null}
    </section>
  );
}

/** False until the browser has shown the page once, so that what is urgent appears before the charts. */
function useIsPainted(): boolean {
  const [isPainted, setIsPainted] = useState(false);
  useEffect(() => {
    let later: ReturnType<typeof setTimeout>;
    const frame = requestAnimationFrame(() => {
      later = setTimeout(() => setIsPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(later);
    };
  }, []);
  return isPainted;
}

/** What to do first, shown for an empty fleet. */
function FirstSteps(): JSX.Element {
  const groups = useStore(me)?.groups ?? null;
  if (groups !== null) {
    return (
      <section class="panel first-steps">
        <h2>Your groups ({groups.join(', ')}) hold no camera</h2>
        <p>Ask whoever manages the cameras to put some into one of these groups, or for a token of other groups.</p>
      </section>
    );
  }
  return (
    <section class="panel first-steps">
      <h2>No camera has reported yet</h2>
      <ol>
        <li>
          Connect a camera: it appears here with its first report. What could not be read is in{' '}
          <a href={href(['quarantine'])}>quarantine</a>.
        </li>
        <li>
          Set who is notified: <a href={href(['teams'])}>add contacts</a> to the team operations.
        </li>
        <li>Send each contact a test from there.</li>
      </ol>
    </section>
  );
}

function SeverityTile({
  severity,
  open,
  day,
}: {
  severity: Severity;
  open: number | null;
  day: number | null;
}): JSX.Element {
  return (
    <a class={`tile tile-${severity}${open ? ' has' : ''}`} href={href(['alerts'], { severity })}>
      <span class="tile-name">
        <span aria-hidden="true">
          <SeverityMark severity={severity} />
        </span>{' '}
        {severityNames[severity]}
      </span>
      <span class="tile-number">{open?.toLocaleString() ?? '–'}</span>
      <span class="tile-more">open · {day?.toLocaleString() ?? '–'} in 24 h</span>
    </a>
  );
}
