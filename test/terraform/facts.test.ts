import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { pushRetries } from '../../local/cloud/push/settings.ts';
import type { Kind, Records } from '../../shared/app/ports.ts';
import { copiesKept } from '../../shared/domain/job/erasure.ts';
import { functionNames } from '../../tools/build/bundle.ts';
import { readJson, readTerraform, valuesOf } from '../support/terraform/terraform.ts';

type Index = { collectionGroup: string; fields: { fieldPath: string; order: string }[] };
type Override = { collectionGroup: string; fieldPath: string; ttl?: boolean; indexes: unknown[] };

/** Kinds of records with `expireAt`. A new kind is a type error here until it is listed. */
const expiring: Record<{ [K in Kind]: 'expireAt' extends keyof Records[K] ? K : never }[Kind], true> = {
  activity: true,
  alerts: true,
  attachments: true,
  audit: true,
  auditStream: true,
  deliveries: true,
  detections: true,
  events: true,
  guardianAlerts: true,
  incidentAudit: true,
  incidents: true,
  jobs: true,
  ledgerBatches: true,
  ledgerEntries: true,
  links: true,
  memberActions: true,
  notices: true,
  quarantine: true,
  quarantineBytes: true,
  quarantineBudgets: true,
  tombstones: true,
  trends: true,
  windows: true,
};

/** Grants to functions. `canary`, the queues and `tasks_user` exclude probes, because it reads none of their settings. */
const grantedToFunctions = [
  'canary',
  'deadlines',
  'deliveries',
  'firestore',
  'frames_erase',
  'frames_exists',
  'frames_read',
  'frames_sign',
  'frames_upload',
  'function',
  'ledger_add',
  'ledger_checkpoint',
  'ledger_read',
  'tasks_user',
];

let root: Awaited<ReturnType<typeof readTerraform>>;
let module: Awaited<ReturnType<typeof readTerraform>>;
beforeAll(async () => {
  root = await readTerraform();
  module = await readTerraform('terraform/modules/function');
});

