/** A resource of `terraform show -json`, as far as it is read here. */
type Resource = { address: string; type: string; values: Record<string, unknown> };
type Module = { resources?: Resource[]; child_modules?: Module[] };
export type ShownPlan = {
  planned_values: { root_module: Module };
  configuration: { root_module: ConfiguredModule };
};
type Expression = { references?: string[] };
type ConfiguredModule = {
  resources?: { address: string; expressions: Record<string, Expression> }[];
  module_calls?: Record<string, { module: ConfiguredModule }>;
};

/** Why each grant is there, by its resource in Terraform. */
export const reasons: Record<string, string> = {
  'google_artifact_registry_repository_iam_member.build': 'stores the images of functions',
  'google_cloud_run_v2_service_iam_member.invoker': 'calls the function',
  'google_cloud_tasks_queue_iam_member.deadlines': 'sets clocks',
  'google_cloud_tasks_queue_iam_member.deliveries': 'orders attempts of deliveries',
  'google_project_iam_member.build': 'builds the functions',
  'google_project_iam_member.export': 'asks for exports; cannot import, and reads no record',
  'google_project_iam_member.firestore': 'the records of the service; Firestore has no rights by collection',
  'google_pubsub_subscription_iam_member.dead_letter_source': 'takes what is given up from the subscription',
  'google_pubsub_topic_iam_member.bridge': 'publishes what devices say: it speaks for every camera',
  'google_pubsub_topic_iam_member.canary': 'sends canaries as a bridge would',
  'google_pubsub_topic_iam_member.cloud_bridge': 'publishes what devices say, as our bridge',
  'google_pubsub_topic_iam_member.dead_letter_publisher': 'puts what is given up into the dead letters',
  'google_secret_manager_secret_iam_member.bridge': 'reads its accounts and certificates at the broker',
  'google_secret_manager_secret_iam_member.function': 'reads the secret of a setting',
  'google_secret_manager_secret_iam_member.recovery': 'reads the copy of the data keys, for a restore',
  'google_service_account_iam_member.frame_writers': 'acts as the account that adds frames',
  'google_service_account_iam_member.frames_sign': 'signs addresses of frames as itself',
  'google_service_account_iam_member.push_token': 'signs the token of each push',
  'google_service_account_iam_member.recovery': 'acts as the account that reads the copies',
  'google_service_account_iam_member.tasks_user': 'names the account that its tasks call with',
  'google_storage_bucket_iam_member.console_reader':
    "the console's page loads before anybody signs in; it holds no secret",
  'google_storage_bucket_iam_member.frames_erase': 'erases frames; can neither read nor replace them by this role',
  'google_storage_bucket_iam_member.frames_exists': 'sees that the bucket is there',
  'google_storage_bucket_iam_member.frames_read': 'reads frames, for the addresses that it signs',
  'google_storage_bucket_iam_member.frames_upload': 'adds frames by the addresses that it signs',
  'google_storage_bucket_iam_member.frames_write': 'adds frames; can neither read, replace nor delete one',
  'google_storage_bucket_iam_member.ledger_add': 'adds tiles to the ledger; can replace none',
  'google_storage_bucket_iam_member.ledger_checkpoint': 'replaces the checkpoint',
  'google_storage_bucket_iam_member.ledger_read': 'reads the ledger, for proofs',
  'google_storage_bucket_iam_policy.small_copies': 'reads the hourly copies; nobody else has a right at this bucket',
};

/** The member that says what a grant is about, by what it ends with. */
const subjects = [
  'bucket',
  'topic',
  'subscription',
  'secret_id',
  'service_account_id',
  'repository',
  'name',
  'project',
];

type Binding = { role: string; members: string[] };
type Right = { who: string; role: string; subject: string; only: string; reason: string };

/**
 * The table of docs/security.md: every grant of a plan, those that differ only in who has them as one row.
 * @throws Error for a grant without a reason, or a reason without a grant
 */
export function tableOfRights(plan: ShownPlan): string {
  const resources = resourcesOf(plan.planned_values.root_module);
  const expressions = expressionsOf(plan.configuration.root_module);
  const grants = resources.flatMap((resource) => {
    if (resource.type.endsWith('_iam_policy')) return membersOf(resource);
    return resource.type.endsWith('_iam_member') ? [resource] : [];
  });
  const rows = new Map<string, Right & { all: Set<string> }>();
  const used = new Set<string>();
  for (const grant of grants) {
    const right = rightOf(grant, expressions, resources);
    used.add(baseOf(grant.address));
    const key = [right.reason, right.role, right.subject, right.only].join('|');
    const row = rows.get(key) ?? { ...right, all: new Set() };
    row.all.add(right.who);
    rows.set(key, row);
  }
  const idle = Object.keys(reasons).filter((name) => !used.has(name));
  if (idle.length > 0) throw new Error(`reasons of grants that the plan lacks: ${idle.join(', ')}`);
  const lines = [...rows.values()].map(
    ({ all, role, subject, only, reason }) =>
      `| ${[...all].toSorted().join(', ')} | ${role} | ${subject}${only ? `, ${only}` : ''} | ${reason} |`,
  );
  return ['| who | role | on | why |', '|---|---|---|---|', ...lines.toSorted()].join('\n');
}

