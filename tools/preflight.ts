// Checks whether a project is ready for its first `terraform apply`, without changing anything. Each line gives a status and what to do.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { exitCodeOf, findAll } from './preflight/find-all.ts';
import type { Finding } from './preflight/finding.ts';
import { createGoogle } from './preflight/google.ts';

const help = `npm run preflight -- --var-file environments/production.tfvars [--token-file FILE]

  --var-file     file of variables that \`terraform plan\` gets, from the folder terraform or as a path; several are read in turn. Project, region,
                 domain, sizes, secrets and issuers are those of the plan
  --token-file   a token of one of the issuers; - reads it from the standard input
  --google-base  stands before Google's host names in place of https:// (a stand-in of the APIs)

Reads with GOOGLE_OAUTH_ACCESS_TOKEN, or the token of \`gcloud auth print-access-token\`, and changes nothing. Ends with 1 where there is a problem, and
with 3 where there is none but something could not be learned.`;

const { values } = parseArgs({
  options: {
    'var-file': { type: 'string', multiple: true, default: [] },
    'token-file': { type: 'string' },
    'google-base': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else {
  try {
    if (values['var-file'].length === 0) throw new Error('--var-file must name what `terraform plan` gets: --help');
    report(
      await findAll(values['var-file'], givenToken(), (project) =>
        createGoogle(project, accessToken(), values['google-base']),
      ),
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}

function report(findings: readonly Finding[]): void {
  for (const { status, what, toDo } of findings) console.log(`${status.padEnd(8)}${what}. ${toDo}`);
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  console.log(`${count('ok')} ok, ${count('problem')} problems, ${count('unknown')} unknown`);
  process.exitCode = exitCodeOf(findings);
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