describe('functions', () => {
  test('each runs on Node 24 under its own name as entry point', () => {
    const [build] = module.resource('google_cloudfunctions2_function', 'this')['build_config'] as object[];
    expect(build).toMatchObject({ runtime: 'nodejs24', entry_point: '$' + '{var.name}' });
  });

  test('each has its own service account', () => {
    expect(root.resource('google_service_account', 'function')).toMatchObject({
      for_each: '$' + '{local.reads}',
      account_id: '$' + '{each.key}-function',
    });
    const [call] = root.whole.module?.['function'] ?? [];
    expect(call?.['account']).toBe('$' + '{google_service_account.function[each.key].email}');
    const [service] = module.resource('google_cloudfunctions2_function', 'this')['service_config'] as object[];
    expect(service).toMatchObject({ service_account_email: '$' + '{var.account}' });
  });

  test('each has a size', () => {
    expect(Object.keys(root.local('shapes') as object).toSorted()).toEqual(functionNames('.'));
    expect(Object.keys(root.local('min_instances') as object).toSorted()).toEqual(functionNames('.'));
    for (const most of Object.values(root.local('max_instances') as object))
      expect(Object.keys(most).toSorted()).toEqual(functionNames('.'));
  });

  test.each(['dev', 'staging'])('all together stay within what a new project may use in %s: 20 vCPU', (environment) => {
    const shapes = root.local('shapes') as Record<string, { cpu: string }>;
    const most = (root.local('max_instances') as Record<string, Record<string, number>>)[environment] ?? {};
    const cpus = Object.entries(most).map(([name, instances]) => instances * Number(shapes[name]?.cpu));
    expect(cpus.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(5);
    // A new revision runs beside the old one for a moment: there must be room for half of the instances of the largest function again.
    expect(cpus.reduce((sum, each) => sum + each, 0) + Math.max(...cpus) / 2).toBeLessThanOrEqual(20);
  });

  test('all but api and probes accept only internal calls, of named accounts', () => {
    expect(root.local('public_functions')).toEqual(['api', 'probes']);
    expect(Object.keys(root.local('callers') as object).toSorted()).toEqual(['deadline', 'deliver', 'ingest']);
  });
});

describe('rights', () => {
  test('the account that uploads frames may add objects, and nothing else', () => {
    const grants = Object.entries(root.whole.resource)
      .filter(([type]) => type.endsWith('_iam_member'))
      .flatMap(([, byName]) => Object.values(byName).flat())
      .filter(({ member }) => String(member).includes('frame_writer.'));
    expect(grants.map(({ role }) => role)).toEqual(['roles/storage.objectCreator']);
  });

  test('of the functions only api may add frames, for its upload addresses', () => {
    const grants = Object.values(root.whole.resource['google_storage_bucket_iam_member'] ?? {}).flat();
    const isOfFrames = ({ bucket }: { bucket?: unknown }) => String(bucket).includes('storage_bucket.frames.');
    const writers = grants.filter((grant) => isOfFrames(grant) && grant['role'] === 'roles/storage.objectCreator');
    expect(writers.map(({ for_each, member }) => [for_each ?? null, member]).toSorted()).toEqual([
      ['$' + '{toset(["api"])}', '$' + '{google_service_account.function[each.key].member}'],
      [null, '$' + '{google_service_account.frame_writer.member}'],
    ]);
  });

  test('of the functions only `deadline` may delete frames, and deleted frames are not kept', () => {
    const { for_each } = root.resource('google_storage_bucket_iam_member', 'frames_erase');
    expect(for_each).toBe('$' + '{toset(["deadline"])}');
    expect(root.resource('google_project_iam_custom_role', 'frame_eraser')['permissions']).toEqual([
      'storage.objects.delete',
    ]);
    const frames = root.resource('google_storage_bucket', 'frames');
    expect(frames['soft_delete_policy']).toEqual([{ retention_duration_seconds: 0 }]);
  });

  test('an erasure names the copies with the days for which they are kept', () => {
    const days = Object.fromEntries(copiesKept.map((each) => [each.copy, each.days]));
    expect(root.resource('google_firestore_backup_schedule', 'daily')['retention']).toBe(
      `${(days['backups'] ?? 0) * 86_400}s`,
    );
    expect(valuesOf(root.resource('google_storage_bucket', 'exports'), 'age')).toEqual([days['exports']]);
    expect(valuesOf(root.resource('google_storage_bucket', 'small_copies'), 'age')).toEqual([days['hourly-exports']]);
    // Neither versions nor soft deletion keep anything for longer: the age ends every version.
    for (const bucket of ['exports', 'small_copies']) {
      const { soft_delete_policy, versioning } = root.resource('google_storage_bucket', bucket);
      expect([soft_delete_policy, versioning]).toEqual([[{ retention_duration_seconds: 0 }], [{ enabled: true }]]);
    }
    expect(root.resource('google_logging_project_bucket_config', 'region')['retention_days']).toBe(days['logs']);
    // Set by Firestore, not by us: firestore/native/docs/pitr.
    expect(days['point-in-time-recovery']).toBe(7);
  });

  test('the build account reads only the bucket of Cloud Functions, and writes only its own repository', () => {
    const roles = root.local('build_roles') as Record<string, { expression: string } | null>;
    expect(Object.keys(roles)).toEqual(['roles/logging.logWriter', 'roles/storage.objectViewer']);
    const { expression = '' } = roles['roles/storage.objectViewer'] ?? {};
    expect(expression).toBe(
      'resource.type == "storage.googleapis.com/Object" && resource.name.startsWith("projects/_/buckets/gcf-v2-sources-$' +
        '{data.google_project.this.number}-$' +
        '{var.region}/")',
    );
    expect(valuesOf(root.resource('google_project_iam_member', 'build'), 'expression')).toEqual([
      '$' + '{condition.value.expression}',
    ]);
  });

  test('every right at the database names the one that the service uses', () => {
    for (const grant of ['firestore', 'export'])
      expect(valuesOf(root.resource('google_project_iam_member', grant), 'expression'), grant).toEqual([
        'resource.name == "$' + '{local.database}"',
      ]);
  });

  test('no account has a basic role', async () => {
    const front = await readTerraform('terraform/modules/front');
    const roles = [root.whole, module.whole, front.whole].flatMap((whole) => valuesOf(whole, 'role')).map(String);
    expect(roles.length).toBeGreaterThan(10);
    expect(roles.filter((role) => /roles\/(owner|editor|viewer)\b/.test(role))).toEqual([]);
  });

  test('probes may only read the database and the existence of the bucket', () => {
    expect(root.resource('google_project_iam_member', 'firestore')['role']).toBe(
      '$' + '{each.key == "probes" ? "roles/datastore.viewer" : "roles/datastore.user"}',
    );
    expect(root.resource('google_storage_bucket_iam_member', 'frames_exists')['role']).toBe(
      'roles/storage.bucketViewer',
    );
    expect(root.local('frame_signers')).toContain('["probes"]');
    const granted = Object.entries(root.whole.resource)
      .filter(([type]) => type.endsWith('_iam_member'))
      .flatMap(([, byName]) => Object.entries(byName).map(([name, [block = {}]]) => [name, block] as const))
      .filter(([, { member }]) => String(member).includes('google_service_account.function['));
    // A new grant must be listed here, so that its author checks whether probes gets it too.
    expect(granted.map(([name]) => name).toSorted()).toEqual(grantedToFunctions);
  });

  test('probes has its own broker account', () => {
    expect(Object.keys(root.local('own_secrets') as object)).toEqual(['probes-MQTT_URL']);
    const [call] = root.whole.module?.['function'] ?? [];
    expect(String(call?.['secrets'])).toContain('local.secret_of[each.key][name]');
    expect(String(root.resource('google_secret_manager_secret_iam_member', 'function')['for_each'])).toContain(
      'local.secret_of',
    );
  });

  test('the sweep may send canaries both ways: it publishes to the topic of reports and reads the broker account that may', () => {
    const canary = root.resource('google_pubsub_topic_iam_member', 'canary');
    expect(canary).toMatchObject({
      topic: '$' + '{google_pubsub_topic.device_messages.id}',
      role: 'roles/pubsub.publisher',
      member: '$' + '{google_service_account.function[each.key].member}',
    });
    const reads = JSON.parse(readFileSync('terraform/settings.json', 'utf8')) as Record<string, string[]>;
    const readers = (name: string) => Object.keys(reads).filter((each) => reads[each]?.includes(name));
    expect(readers('MESSAGES_TOPIC')).toEqual(['deadline']);
    expect(readers('MQTT_URL').toSorted()).toEqual(['deadline', 'probes']);
    // `deadline` signs the canaries with this key, and `ingest` verifies them.
    expect(readers('PAGE_TOKEN_KEYS')).toEqual(expect.arrayContaining(['deadline', 'ingest']));
  });

  test('no bucket is public, and reads of data are logged', () => {
    for (const name of ['frames', 'sources']) {
      expect(root.resource('google_storage_bucket', name)).toMatchObject({
        uniform_bucket_level_access: true,
        public_access_prevention: 'enforced',
      });
    }
    expect(Object.keys(root.local('audited') as object).toSorted()).toEqual([
      'datastore.googleapis.com',
      'secretmanager.googleapis.com',
      'storage.googleapis.com',
    ]);
    // The reads of probes are few and all alike, so they are logged too: any other access by its account is visible.
    expect(String(root.local('database_users'))).toContain('FIRESTORE_DATABASE');
    expect(JSON.stringify(root.local('audited'))).toContain('setsubtract(local.database_users, [\\"probes\\"])');
  });

  test('the rules of the database deny all', () => {
    const rules = readFileSync('firestore.rules', 'utf8');
    expect(rules.match(/allow[^;]*;/g)).toEqual(['allow read, write: if false;']);
  });

  test('Terraform does not contain any secret value', () => {
    expect(root.resources('google_secret_manager_secret_version')).toEqual([]);
  });
});

describe('messages', () => {
  test('reports keep their order and go to the dead letters after their tries', () => {
    expect(root.resource('google_pubsub_subscription', 'ingest')).toMatchObject({
      enable_message_ordering: true,
      dead_letter_policy: [{ dead_letter_topic: '$' + '{google_pubsub_topic.dead_letter.id}' }],
    });
  });

  test('are retried like in the local stack, for more than three hours', () => {
    const backoffOf = (name: string) => {
      const [policy] = root.resource('google_pubsub_subscription', name)['retry_policy'] as Record<string, string>[];
      const ms = (text = '') => Number.parseInt(text, 10) * 1000;
      return { backoffMs: ms(policy?.['minimum_backoff']), longestBackoffMs: ms(policy?.['maximum_backoff']) };
    };
    const [tries] = valuesOf(root.resource('google_pubsub_subscription', 'ingest'), 'max_delivery_attempts');
    expect({ maxAttempts: tries, ...backoffOf('ingest') }).toEqual(pushRetries.messages);
    expect({ maxAttempts: null, ...backoffOf('dead_letter') }).toEqual(pushRetries.deadLetters);
    const { maxAttempts, backoffMs, longestBackoffMs } = pushRetries.messages;
    let waited = 0;
    for (let n = 0; n < maxAttempts - 1; n += 1) waited += Math.min(backoffMs * 2 ** n, longestBackoffMs);
    expect(waited).toBeGreaterThan(3 * 3_600_000);
  });

  test('the dead letters are read by ingest', () => {
    const subscription = root.resource('google_pubsub_subscription', 'dead_letter');
    expect(valuesOf(subscription, 'push_endpoint')).toEqual(['$' + '{local.pushes["dead_letter"]}']);
    expect(root.local('pushes')).toMatchObject({ dead_letter: '$' + '{local.urls.ingest}/dead-letter' });
  });

  test('no subscription expires, and each call carries a token', () => {
    const subscriptions = root.resources('google_pubsub_subscription');
    expect(subscriptions).toHaveLength(2);
    for (const [name, subscription] of subscriptions) {
      expect(subscription['expiration_policy'], name).toEqual([{ ttl: '' }]);
      expect(valuesOf(subscription, 'oidc_token'), name).toHaveLength(1);
    }
  });

  test('the sweep runs every minute with a token', () => {
    const sweep = root.resource('google_cloud_scheduler_job', 'sweep');
    expect(sweep['schedule']).toBe('* * * * *');
    expect(valuesOf(sweep, 'uri')).toEqual(['$' + '{local.urls.deadline}/sweep']);
    expect(valuesOf(sweep, 'audience')).toEqual(['$' + '{local.urls.deadline}']);
  });
});

describe('what lasts', () => {
  test('each week an export goes to a bucket of two regions, and the data keys have a copy in the second', () => {
    const bucket = root.resource('google_storage_bucket', 'exports');
    expect(valuesOf(bucket, 'data_locations')).toEqual([
      ['$' + '{upper(var.region)}', '$' + '{upper(var.recovery.region)}'],
    ]);
    const job = root.resource('google_cloud_scheduler_job', 'export');
    expect(job['schedule']).toBe('0 3 * * 0');
    expect(valuesOf(job, 'uri')).toEqual([
      'https://firestore.googleapis.com/v1/$' + '{local.database}:exportDocuments',
    ]);
    expect(root.local('database')).toBe('projects/$' + '{var.project_id}/databases/$' + '{local.serving_database}');
    const copy = root.resource('google_secret_manager_secret', 'data_keys_copy');
    expect(copy['deletion_protection']).toBe(true);
    expect(valuesOf(copy, 'location')).toEqual(['$' + '{var.recovery.region}']);
  });

  test('webhooks leave from reserved addresses that no plan may destroy', () => {
    expect(root.resource('google_compute_router_nat', 'egress')['nat_ip_allocate_option']).toBe('MANUAL_ONLY');
    const address = root.resource('google_compute_address', 'egress');
    expect(address['lifecycle']).toEqual([{ prevent_destroy: true }]);
    expect(root.local('outgoing_functions')).toEqual(['deliver']);
  });

  test('production is protected from deletion', () => {
    const protectedBy = (value: unknown) => expect(String(value)).toContain('local.is_production');
    const database = root.resource('google_firestore_database', 'main');
    protectedBy(database['delete_protection_state']);
    protectedBy(database['deletion_policy']);
    for (const [, bucket] of root.resources('google_storage_bucket')) protectedBy(bucket['force_destroy']);
    protectedBy(root.resource('google_secret_manager_secret', 'this')['deletion_protection']);
  });

  test('no index is defined twice', () => {
    const { indexes } = readJson('firestore.indexes.json') as { indexes: Index[] };
    const keys = indexes.map(({ collectionGroup, fields }) => JSON.stringify([collectionGroup, fields]));
    expect(keys.filter((key, place) => keys.indexOf(key) !== place)).toEqual([]);
  });

  test('every kind of record that expires has a TTL policy', () => {
    const { fieldOverrides } = readJson<{ fieldOverrides: Override[] }>('firestore.indexes.json');
    const forgotten = fieldOverrides
      .filter(({ ttl }) => ttl)
      .map((each) => `${each.collectionGroup}.${each.fieldPath}`);
    for (const kind of Object.keys(expiring)) expect(forgotten).toContain(`${kind}.expireAt`);
    expect(valuesOf(root.resource('google_firestore_field', 'this'), 'ttl_config')).toHaveLength(1);
  });

  test('a time that changes often has only a sharded index', () => {
    const { indexes, fieldOverrides } = readJson<{ indexes: Index[]; fieldOverrides: Override[] }>(
      'firestore.indexes.json',
    );
    const unindexed = fieldOverrides.filter((each) => each.indexes.length === 0);
    for (const field of ['lastSeenAt', 'dueAt', 'silentAt']) {
      expect(unindexed).toContainEqual(expect.objectContaining({ collectionGroup: 'devices', fieldPath: field }));
    }
    const ofTimes = indexes.filter(
      ({ collectionGroup, fields }) => collectionGroup === 'devices' && /At$/.test(fields.at(-1)?.fieldPath ?? ''),
    );
    // Each place has an index range of its own: 500 writes a second are 60,000 cameras of one place with a sighting every two minutes.
    // Unreadable sections are recorded once an hour for each camera, and a camera is heard for the first time once.
    const narrow = new Set(['shard', 'places', 'faultKeys', 'wasHeard']);
    expect(ofTimes.filter(({ fields }) => !fields.some(({ fieldPath }) => narrow.has(fieldPath)))).toEqual([]);
  });
});

test('there are var files for dev, staging and production', () => {
  const files = readdirSync('terraform/environments').filter((file) => file.endsWith('.tfvars'));
  expect(files.toSorted()).toEqual(['dev.tfvars', 'production.tfvars', 'staging.tfvars']);
});