/** A policy as the grants that it holds. */
function membersOf(policy: Resource): Resource[] {
  const { bindings } = JSON.parse(String(policy.values['policy_data'])) as { bindings: Binding[] };
  return bindings.flatMap(({ role, members }) =>
    members.map((member) => ({ ...policy, values: { ...policy.values, role, member } })),
  );
}

function rightOf(
  { address, type, values }: Resource,
  expressions: Map<string, Record<string, Expression>>,
  all: Resource[],
): Right {
  const base = baseOf(address);
  const reason = reasons[base];
  if (!reason) throw new Error(`${base} has no reason in tools/terraform/rights.ts`);
  const member = subjects.find((name) => values[name] !== undefined || expressions.get(base)?.[name]) ?? '';
  const given = values[member];
  const subject =
    typeof given === 'string' ? given : nameOf(expressions.get(base)?.[member]?.references ?? [], all, base);
  const who = whoOf(String(values['member']));
  const [condition] = (values['condition'] ?? []) as { title?: string }[];
  return {
    who,
    role: `\`${String(values['role']).replace(/^(projects\/[^/]+\/)?roles\//, '')}\``,
    subject: subjectOf(type, subject, who),
    only: condition?.title ?? '',
    reason,
  };
}

/** The name of what an expression refers to, where the plan does not know the value yet. */
function nameOf(references: string[], all: Resource[], base: string): string {
  const found = all.find(({ address }) => references.includes(address));
  const name = found?.values['name'] ?? found?.values['secret_id'] ?? found?.values['account_id'];
  if (typeof name !== 'string') throw new Error(`${base}: the plan does not say on what`);
  return name;
}

const kinds: Record<string, string> = {
  artifact_registry_repository: 'repository',
  cloud_run_v2_service: 'function',
  cloud_tasks_queue: 'queues',
  project: 'project',
  pubsub_subscription: 'subscription',
  pubsub_topic: 'topic',
  secret_manager_secret: 'secret',
  service_account: 'account',
  storage_bucket: 'bucket',
};

function subjectOf(type: string, name: string, who: string): string {
  const kind = kinds[type.replace(/^google_/, '').replace(/_iam_(member|policy)$/, '')];
  if (!kind) throw new Error(`${type} is no kind of grant that is known here`);
  if (kind === 'project') return 'the project';
  const plain = name.split('/').at(-1)?.replace(/@.*$/, '') ?? name;
  if (kind === 'account' && `\`${plain}\`` === who) return 'itself';
  return `${kind} \`${kind === 'queues' ? plain.replace(/\d+$/, '*') : plain}\``;
}

function whoOf(member: string): string {
  if (member === 'allUsers') return 'everybody';
  const [, account = '', domain = ''] = /^\w+:([^@]+)@(.+)$/.exec(member) ?? [];
  const [agent = ''] = domain.split('.');
  if (agent.startsWith('gcp-sa-')) return `Google's agent \`${agent}\``;
  if (agent === 'example') return `\`${account}\` (yours)`;
  if (account === '') throw new Error(`${member} is no account that the plan knows`);
  return `\`${account}\``;
}

function resourcesOf({ resources = [], child_modules: modules = [] }: Module): Resource[] {
  return [...resources, ...modules.flatMap(resourcesOf)];
}

function expressionsOf(
  { resources = [], module_calls: calls = {} }: ConfiguredModule,
  found = new Map<string, Record<string, Expression>>(),
): Map<string, Record<string, Expression>> {
  for (const { address, expressions } of resources) found.set(address, expressions);
  for (const { module } of Object.values(calls)) expressionsOf(module, found);
  return found;
}

/** `module.function["api"].google_x.y["z"]` is `google_x.y`. */
function baseOf(address: string): string {
  return address
    .replace(/\[[^\]]*\]/g, '')
    .split('.')
    .slice(-2)
    .join('.');
}

const begin = '<!-- rights: written by `npm run terraform:check -- --write` -->';
const end = '<!-- /rights -->';

/** The page with this table in its place. @throws Error for a page that has no place for it */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('docs/security.md has no place for the table of rights');
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`;
}
