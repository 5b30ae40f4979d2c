import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exposed, type Family, formatFor } from '../../../../shared/domain/metrics/exposition.ts';
import { metricTable } from '../../../../shared/domain/metrics/metrics.ts';

const family = (group: string): Family[] => [
  { name: 'watchpost_devices', samples: [{ labels: { group, state: 'online' }, value: 3 }] },
  { name: 'watchpost_endpoint_success_ratio', samples: [] },
  { name: 'watchpost_delivery_oldest_pending_age_seconds', samples: [{ labels: {}, value: 0.5 }] },
];

test('writes metrics in the text format of Prometheus, and leaves out one without values', () => {
  const help = metricTable.watchpost_devices.help;
  expect(exposed(family('north'), 'prometheus').split('\n')).toEqual([
    `# HELP watchpost_devices ${help}`,
    '# TYPE watchpost_devices gauge',
    'watchpost_devices{group="north",state="online"} 3',
    '# HELP watchpost_delivery_oldest_pending_age_seconds Age of the oldest delivery that waits for an attempt; 0 if none waits.',
    '# TYPE watchpost_delivery_oldest_pending_age_seconds gauge',
    'watchpost_delivery_oldest_pending_age_seconds 0.5',
    '',
  ]);
});

test('writes the same as OpenMetrics, which escapes quotation marks in help texts and has an end', () => {
  const lines = exposed(family('north'), 'openmetrics').split('\n');
  expect(lines.slice(0, 2)).toEqual([
    '# TYPE watchpost_devices gauge',
    `# HELP watchpost_devices ${metricTable.watchpost_devices.help.replaceAll('"', '\\"')}`,
  ]);
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
});

test('no text of a label ends its line or its quotation marks', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'a', '}', ' ') }), (group) => {
      const line = exposed(family(group), 'prometheus').split('\n')[2] ?? '';
      const [, written = ''] =
        /^watchpost_devices\{group="((?:[^"\\\n]|\\["\\n])*)",state="online"\} 3$/.exec(line) ?? [];
      expect(JSON.parse(`"${written}"`)).toBe(group);
    }),
  );
});

describe('the format follows Accept', () => {
  const prometheus2 =
    'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
  const cases: [accept: string | null, format: string][] = [
    [null, 'prometheus'],
    ['*/*', 'prometheus'],
    ['text/html,*/*;q=0.8', 'prometheus'],
    ['application/openmetrics-text', 'openmetrics'],
    [prometheus2, 'openmetrics'],
    ['application/openmetrics-text;q=0.2, text/plain;q=0.9', 'prometheus'],
    ['application/openmetrics-text;q=0', 'prometheus'],
    ['application/openmetrics-text;q=nonsense', 'prometheus'],
  ];
  test.each(cases)('%s: %s', (accept, format) => expect(formatFor(accept)).toBe(format));
});
