import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readTerraform } from './terraform.ts';

/** The addresses that each address of a configuration directly depends on. */
export type Graph = Map<string, Set<string>>;

/** Whether `later` starts only after `earlier` is done. */
export function comesAfter(graph: Graph, later: string, earlier: string): boolean {
  const seen = new Set<string>();
  const waiting = [later];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const next of graph.get(at) ?? []) {
      if (next === earlier) return true;
      if (!seen.has(next)) waiting.push(next);
      seen.add(next);
    }
  }
  return false;
}

/** The graph derived from the files, for machines without Terraform or its providers: a module is one node, and so is each local. */
export async function graphOfFiles(): Promise<Graph> {
  const { whole } = await readTerraform();
  const graph: Graph = new Map();
  const note = (address: string, block: unknown) => {
    const text = JSON.stringify(block);
    const found = text.matchAll(/\b(local\.\w+|module\.\w+|(?:google_\w+|terraform_data)\.\w+)/g);
    graph.set(address, new Set([...found].map(([name]) => name).filter((name) => name !== address)));
  };
  for (const locals of whole.locals ?? [])
    for (const [name, value] of Object.entries(locals)) note(`local.${name}`, value);
  for (const [name, block] of Object.entries(whole.module ?? {})) note(`module.${name}`, block);
  for (const [type, byName] of Object.entries(whole.resource)) {
    for (const [name, block] of Object.entries(byName)) note(`${type}.${name}`, block);
  }
  return graph;
}

/** Whether `terraform init` finds the providers without a network: in a configured mirror, or from an earlier run. */
export function canAskTerraform(): boolean {
  const settings = process.env['TF_CLI_CONFIG_FILE'];
  if (!existsSync('terraform/.terraform/providers') && !(settings && existsSync(settings))) return false;
  try {
    execFileSync('terraform', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The graph from Terraform itself (`terraform graph`), with the function's resources under `module.function`. */
export function graphOfTerraform(): Graph {
  const folder = mkdtempSync(join(tmpdir(), 'terraform-graph-'));
  try {
    for (const part of ['terraform', 'firestore.indexes.json', 'firestore.rules']) {
      cpSync(part, join(folder, part), { recursive: true });
    }
    const root = join(folder, 'terraform');
    writeFileSync(join(root, 'backend_override.tf'), 'terraform {\n  backend "local" {}\n}\n');
    const terraform = (...args: string[]) =>
      execFileSync('terraform', [`-chdir=${resolve(root)}`, ...args], { encoding: 'utf8', maxBuffer: 2 ** 24 });
    terraform('init', '-input=false', '-no-color');
    return readDot(terraform('graph'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readDot(dot: string): Graph {
  const graph: Graph = new Map();
  const plain = (address: string) =>
    address.replace(/^module\.function\.google_cloudfunctions2_function\.this$/, 'module.function');
  for (const [, from = '', to = ''] of dot.matchAll(/^\s*"([^"]+)" -> "([^"]+)";$/gm)) {
    const known = graph.get(plain(from)) ?? new Set();
    graph.set(plain(from), known.add(plain(to)));
  }
  return graph;
}
