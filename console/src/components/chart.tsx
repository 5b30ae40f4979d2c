import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shortTime } from '../format.ts';
import { severities, severityNames } from '../model.ts';
import { useStore } from '../store.ts';
import { theme } from '../theme.ts';
import { SeverityMark } from './alert/severity.tsx';

/** Alerts per bucket: `at` in seconds since 1970 and one row of counts per severity, in the order of `severities`. */
export type Series = { at: number[]; counts: number[][] };

/** Stacked bars of alerts over time, with a legend and the numbers under the pointer. A table shows the same to people who cannot see the chart. */
export function AlertsChart({ series }: { series: Series }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const shownTheme = useStore(theme);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const plot = new uPlot(optionsOf(element, series, setPointed), stacked(series), element);
    const observer = new ResizeObserver(() => plot.setSize(sizeOf(element)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [series, shownTheme]);
  const total = series.counts.flat().reduce((sum, count) => sum + count, 0);
  return (
    <>
      <div class="chart" ref={box} role="img" aria-label={`Alerts over time, ${total} in all, by severity`} />
      <p class="legend" aria-hidden="true">
        {severities.map((severity, row) => (
          <span key={severity}>
            <SeverityMark severity={severity} /> {severityNames[severity]}
            {pointed === null ? null : <strong> {series.counts[row]?.[pointed] ?? 0}</strong>}
          </span>
        ))}
        <span class="pointed">{pointed === null ? '' : pointedAt(series, pointed)}</span>
      </p>
    </>
  );
}

/** The beginning of the bucket under the pointer. */
function pointedAt({ at }: Series, index: number): string {
  const instant = at[index];
  return instant === undefined ? '' : `from ${shortTime(new Date(instant * 1000).toISOString())}`;
}

/** Sums from the bottom up. They are drawn from the top down, so that each bar covers the part below it. */
function stacked({ at, counts }: Series): uPlot.AlignedData {
  const sums = at.map(() => 0);
  const rows = counts.toReversed().map((row) => {
    row.forEach((count, index) => {
      sums[index] = (sums[index] ?? 0) + count;
    });
    return [...sums];
  });
  return [at, ...rows.toReversed()];
}

/** Seconds of one bucket. */
function bucketOf({ at }: Series): number {
  return (at[1] ?? 0) - (at[0] ?? 0) || 3600;
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: element.clientWidth, height: Math.max(120, element.clientHeight) };
}

function optionsOf(element: HTMLElement, series: Series, onPoint: (index: number | null) => void): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const pixels = Math.round(Number.parseFloat(style.fontSize) * 0.72);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: token('--muted'),
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
    font: `${pixels}px ${getComputedStyle(element).fontFamily}`,
  };
  const bars = uPlot.paths.bars?.({ size: [0.72, 28], radius: 0.15 });
  return {
    ...sizeOf(element),
    padding: [10, 24, 0, 0],
    legend: { show: false },
    // The numbers are in the legend, where the pointer does not cover them.
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    // Half a bucket at each side, so that the first bar and the last one are whole.
    scales: {
      x: { range: (_plot, min, max) => [min - bucketOf(series) / 2, max + bucketOf(series) / 2] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, Math.ceil((max ?? 0) * 1.1))] },
    },
    axes: [
      {
        ...axis,
        size: pixels * 2.2,
        grid: { show: false },
        values: (_plot, splits) => splits.map((at) => label(at, series.at)),
      },
      {
        ...axis,
        size: pixels * 3.2,
        space: pixels * 5,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
      },
    ],
    series: [
      {},
      ...severities.map((severity) => ({
        label: severityNames[severity],
        fill: token(`--${severity.toLowerCase()}`),
        stroke: token(`--${severity.toLowerCase()}`),
        width: 0,
        points: { show: false },
        ...(bars ? { paths: bars } : {}),
      })),
    ],
  };
}

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

function label(at: number, all: readonly number[]): string {
  const spanSeconds = (all.at(-1) ?? 0) - (all[0] ?? 0);
  return (spanSeconds > 2 * 86_400 ? day : hour).format(new Date(at * 1000));
}
