import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TrendsAnswer } from '../../../../shared/schema/fleet/trends.ts';
import { SeverityMark } from '../../components/alert/severity.tsx';
import { shortTime } from '../../format.ts';
import { severities, severityNames } from '../../model.ts';

type Bucket = TrendsAnswer['buckets'][number];

/** The lines across the chart, from the top down, as parts of its height. */
const ticks = [1, 0.5, 0];
const labelsAtMost = 6;

/** Stacked bars of alerts over time, with a legend and the numbers under the pointer. A table shows the same to people who cannot see the chart. */
export function AlertsChart({ buckets }: { buckets: Bucket[] }): JSX.Element {
  const [pointed, setPointed] = useState<Bucket | null>(null);
  const sums = buckets.map(({ opened }) => severities.reduce((sum, severity) => sum + opened[severity], 0));
  const top = roundedUp(Math.max(...sums));
  const total = sums.reduce((sum, each) => sum + each, 0);
  const every = Math.ceil(buckets.length / labelsAtMost);
  return (
    <>
      <div class="chart">
        <div class="chart-y" aria-hidden="true">
          {ticks.map((part) => (
            <span key={part}>{(top * part).toLocaleString()}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${buckets.length} ${top}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Alerts over time, ${total} in all, by severity`}
          onPointerLeave={() => setPointed(null)}
        >
          {ticks.map((part) => (
            <path key={part} class="chart-line" d={`M0 ${top * (1 - part)}H${buckets.length}`} />
          ))}
          {buckets.map((bucket, index) => (
            <g key={bucket.at} onPointerEnter={() => setPointed(bucket)}>
              <rect class="chart-place" x={index} width="1" height={top} />
              {barsOf(bucket, top).map(({ severity, y, height }) => (
                <rect key={severity} class={`bar-${severity}`} x={index + 0.14} width="0.72" y={y} height={height} />
              ))}
            </g>
          ))}
        </svg>
        <div class="chart-x" aria-hidden="true">
          {buckets.flatMap(({ at }, index) =>
            index % every === 0 ? (
              <span key={at} style={{ left: `${((index + 0.5) / buckets.length) * 100}%` }}>
                {labelOf(at, buckets)}
              </span>
            ) : (
              []
            ),
          )}
        </div>
      </div>
      <p class="legend" aria-hidden="true">
        {severities.map((severity) => (
          <span key={severity}>
            <SeverityMark severity={severity} /> {severityNames[severity]}
            {pointed ? <strong> {pointed.opened[severity]}</strong> : null}
          </span>
        ))}
        <span class="pointed">{pointed ? `from ${shortTime(pointed.at)}` : ''}</span>
      </p>
    </>
  );
}

/** The parts of a bar from the bottom up, the worst first. */
function barsOf({ opened }: Bucket, top: number) {
  let y = top;
  return severities.flatMap((severity) => {
    const height = opened[severity];
    y -= height;
    return height > 0 ? [{ severity, y, height }] : [];
  });
}

/** The next even number of one digit and zeros, so that the half is whole too. */
function roundedUp(most: number): number {
  const size = 10 ** Math.max(0, Math.floor(Math.log10(most / 2)));
  return Math.max(4, Math.ceil(most / (2 * size)) * 2 * size);
}

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

function labelOf(at: string, buckets: readonly Bucket[]): string {
  const spanMs = Date.parse(buckets.at(-1)?.at ?? at) - Date.parse(buckets[0]?.at ?? at);
  return (spanMs > 2 * 86_400_000 ? day : hour).format(new Date(at));
}
