import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { latencyThresholdsMs } from '../../shared/domain/probe/readiness.ts';
import { sourceFiles } from '../../tools/imports.ts';
import { readJson, readTerraform, valuesOf } from '../support/terraform/terraform.ts';

/** The contract's probe intervals in seconds, shortest and longest, by environment. */
const intervals = {
  production: { health: [30, 60], ready: [60, 300] },
  staging: { health: [60, 120], ready: [300, 600] },
  dev: { health: [300, 300], ready: [900, 900] },
} as const;

let root: Awaited<ReturnType<typeof readTerraform>>;
let policies: Record<string, { runbook?: string; severity: string }>;
beforeAll(async () => {
  root = await readTerraform();
  policies = { ...(root.local('event_policies') as object), ...(root.local('platform_policies') as object) };
});

describe('probes', () => {
  const periods = () => root.local('probe_periods') as Record<string, Record<string, string>>;

  test.each(Object.entries(intervals))('%s is probed at the intervals of the contract', (environment, limits) => {
    for (const [probe, [shortest, longest]] of Object.entries(limits)) {
      const seconds = Number.parseInt(periods()[environment]?.[probe] ?? '', 10);
      expect(seconds, probe).toBeGreaterThanOrEqual(shortest);
      expect(seconds, probe).toBeLessThanOrEqual(longest);
    }
  });

  test('a probe waits as long as the contract recommends', () => {
    expect(root.local('probes')).toMatchObject({ health: { timeout: '5s' }, ready: { timeout: '15s' } });
  });
});

test('the latency thresholds are those of the code', () => {
  expect(root.local('latency_thresholds_ms')).toEqual(latencyThresholdsMs);
});

test('every event that a metric counts is one that the code logs', () => {
  const counted = Object.values(root.local('counters') as Record<string, { event: string }>).map(({ event }) => event);
  const source = sourceFiles('.', ['bridge', 'shared', 'functions'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  expect(counted.length).toBeGreaterThan(5);
  expect([...counted, 'check.slow'].filter((event) => !source.includes(`'${event}'`))).toEqual([]);
});

describe('each alert policy', () => {
  test('contains a link to the runbook', () => {
    for (const [name, policy] of root.resources('google_monitoring_alert_policy')) {
      expect(valuesOf(policy, 'url').map(String), name).toEqual([expect.stringMatching(/^\$\{local\.runbook_url\}#/)]);
      expect(valuesOf(policy, 'documentation'), name).toEqual([
        [expect.objectContaining({ content: expect.stringContaining('local.runbook[') })],
      ]);
    }
  });

  test('has a section in the runbook, and each section has a policy', () => {
    const sections = [...readFileSync('docs/runbook.md', 'utf8').matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    const linked = [
      'dependency-latency',
      ...Object.keys(root.local('probes') as object).map((probe) => `${probe}-probe`),
      ...Object.entries(policies).map(([name, { runbook }]) => runbook ?? name),
      ...root
        .resources('google_monitoring_alert_policy')
        .flatMap(([, policy]) => valuesOf(policy, 'url').flatMap((url) => /#([a-z-]+)$/.exec(String(url))?.[1] ?? [])),
    ];
    expect(sections.toSorted()).toEqual([...new Set(linked)].toSorted());
  });

  test('carries a section that fits into its message', () => {
    const sections = Object.entries(readJson<Record<string, string>>('terraform/runbook.json'));
    expect(sections.length).toBeGreaterThan(20);
    const page = readFileSync('docs/runbook.md', 'utf8');
    for (const [name, text] of sections) {
      expect([name, text.length > 150, text.length < 8000, page.includes(text)]).toEqual([name, true, true, true]);
    }
  });

  test('has notification channels for its severity', () => {
    const channels = Object.keys(root.local('channels') as object);
    for (const { severity } of Object.values(policies)) expect(channels).toContain(severity);
  });
});

test('each failure that must be noticed has a policy', () => {
  for (const name of [
    'oldest-unacknowledged',
    'dead-letters',
    'queue-depth',
    'deliveries-failing',
    'function-errors',
    'function-refuses',
    'export-failed',
    'nat-drops',
    'unauthenticated-burst',
    'forbidden-burst',
  ]) {
    expect(Object.keys(policies)).toContain(name);
  }
});

test('a sweep that stopped is noticed by its own line, which nothing else writes', () => {
  const policy = root.resource('google_monitoring_alert_policy', 'sweep_absent');
  expect(valuesOf(policy, 'condition_absent')).toMatchObject([
    [{ filter: '$' + '{local.event_metric.sweep_done}', duration: '180s' }],
  ]);
  expect(valuesOf(policy, 'condition_threshold')).toMatchObject([
    [{ filter: '$' + '{local.event_metric.sweep_done}', comparison: 'COMPARISON_LT', threshold_value: 1 }],
  ]);
  const writers = sourceFiles('.', ['shared', 'functions']).filter((file) =>
    readFileSync(file, 'utf8').includes("'sweep.done'"),
  );
  expect(writers).toEqual(['shared/app/due/sweep.ts']);
});

test('every objective has an alert policy for a fast and one for a slow burn of its budget', () => {
  expect(Object.keys(root.local('burns') as object)).toEqual(['fast', 'slow']);
  expect(root.resource('google_monitoring_alert_policy', 'burn')['for_each']).toBe('$' + '{local.burn_policies}');
});
