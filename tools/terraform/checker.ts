import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type ShownPlan, tableOfRights, withTable } from './rights.ts';

/** A step of the check: what Terraform is asked to do. `fault`: what is wrong with what it prints. */
type Step = { name: string; args: string[]; fault?: (output: string) => string | null };
export type StepResult = { name: string; isOk: boolean; output: string };

/** Versions whose schema stands in `terraform/check/schema`. */
const providers = { google: '7.45.0', random: '3.7.2', archive: '2.7.1' };
/** What the configuration reads. */
const inputs = ['terraform', 'firebase.json', 'firestore.indexes.json', 'firestore.rules', 'dist', 'console/dist'];
const faultFolder = 'test/terraform/faults';
/** The page with the table of rights. */
const rightsPage = 'docs/security.md';

export function hasTerraform(): boolean {
  return spawnSync('terraform', ['version'], { stdio: 'ignore' }).status === 0;
}

/** The steps, in their order. Each needs the ones before it. */
function stepsOf(): Step[] {
  const files = readdirSync('terraform/environments').toSorted();
  return [
    { name: 'format', args: ['fmt', '-check', '-recursive', '-diff'] },
    { name: 'init', args: ['init', '-no-color'] },
    { name: 'validate', args: ['validate', '-no-color'] },
    { name: 'test', args: ['test', '-no-color'] },
    ...files.map((file) => ({
      name: `plan ${basename(file, '.tfvars')}`,
      args: ['plan', '-no-color', '-lock=false', `-var-file=environments/${file}`],
    })),
    ...rightsSteps(rightsFault),
  ];
}

/** The rights of everything that production may have, as the plan has them. */
function rightsSteps(fault: (shown: string) => string | null): Step[] {
  const files = ['environments/production.tfvars', 'check/everything.tfvars'].map((file) => `-var-file=${file}`);
  return [
    { name: 'plan everything', args: ['plan', '-no-color', '-lock=false', ...files, '-out=everything.plan'] },
    { name: 'rights', args: ['show', '-json', 'everything.plan'], fault },
  ];
}

function rightsFault(shown: string): string | null {
  const page = readFileSync(rightsPage, 'utf8');
  const table = tableOfRights(JSON.parse(shown) as ShownPlan);
  return withTable(page, table) === page ? null : `${rightsPage} shows other rights than the plan has:\n${table}`;
}

/** Writes the table of rights into its page. */
export function* writeRights(): Generator<StepResult> {
  const write = (shown: string) => {
    const table = tableOfRights(JSON.parse(shown) as ShownPlan);
    writeFileSync(rightsPage, withTable(readFileSync(rightsPage, 'utf8'), table));
    return null;
  };
  yield* ran([{ name: 'init', args: ['init', '-no-color'] }, ...rightsSteps(write)]);
}

/** Runs the whole check. @param patch a change of the copy that is checked */
export function checked(patch?: string): Generator<StepResult> {
  return ran(stepsOf(), patch);
}

/** Runs the steps up to the first that fails, on a copy, with a provider that knows only schemas: no network, and no trace in the source tree. */
function* ran(steps: readonly Step[], patch?: string): Generator<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-terraform-'));
  try {
    for (const each of inputs.filter((path) => existsSync(path))) cpSync(each, join(folder, each), { recursive: true });
    const env = { ...process.env, ...environmentOf(folder) };
    if (patch !== undefined) {
      const applied = spawnSync('git', ['apply', resolve(patch)], { cwd: folder, encoding: 'utf8' });
      if (applied.status !== 0) throw new Error(`${patch} does not apply: ${applied.stderr}`);
    }
    for (const { name, args, fault } of steps) {
      // State in the bucket is only for real installations.
      if (name === 'init')
        writeFileSync(join(folder, 'terraform/local_override.tf'), 'terraform {\n  backend "local" {}\n}\n');
      const { status, stdout, stderr } = spawnSync('terraform', args, {
        cwd: join(folder, 'terraform'),
        env,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });
      const wrong = status === 0 ? (fault?.(stdout) ?? null) : `${stdout}${stderr}`;
      yield { name, isOk: wrong === null, output: wrong ?? '' };
      if (wrong !== null) return;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a mirror with the stand-in for each provider. @returns the variables with which Terraform finds it */
function environmentOf(folder: string): Record<string, string> {
  const machine = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
  for (const [name, version] of Object.entries(providers)) {
    const slot = join(folder, 'mirror/registry.terraform.io/hashicorp', name, version, machine);
    const program = join(slot, `terraform-provider-${name}_v${version}`);
    const command = [
      process.execPath,
      resolve('terraform/check/stub-provider.mjs'),
      resolve(`terraform/check/schema/${name}.json.gz`),
    ];
    mkdirSync(slot, { recursive: true });
    writeFileSync(
      program,
      `#!/bin/sh\nexec ${command.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(' ')}\n`,
    );
    chmodSync(program, 0o755);
  }
  const settings = join(folder, 'terraformrc');
  writeFileSync(
    settings,
    `provider_installation {\n  filesystem_mirror {\n    path = "${join(folder, 'mirror')}"\n  }\n}\n`,
  );
  return {
    ...{ TF_CLI_CONFIG_FILE: settings, TF_DISABLE_PLUGIN_TLS: '1', CHECKPOINT_DISABLE: '1' },
    ...{ TF_IN_AUTOMATION: '1', TF_INPUT: '0' },
  };
}

/** A planted fault, and the step that must find it. */
export type Fault = { name: string; patch: string; step: string };

/** The file name of a fault begins with its step: `plan-production--what.patch`. */
export function faults(): Fault[] {
  return readdirSync(faultFolder).map((file) => {
    const [step = '', name = ''] = basename(file, '.patch').split('--');
    return { name: name.replaceAll('-', ' '), patch: join(faultFolder, file), step: step.replace('-', ' ') };
  });
}
