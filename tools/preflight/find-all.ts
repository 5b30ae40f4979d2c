import { promises as dns } from 'node:dns';
import { type Finding, ok, problem } from './finding.ts';
import type { Google } from './google.ts';
import { checkIssuers } from './issuer.ts';
import { readPlan } from './plan.ts';
import { checkApis, checkPolicies, checkProject, checkQuota, checkRights, checkSecrets } from './project.ts';

/** Everything that can be learned before the first `terraform apply` with these files of variables. @throws Error for files that no plan accepts */
export async function findAll(
  varFiles: readonly string[],
  token: string | null,
  googleOf: (project: string) => Google,
): Promise<Finding[]> {
  const plan = await readPlan(varFiles);
  const google = googleOf(plan.project);
  const found = await Promise.all([
    checkProject(google),
    checkApis(google, plan.apis),
    checkQuota(google, plan.region, plan.vcpu),
    checkPolicies(google, plan),
    checkRights(google),
    checkSecrets(google, plan.secrets),
    ...(plan.domain ? [checkName(plan.domain)] : []),
    checkIssuers(plan.issuers, token),
  ]);
  return found.flat();
}

/** 1: there is a problem. 3: there is none, but something could not be learned. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 3 {
  const has = (status: Finding['status']) => findings.some((finding) => finding.status === status);
  if (has('problem')) return 1;
  return has('unknown') ? 3 : 0;
}

async function checkName(domain: string): Promise<Finding[]> {
  try {
    const addresses = await dns.lookup(domain, { all: true });
    return [
      ok(
        `${domain} stands for ${addresses.map(({ address }) => address).join(', ')}`,
        'Compare with `terraform output` once the front door is there.',
      ),
    ];
  } catch {
    return [
      problem(
        `${domain} is not known to DNS`,
        'Enter an A record for it: `terraform output` tells the address of the front door.',
      ),
    ];
  }
}
