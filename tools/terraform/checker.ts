import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/** A step of the check: what Terraform is asked to do. */
type Step = { name: string; args: string[] };
export type StepResult = { name: string; isOk: boolean; output: string };

/** Versions whose schema stands in `terraform/check/schema`. */
const providers = { google: '7.45.0', random: '3.7.2', archive: '2.7.1' };
/** What the configuration reads. */
const inputs = ['terraform', 'firebase.json', 'firestore.indexes.json', 'firestore.rules', 'dist', 'console/dist'];
const faultFolder = 'test/terraform/faults';

export function hasTerraform(): boolean {
  return spawnSync('terraform', ['version'], { stdio: 'ignore' }).status === 0;
}

/** The steps, in their order. Each needs the ones before it. */
export function stepsOf(): Step[] {
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
  ];
}

/**
 * Runs the steps up to the first that fails, on a copy, with a provider that knows only schemas: no network, and no trace in the source tree.
 * @param patch a change of the copy
 */
export function* checked(patch?: string): Generator<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-terraform-'));
  try {
    for (const each of inputs.filter((path) => existsSync(path))) cpSync(each, join(folder, each), { recursive: true });
    const env = { ...process.env, ...environmentOf(folder) };
    if (patch !== undefined) {
      const applied = spawnSync('git', ['apply', resolve(patch)], { cwd: folder, encoding: 'utf8' });
      if (applied.status !== 0) throw new Error(`${patch} does not apply: ${applied.stderr}`);
    }
    for (const { name, args } of stepsOf()) {
      // State in the bucket is only for real installations.
      if (name === 'init')
        writeFileSync(join(folder, 'terraform/local_override.tf'), 'terraform {\n  backend "local" {}\n}\n');
      const { status, stdout, stderr } = spawnSync('terraform', args, {
        cwd: join(folder, 'terraform'),
        env,
        encoding: 'utf8',
      });
      yield { name, isOk: status === 0, output: `${stdout}${stderr}` };
      if (status !== 0) return;
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
