import { beforeAll, describe, expect, test } from 'vitest';
import { canAskTerraform, comesAfter, type Graph, graphOfFiles, graphOfTerraform } from '../support/terraform/graph.ts';
import { readTerraform, valuesOf } from '../support/terraform/terraform.ts';

/** A plan does not show the dependencies, but the first apply fails if one is missing. */
const ways: [name: string, read: () => Graph | Promise<Graph>][] = [
  ['as the files say', graphOfFiles],
  ...(canAskTerraform() ? [['as `terraform graph` says', graphOfTerraform] as [string, () => Graph]] : []),
];

/** Grants to the accounts that functions run as or are built with. */
let grants: string[];
let root: Awaited<ReturnType<typeof readTerraform>>;
beforeAll(async () => {
  root = await readTerraform();
  grants = Object.entries(root.whole.resource)
    .filter(([type]) => type.endsWith('_iam_member'))
    .flatMap(([type, byName]) =>
      Object.entries(byName)
        .filter(([, [block]]) => /google_service_account\.(function|build)\b/.test(String(block?.['member'])))
        .map(([name]) => `${type}.${name}`),
    );
});

describe.each(ways)('the order of an apply, %s', (_, read) => {
  let graph: Graph;
  beforeAll(async () => {
    graph = await read();
  }, 240_000);

  test('grants every right, and waits until it takes effect, before a function is built or starts', () => {
    expect(grants.length).toBeGreaterThan(7);
    expect(comesAfter(graph, 'module.function', 'terraform_data.grants_known')).toBe(true);
    for (const grant of grants)
      expect([grant, comesAfter(graph, 'terraform_data.grants_known', grant)]).toEqual([grant, true]);
  });

  test('builds the database indexes before a function needs them', () => {
    for (const part of ['google_firestore_index.this', 'google_firestore_field.this'])
      expect([part, comesAfter(graph, 'module.function', part)]).toEqual([part, true]);
  });

  test('creates log metrics, and waits until they are known, before a policy uses them', () => {
    const policy = 'google_monitoring_alert_policy.threshold';
    expect(comesAfter(graph, policy, 'terraform_data.metrics_known')).toBe(true);
    for (const metric of root.resources('google_logging_metric').map(([name]) => `google_logging_metric.${name}`))
      expect([metric, comesAfter(graph, 'terraform_data.metrics_known', metric)]).toEqual([metric, true]);
  });

  test('pushes and sweeps nothing before there are functions', () => {
    for (const later of ['google_pubsub_subscription.ingest', 'google_pubsub_subscription.dead_letter'])
      expect([later, comesAfter(graph, later, 'module.function')]).toEqual([later, true]);
  });

  test('has no unwanted dependencies', () => {
    expect(comesAfter(graph, 'google_firestore_index.this', 'module.function')).toBe(false);
    expect(comesAfter(graph, 'google_logging_metric.event', 'google_monitoring_alert_policy.threshold')).toBe(false);
  });
});

test('each wait has the documented duration', () => {
  const waits = Object.fromEntries(
    root.resources('terraform_data').map(([name, block]) => [name, valuesOf(block, 'command')[0]]),
  );
  expect(waits).toMatchObject({ grants_known: 'sleep 420', metrics_known: 'sleep 600' });
});
