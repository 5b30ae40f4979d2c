import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentError } from '../../local/stack/arguments.ts';

/** Variables that a restore and a release set, of `terraform/variables.tf`. Null leaves one out. */
export type Variables = {
  standstill?: boolean | null;
  serving_database?: string | null;
  pinned_sources?: Record<string, string> | null;
};

/** Terraform, as far as a restore and a release need it. */
export type Terraform = {
  /** Changes the variables for this and every later apply, and applies. */
  apply(change: Variables): Promise<void>;
  /** What an apply with these variables would delete or replace, by address. */
  takenAway(change: Variables): Promise<string[]>;
  output(name: string): Promise<unknown>;
};

/**
 * Terraform reads it by itself at every plan and apply (developer.hashicorp.com/terraform/language/values/variables, *Variable Definitions Files*), so
 * an apply by somebody who knows nothing of it neither resumes what stands still nor returns to the database that was left.
 */
const variablesFile = 'operation.auto.tfvars.json';
const names = ['standstill', 'serving_database', 'pinned_sources'];
const planFile = 'operation.plan';

type Change = { address: string; mode: string; change: { actions: string[] } };

/**
 * @param varFiles as `terraform plan` gets them, from the folder of the configuration
 * @param isApproved leaves out the question before each apply
 * @throws ArgumentError for a var file that sets what this program sets: it would win
 */
export function createTerraform(
  folder: string,
  varFiles: readonly string[],
  isApproved: boolean,
  command = 'terraform',
): Terraform {
  for (const file of varFiles) refuseOwn(file, readFileSync(join(folder, file), 'utf8'));
  const files = varFiles.map((file) => `-var-file=${file}`);
  const run = (args: readonly string[], isShown: boolean): string => {
    const { status, stdout } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['inherit', isShown ? 'inherit' : 'pipe', 'inherit'],
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`terraform ${args[0]} ended with ${status}: nothing after it was done`);
    return stdout ?? '';
  };
  return {
    async apply(change) {
      keep(folder, change);
      run(['apply', ...files, ...(isApproved ? ['-auto-approve'] : [])], true);
    },
    async takenAway(change) {
      const before = read(folder);
      keep(folder, change);
      try {
        run(['plan', ...files, '-lock=false', `-out=${planFile}`], false);
        const shown = JSON.parse(run(['show', '-json', planFile], false)) as { resource_changes?: Change[] };
        return (shown.resource_changes ?? [])
          .filter(({ mode, change: { actions } }) => mode === 'managed' && actions.includes('delete'))
          .map(({ address }) => address);
      } finally {
        rmSync(join(folder, planFile), { force: true });
        write(folder, before);
      }
    },
    output: async (name) => JSON.parse(run(['output', '-json', name], false)),
  };
}

function refuseOwn(file: string, text: string): void {
  const found = names.filter((name) => new RegExp(`^[ \\t]*"?${name}"?[ \\t]*[=:]`, 'm').test(text));
  if (found.length > 0)
    throw new ArgumentError(`${file} sets ${found.join(', ')}: remove it, or terraform/${variablesFile} has no effect`);
}

function read(folder: string): Variables {
  const file = join(folder, variablesFile);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Variables) : {};
}

function keep(folder: string, change: Variables): void {
  write(folder, { ...read(folder), ...change });
}

function write(folder: string, variables: Variables): void {
  const file = join(folder, variablesFile);
  const set = Object.entries(variables).filter(([, value]) => value !== null);
  if (set.length === 0) return rmSync(file, { force: true });
  writeFileSync(`${file}.next`, `${JSON.stringify(Object.fromEntries(set), null, 2)}\n`);
  renameSync(`${file}.next`, file);
}
