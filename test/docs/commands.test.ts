import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readJson, readTerraform } from '../support/terraform/terraform.ts';

const pages = ['deploy', 'before-you-begin', 'issuers', 'cells', 'recovery'];
const textOf = (page: string) => readFileSync(`docs/${page}.md`, 'utf8');
const blocksOf = (page: string, language: string) =>
  [...textOf(page).matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)]
    .filter(([, , name]) => name === language)
    .map(([, , , text = '']) => text);

/** Every command of the pages, in blocks and in running text, one a line. */
const commands = pages.flatMap((page) => {
  const blocks = blocksOf(page, 'sh')
    .join('\n')
    .replaceAll(/\\\n\s*/g, '');
  const inline = [
    ...textOf(page)
      .replaceAll(/```[\s\S]*?```/g, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, code]) => code);
  const lines = [...blocks.split('\n'), ...inline].flatMap((line = '') => line.split(/&&|\||\$\(|;|\bdo /));
  return lines.map((line) => ({ page, words: wordsOf(line.trim()) }));
});
const of = (tool: string) => commands.filter(({ words }) => words[0] === tool);

/** The words of a line as a shell splits it, quoted text kept together. */
function wordsOf(line: string): string[] {
  return line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
}
const nameOf = (flag: string) => flag.split('=')[0] ?? '';

let root: Awaited<ReturnType<typeof readTerraform>>;
let variables: string[];
let outputs: string[];
beforeAll(async () => {
  root = await readTerraform();
  const { variable, output } = root.whole as unknown as Record<'variable' | 'output', object>;
  [variables, outputs] = [Object.keys(variable), Object.keys(output)];
});

test('the pages contain commands of each tool', () => {
  for (const tool of ['gcloud', 'terraform', 'npm', 'node']) expect([tool, of(tool).length > 0]).toEqual([tool, true]);
});

test('npm scripts exist in package.json, and their programs know the options', () => {
  const { scripts } = readJson<{ scripts: Record<string, string> }>('package.json');
  for (const { page, words } of of('npm').filter(({ words }) => words[1] === 'run')) {
    const [, , script = '', ...rest] = words;
    expect([page, script, script in scripts]).toEqual([page, script, true]);
    const source = readFileSync(/node (\S+\.ts)/.exec(scripts[script] ?? '')?.[1] ?? '', 'utf8');
    for (const flag of rest.filter((word) => word.startsWith('--') && word !== '--'))
      expect([script, flag, source.includes(nameOf(flag).slice(2))]).toEqual([script, flag, true]);
  }
});

test('programs that are run with node exist', () => {
  for (const { words } of of('node')) expect([words[1], existsSync(words[1] ?? '')]).toEqual([words[1], true]);
});

