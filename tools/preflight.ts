// Checks whether a project is ready for its first `terraform apply`, without changing anything. Each line gives a status and what to do.
import { execFileSync } from 'node:child_process';
import { promises as dns } from 'node:dns';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { settingsTable } from '../shared/config.ts';
import { type Finding, ok, problem } from './preflight/finding.ts';
import { createGoogle } from './preflight/google.ts';
import { checkIssuer } from './preflight/issuer.ts';
import { checkApis, checkPolicies, checkProject, checkQuota, checkRights, checkSecrets } from './preflight/project.ts';

const help = `npm run preflight -- --project P [--region europe-west1] [--vcpu 20] [--domain D] [--issuer URL] [--audience watchpost] [--token-file FILE]

  --project      Google Cloud project; read with GOOGLE_OAUTH_ACCESS_TOKEN, or the token of \`gcloud auth print-access-token\`
  --region       where the functions shall run
  --vcpu         vCPU that all instances may take together, by the sizes of the environment
  --domain       name of console and API: it must be known to DNS
  --issuer       issuer of the API's tokens, as they name it
  --audience     audience that the tokens must name
  --token-file   a token of that issuer; - reads it from the standard input
  --google-base  stands before Google's host names in place of https:// (a stand-in of the APIs)

Changes nothing. Ends with 1 where there is a problem; what could not be asked is unknown, and no problem.`;

const { values } = parseArgs({
  options: {
    project: { type: 'string' },
    region: { type: 'string', default: 'europe-west1' },
    vcpu: { type: 'string', default: '20' },
    domain: { type: 'string' },
    issuer: { type: 'string' },
    audience: { type: 'string', default: 'watchpost' },
    'token-file': { type: 'string' },
    'google-base': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else {
  const findings = await findAll();
  for (const { status, what, toDo } of findings) console.log(`${status.padEnd(8)}${what}. ${toDo}`);
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  console.log(`${count('ok')} ok, ${count('problem')} problems, ${count('unknown')} unknown`);
  if (count('problem') > 0) process.exitCode = 1;
}

async function findAll(): Promise<Finding[]> {
  const { project, region, domain, issuer, audience } = values;
  const vcpu = Number(values.vcpu);
  if (!project || !/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project))
    throw new Error('--project must be the id of a project');
  if (!(vcpu > 0)) throw new Error('--vcpu must be a number above 0');
  const google = createGoogle(project, accessToken(), values['google-base']);
  const found = await Promise.all([
    checkProject(google),
    checkApis(google, apisOfTerraform()),
    checkQuota(google, region, vcpu),
    checkPolicies(google),
    checkRights(google),
    checkSecrets(google, secrets()),
    ...(domain ? [checkName(domain)] : []),
    ...(issuer ? [checkIssuer(issuer, audience, givenToken())] : []),
  ]);
  return found.flat();
}

function accessToken(): string {
  const given = process.env['GOOGLE_OAUTH_ACCESS_TOKEN'];
  if (given) return given;
  try {
    return execFileSync('gcloud', ['auth', 'print-access-token'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    throw new Error('There is no access token: `gcloud auth login`, or set GOOGLE_OAUTH_ACCESS_TOKEN.');
  }
}

function givenToken(): string | null {
  const file = values['token-file'];
  return file === undefined ? null : readFileSync(file === '-' ? 0 : file, 'utf8');
}

/** The APIs that Terraform enables. */
function apisOfTerraform(): string[] {
  const text = readFileSync(new URL('../terraform/main.tf', import.meta.url), 'utf8');
  return [...new Set(Array.from(text.matchAll(/"([a-z]+\.googleapis\.com)"/g), ([, name = '']) => name))];
}

/** The settings from Secret Manager. Settings that have a default may be missing. */
function secrets(): { variable: string; isRequired: boolean }[] {
  return Object.values(settingsTable).flatMap((setting): { variable: string; isRequired: boolean }[] => {
    if (!('secret' in setting)) return [];
    try {
      setting.read(undefined);
      return [{ variable: setting.variable, isRequired: false }];
    } catch {
      return [{ variable: setting.variable, isRequired: true }];
    }
  });
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
