import { type MetricName, metricTable } from './metrics.ts';

/** One value of a metric with its labels. */
export type Sample = { labels: Record<string, string>; value: number };
export type Family = { name: MetricName; samples: readonly Sample[] };

export const expositionFormats = ['prometheus', 'openmetrics'] as const;
export type ExpositionFormat = (typeof expositionFormats)[number];

export const mediaTypeOf: Record<ExpositionFormat, string> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/**
 * Writes metrics as text. All of them are gauges, so that the two formats differ by their order of lines, their escapes and their end.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 * @see https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
export function exposed(families: readonly Family[], format: ExpositionFormat): string {
  const lines = families.flatMap(({ name, samples }) => {
    if (samples.length === 0) return [];
    const help = `# HELP ${name} ${format === 'openmetrics' ? escaped(metricTable[name].help) : helpText(name)}`;
    const type = `# TYPE ${name} gauge`;
    return [...(format === 'openmetrics' ? [type, help] : [help, type]), ...samples.map((each) => lineOf(name, each))];
  });
  return `${[...lines, ...(format === 'openmetrics' ? ['# EOF'] : [])].join('\n')}\n`;
}

function lineOf(name: MetricName, { labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** Prometheus' own format escapes no quotation marks in a help text. */
function helpText(name: MetricName): string {
  return metricTable[name].help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** The format for an `Accept` header: OpenMetrics only if the header names it and does not prefer plain text. */
export function formatFor(accept: string | null): ExpositionFormat {
  const weights = (accept ?? '').split(',').map((range): [type: string, weight: number] => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
  });
  const weightOf = (wanted: string) =>
    Math.max(0, ...weights.filter(([type]) => type === wanted).map(([, weight]) => weight));
  const openMetrics = weightOf('application/openmetrics-text');
  return openMetrics > 0 && openMetrics >= weightOf('text/plain') ? 'openmetrics' : 'prometheus';
}