describe('Terraform', () => {
  test('knows the variables, targets and outputs that are named', () => {
    const known = Object.entries(root.whole.resource).flatMap(([type, all]) =>
      Object.keys(all).map((name) => `${type}.${name}`),
    );
    for (const { words } of of('terraform')) {
      words.forEach((word, place) => {
        const value = word.slice(word.indexOf('=') + 1);
        if (word.startsWith('-target=')) expect(known).toContain(value);
        if (word === '-var') expect(variables).toContain(/^'?(\w+)=/.exec(words[place + 1] ?? '')?.[1]);
        if (word.startsWith('-var-file=environments/')) expect(value).toMatch(/(ENV|\$CELL)\.tfvars$/);
      });
      if (!words.includes('output')) continue;
      const name = words.slice(words.indexOf('output') + 1).find((word) => !word.startsWith('-'));
      expect(outputs).toContain(name?.replace(/\W.*$/, ''));
    }
  });

  test('knows the variables that examples set, down to their members', () => {
    const types = readFileSync('terraform/variables.tf', 'utf8');
    for (const page of ['deploy', 'before-you-begin', 'issuers']) {
      for (const block of blocksOf(page, 'hcl')) {
        for (const [, name] of block.matchAll(/^\s{0,4}(\w+)\s*=/gm)) {
          expect([name, variables.includes(name ?? '') || new RegExp(`\\b${name}\\s*=`).test(types)]).toEqual([
            name,
            true,
          ]);
        }
      }
    }
  });

  test('knows the settings that the text names', () => {
    const types = readFileSync('terraform/variables.tf', 'utf8');
    const named = pages.flatMap((page) => [...textOf(page).matchAll(/`(auth|bridge|public_access)\.(?!json)(\w+)/g)]);
    expect(named.length).toBeGreaterThan(5);
    for (const [, variable, member] of named)
      expect([variable, member, new RegExp(`\\b${member}\\s*=`).test(types)]).toEqual([variable, member, true]);
  });

  if (pathOf('terraform') !== null) {
    test('knows each option of its commands', () => {
      const helps = new Map<string, string>();
      for (const { words } of of('terraform')) {
        const rest = words.slice(1).filter((word) => !word.startsWith('-chdir='));
        const verb = (rest[0] === 'providers' ? rest.slice(0, 2) : rest.slice(0, 1)).join(' ');
        if (!/^[a-z]/.test(verb)) continue;
        const help = helps.get(verb) ?? helpOf(verb);
        helps.set(verb, help);
        for (const flag of rest.filter((word) => /^-\w/.test(word)))
          expect([verb, flag, help.includes(nameOf(flag)) || isOfPlan(verb, flag)]).toEqual([verb, flag, true]);
      }
      expect([...helps.keys()]).toEqual(expect.arrayContaining(['apply', 'init', 'plan', 'output', 'providers lock']));
    }, 120_000);
  }
});

function helpOf(verb: string): string {
  return execFileSync('terraform', [...verb.split(' '), '-help'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** The path of a program; null: it is not installed. */
function pathOf(program: string): string | null {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** `terraform apply -help` does not list the planning options: `terraform plan -help` does. */
function isOfPlan(verb: string, flag: string): boolean {
  return verb === 'apply' && helpOf('plan').includes(nameOf(flag));
}

test('each secret that gets a version is one that Terraform creates', () => {
  const shared = [...String(root.local('secrets')).matchAll(/\b([A-Z][A-Z_]+)\s+=[^=>]/g)].map(([, name = '']) => name);
  const own = Object.keys(root.local('own_secrets') as object);
  const copy = String(root.resource('google_secret_manager_secret', 'data_keys_copy')['secret_id']);
  const known = [...[...shared, ...own].map((name) => name.toLowerCase().replaceAll('_', '-')), copy];
  const given = of('gcloud').flatMap(({ words }) =>
    words.slice(1, 4).join(' ') === 'secrets versions add' ? [words[4]] : [],
  );
  expect(given.length).toBeGreaterThan(3);
  for (const name of given) expect(known).toContain(name);
});

/** The completion file of `gcloud`, which contains its commands and options; null if it is not installed. */
function gcloudTree(): string | null {
  const program = pathOf('gcloud');
  const file = program && join(realpathSync(program), '../../data/cli/gcloud_completions.py');
  return file && existsSync(file) ? file : null;
}

const tree = gcloudTree();
if (tree !== null) {
  test('gcloud knows each command and each option', () => {
    const asked = of('gcloud')
      .filter(({ words }) => words.length > 1)
      .map(({ words }) => words.slice(1).map((word) => word.replace(/\W+$/, '')));
    // The words that the tree contains are the command; the others are options and arguments.
    const script = `
import json, runpy, sys
tree = runpy.run_path(sys.argv[1])["STATIC_COMPLETION_CLI_TREE"]
wrong = []
for words in json.loads(sys.argv[2]):
    node, flags, path = tree, set(tree["flags"]), []
    for word in words:
        if word.startswith("-"):
            name = word.split("=")[0]
            if name not in flags and name.replace("--no-", "--", 1) not in flags:
                wrong.append(" ".join(path + [name]))
        elif word in node.get("commands", {}):
            node = node["commands"][word]
            path.append(word)
            flags |= set(node.get("flags", []))
    if node.get("commands"):
        wrong.append(" ".join(words))
print(json.dumps(wrong))`;
    const wrong = execFileSync('python3', ['-c', script, tree, JSON.stringify(asked)], { encoding: 'utf8' });
    expect(asked.length).toBeGreaterThan(15);
    expect(JSON.parse(wrong)).toEqual([]);
  }, 120_000);
}

test('every linked page and section exists', () => {
  for (const page of pages) {
    for (const [, file = '', section] of textOf(page).matchAll(/\]\(([\w-]+\.md)(?:#([\w-]+))?\)/g)) {
      expect([page, file, existsSync(`docs/${file}`)]).toEqual([page, file, true]);
      if (!section) continue;
      const titles = [...readFileSync(`docs/${file}`, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
      expect(titles.map((title) => title.toLowerCase().replaceAll(' ', '-'))).toContain(section);
    }
  }
});
