import { type Finding, ok, problem, unknown } from './finding.ts';
import type { Google } from './google.ts';
import type { Plan } from './plan.ts';

type Service = { config?: { name?: string }; state?: string };

/** Checks that the project exists, is active, and has billing enabled. */
export async function checkProject(google: Google): Promise<Finding[]> {
  const { project } = google;
  const [found, billing] = await Promise.all([
    google.read('project', `cloudresourcemanager.googleapis.com/v3/projects/${project}`),
    google.read('billing', `cloudbilling.googleapis.com/v1/projects/${project}/billingInfo`),
  ]);
  return [
    found.kind === 'unasked'
      ? found.finding
      : found.kind === 'found' && found.body['state'] === 'ACTIVE'
        ? ok(`project ${project} is active`)
        : problem(
            `project ${project} is not there, or not active`,
            `Create it, or name another: \`gcloud projects describe ${project}\`.`,
          ),
    billing.kind === 'unasked'
      ? billing.finding
      : billing.kind === 'found' && billing.body['billingEnabled'] === true
        ? ok('billing is enabled')
        : problem('billing is not enabled', `\`gcloud billing projects link ${project} --billing-account ACCOUNT\`.`),
  ];
}

/** Checks that all APIs that Terraform uses are enabled. */
export async function checkApis(google: Google, wanted: readonly string[]): Promise<Finding[]> {
  const { project } = google;
  const services: Service[] = [];
  for (let page: string | undefined = ''; page !== undefined; ) {
    const query: string = `filter=state:ENABLED&pageSize=200${page ? `&pageToken=${encodeURIComponent(page)}` : ''}`;
    const answer = await google.read(
      'enabled APIs',
      `serviceusage.googleapis.com/v1/projects/${project}/services?${query}`,
    );
    if (answer.kind === 'unasked') return [answer.finding];
    const body: Record<string, unknown> = answer.kind === 'found' ? answer.body : {};
    services.push(...((body['services'] ?? []) as Service[]));
    page = (body['nextPageToken'] as string | undefined) || undefined;
  }
  const enabled = new Set(services.filter(({ state }) => state === 'ENABLED').map(({ config }) => config?.name));
  const missing = wanted.filter((name) => !enabled.has(name));
  if (missing.length === 0) return [ok(`all ${wanted.length} APIs are enabled`)];
  return [
    problem(
      `APIs are not enabled: ${missing.join(', ')}`,
      `\`gcloud services enable ${missing.join(' ')} --project ${project}\`; the first \`terraform apply\` does so too, if its caller may.`,
    ),
  ];
}

type Dimensions = { dimensions?: { region?: string }; details?: { value?: string }; applicableLocations?: string[] };

/** Checks Cloud Run's quota in the region against the wanted number of vCPU. The API counts thousandths of a vCPU. */
export async function checkQuota(google: Google, region: string, wanted: number): Promise<Finding[]> {
  const { project } = google;
  const address = `cloudquotas.googleapis.com/v1/projects/${project}/locations/global/services/run.googleapis.com/quotaInfos/CpuAllocPerProjectRegion`;
  const answer = await google.read('quota of Cloud Run', address);
  if (answer.kind === 'unasked') return [answer.finding];
  const infos = ((answer.kind === 'found' ? answer.body['dimensionsInfos'] : null) ?? []) as Dimensions[];
  const own =
    infos.find(({ dimensions }) => dimensions?.region === region) ??
    infos.find(
      ({ dimensions, applicableLocations }) => !dimensions?.region && (applicableLocations ?? []).includes(region),
    );
  if (!own && infos.length > 0) {
    const offered = infos.flatMap(({ applicableLocations }) => applicableLocations ?? []);
    return [
      problem(
        `Cloud Run is not offered in the region ${region}`,
        `Set \`region\` to one of ${[...new Set(offered)].toSorted().join(', ')}.`,
      ),
    ];
  }
  const value = Number(own?.details?.value ?? Number.NaN);
  if (Number.isNaN(value)) {
    return [
      unknown(
        `quota of Cloud Run in ${region} is unknown`,
        'Look at IAM & Admin > Quotas, "Total CPU allocation" of Cloud Run.',
      ),
    ];
  }
  // -1: no limit.
  const vcpu = value / 1000;
  if (value < 0 || vcpu >= wanted)
    return [ok(`Cloud Run may use ${value < 0 ? 'any number of' : vcpu} vCPU in ${region}, ${wanted} are wanted`)];
  return [
    problem(
      `Cloud Run may use ${vcpu} vCPU in ${region}, ${wanted} are wanted`,
      'Ask for more under IAM & Admin > Quotas ("Total CPU allocation" of Cloud Run), or set smaller `sizes`.',
    ),
  ];
}

type Rule = { enforce?: boolean; allowAll?: boolean; denyAll?: boolean; values?: { allowedValues?: string[] } };

/**
 * Default policies of organisations created since May 2024 (secure by default) that may prevent the deployment: those of docs/before-you-begin.md, each
 * with a solution. `isInTheWay`: whether one that is in force prevents this plan.
 */
