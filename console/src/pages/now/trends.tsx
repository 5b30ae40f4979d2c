import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TrendsAnswer } from '../../../../shared/schema/fleet/trends.ts';
import { useResource } from '../../client/resource.ts';
import { searchOf } from '../../client/router.ts';
import { Empty, Failed, Skeleton } from '../../components/states.tsx';
import { duration, shortTime } from '../../format.ts';
import { severities, severityNames } from '../../model.ts';
import { AlertsChart } from './chart.tsx';

const windows = [
  { name: '24 h', days: '1', bucket: 'hour' },
  { name: '7 d', days: '7', bucket: 'hour' },
  { name: '30 d', days: '30', bucket: 'day' },
] as const;

/** Alerts over time, and how long they take to be acknowledged and to be resolved. */
export function Trends(): JSX.Element {
  const [{ name: chosen, ...asked }, setWindow] = useState<(typeof windows)[number]>(windows[0]);
  const trends = useResource<TrendsAnswer>(`/v1/fleet/trends?${searchOf(asked)}`, {
    on: ['fleet'],
    everyMs: 60_000,
    calmMs: 30_000,
  });
  const isEmpty = trends.data?.buckets.every(({ opened }) => severities.every((severity) => opened[severity] === 0));
  return (
    <section class="panel trends" aria-labelledby="trends">
      <header class="panel-head">
        <h2 id="trends">Alerts over time</h2>
        <fieldset class="segments">
          <legend class="unseen">Window</legend>
          {windows.map((one) => (
            <button type="button" key={one.name} aria-pressed={chosen === one.name} onClick={() => setWindow(one)}>
              {one.name}
            </button>
          ))}
        </fieldset>
      </header>
      <div class="chart-box">
        {trends.data && !isEmpty ? <AlertsChart buckets={trends.data.buckets} /> : null}
        {isEmpty ? <Empty title="No alert was opened in this window" /> : null}
        {trends.data ? null : trends.failure ? (
          <Failed failure={trends.failure} retry={trends.reload} />
        ) : (
          <Skeleton lines={5} />
        )}
      </div>
      {trends.data ? <TrendsTable trends={trends.data} /> : null}
      <div class="spreads">
        <SpreadOf name="To acknowledge" spread={trends.data?.timeToAcknowledge ?? null} />
        <SpreadOf name="To resolve" spread={trends.data?.timeToResolve ?? null} />
      </div>
    </section>
  );
}

/** The chart's numbers for people who cannot see it, without empty buckets. */
function TrendsTable({ trends }: { trends: TrendsAnswer }): JSX.Element {
  const filled = trends.buckets.filter(({ opened }) => severities.some((severity) => opened[severity] > 0));
  return (
    <table class="unseen">
      <caption>Alerts over time</caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          {severities.map((severity) => (
            <th scope="col" key={severity}>
              {severityNames[severity]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {filled.map(({ at, opened }) => (
          <tr key={at}>
            <th scope="row">{shortTime(at)}</th>
            {severities.map((severity) => (
              <td key={severity}>{opened[severity] ?? 0}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SpreadOf({ name, spread }: { name: string; spread: TrendsAnswer['timeToResolve'] | null }): JSX.Element {
  const text = (seconds: number | null | undefined) => (seconds == null ? '–' : duration(seconds * 1000));
  return (
    <dl class="spread">
      <dt>{name}</dt>
      <dd>
        <strong>{text(spread?.meanSeconds)}</strong> <span class="quiet">on average</span>
      </dd>
      <dd>
        <strong>{text(spread?.p95Seconds)}</strong> <span class="quiet">95th percentile</span>
      </dd>
    </dl>
  );
}