const policies: {
  constraint: string;
  isInForce: (rules: Rule[]) => boolean;
  isInTheWay: (plan: Plan) => boolean;
  what: string;
  toDo: string;
}[] = [
  {
    constraint: 'iam.allowedPolicyMemberDomains',
    isInForce: (rules) => rules.length > 0 && !rules.some(({ allowAll }) => allowAll),
    isInTheWay: ({ publicAccess: { functions, consoleReader }, domain }) =>
      functions === 'grant' || (domain !== null && consoleReader === 'allUsers'),
    what: '`allUsers` is refused',
    toDo: 'Have the project excepted from it, or set `public_access` (docs/before-you-begin.md).',
  },
  {
    constraint: 'storage.publicAccessPrevention',
    isInForce: isEnforced,
    isInTheWay: ({ publicAccess, domain }) => domain !== null && publicAccess.consoleReader === 'allUsers',
    what: 'buckets that everybody can read are refused',
    toDo: "Set `public_access.console_reader` to the load balancer's account (docs/before-you-begin.md).",
  },
  {
    constraint: 'run.managed.requireInvokerIam',
    isInForce: isEnforced,
    isInTheWay: ({ publicAccess }) => publicAccess.functions === 'unchecked',
    what: "switching Cloud Run's own check off is refused",
    toDo: 'Have the project excepted from it, or set `public_access.functions` to `grant`.',
  },
  ...['iam.disableServiceAccountKeyCreation', 'iam.managed.disableServiceAccountKeyCreation'].map((constraint) => ({
    constraint,
    isInForce: isEnforced,
    isInTheWay: () => false,
    what: 'keys of service accounts are refused',
    toDo: 'Watchpost needs none; let a bridge use workload identity (docs/deploy.md, *Bridges without keys*).',
  })),
];

function isEnforced(rules: Rule[]): boolean {
  return rules.some(({ enforce }) => enforce === true);
}

export async function checkPolicies(google: Google, plan: Plan): Promise<Finding[]> {
  const findings = policies.map(async ({ constraint, isInForce, isInTheWay, what, toDo }) => {
    const address = `orgpolicy.googleapis.com/v2/projects/${google.project}/policies/${constraint}:getEffectivePolicy`;
    const answer = await google.read(`policy ${constraint}`, address);
    if (answer.kind === 'unasked') return answer.finding;
    const spec = answer.kind === 'found' ? (answer.body['spec'] as { rules?: Rule[] } | undefined) : undefined;
    if (!isInForce(spec?.rules ?? [])) return ok(`${constraint} is not in force`);
    return isInTheWay(plan)
      ? problem(`${what} (${constraint})`, toDo)
      : ok(`${what} (${constraint}), which is not in the way`, toDo);
  });
  return Promise.all(findings);
}

/** Permissions for the first `terraform apply`, one for each kind of resource. */
const permissions = [
  'cloudfunctions.functions.create',
  'cloudscheduler.jobs.create',
  'cloudtasks.queues.create',
  'compute.networks.create',
  'datastore.databases.create',
  'datastore.indexes.create',
  'iam.serviceAccounts.actAs',
  'iam.serviceAccounts.create',
  'logging.logMetrics.create',
  'monitoring.alertPolicies.create',
  'pubsub.topics.create',
  'resourcemanager.projects.setIamPolicy',
  'run.services.setIamPolicy',
  'secretmanager.secrets.create',
  'serviceusage.services.enable',
  'storage.buckets.create',
];

export async function checkRights(google: Google): Promise<Finding[]> {
  const address = `cloudresourcemanager.googleapis.com/v3/projects/${google.project}:testIamPermissions`;
  const answer = await google.read('rights of the caller', address, { permissions });
  if (answer.kind === 'unasked') return [answer.finding];
  const held = ((answer.kind === 'found' ? answer.body['permissions'] : null) ?? []) as string[];
  const missing = permissions.filter((name) => !held.includes(name));
  if (missing.length === 0) return [ok('the caller may do what `terraform apply` does')];
  return [
    problem(
      `the caller lacks ${missing.join(', ')}`,
      'Ask for `roles/owner` on the project, or for roles that hold these rights.',
    ),
  ];
}

/** Checks that each secret of the plan has an enabled version, not who may read it. A function does not start without one. */
export async function checkSecrets(google: Google, ids: readonly string[]): Promise<Finding[]> {
  const findings = ids.map(async (id) => {
    const address = `secretmanager.googleapis.com/v1/projects/${google.project}/secrets/${id}/versions?filter=state:ENABLED&pageSize=1`;
    const answer = await google.read(`secret ${id}`, address);
    if (answer.kind === 'unasked') return answer.finding;
    const toDo = `\`gcloud secrets versions add ${id} --data-file=- --project ${google.project}\`; docs/${id.startsWith('bridge-') ? 'bridge' : 'settings'}.md says what it holds.`;
    if (answer.kind === 'absent') return problem(`secret ${id} is not there`, toDo);
    const versions = (answer.body['versions'] ?? []) as unknown[];
    return versions.length > 0
      ? ok(`secret ${id} has a version`)
      : problem(`secret ${id} has no enabled version`, toDo);
  });
  return Promise.all(findings);
}
