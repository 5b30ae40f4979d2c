import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from '@cdktf/hcl2json';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { problemOf } from '../../shared/adapters/http/problem.ts';
import { AppError, type ErrorCode, errorTable } from '../../shared/errors.ts';

const pages = globSync('{docs/**,sdk/typescript,cli,.}/*.md', { exclude: (name) => name.includes('node_modules') });
const textOf = (page: string) => readFileSync(page, 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The anchors of a page, as its site and GitHub make them. */
function anchorsOf(page: string): string[] {
  const titles = [
    ...textOf(page)
      .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ];
  return titles.map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

test('every link of every page leads to an existing file and section', () => {
  expect(pages.length).toBeGreaterThan(50);
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, target = ''] of withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = '', section] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      if (!existsSync(path)) broken.push(`${page}: ${target}`);
      else if (section && path.endsWith('.md') && !anchorsOf(path).includes(section)) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

type Check = (code: string) => unknown;
const program =
  (command: string, ...args: string[]): Check =>
  (input) => {
    const { status, stderr } = spawnSync(command, args, { input });
    if (status !== 0) throw new Error(stderr.toString());
  };
/** Syntax checks by language. Blocks in other languages are only shown, or run by a test of their page. */
const checks: Record<string, Check> = {
  json: (code) => JSON.parse(code),
  yaml: (code) => parseYaml(code, { strict: true }),
  js: (code) => transformSync(code, { loader: 'js', format: 'esm' }),
  ts: (code) => transformSync(code, { loader: 'ts', format: 'esm' }),
  hcl: (code) => parse('block.tf', code),
  sh: program('bash', '-n'),
  python: program('python3', '-c', 'import ast, sys; ast.parse(sys.stdin.read())'),
};
const shown = ['csv', 'go', 'sql', 'text', 'xml'];

describe('every block of code', () => {
  const blocks = pages.flatMap((page) =>
    [...textOf(page).matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
      ([, indent = '', language = '', code = '']) => ({
        page,
        language,
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  );

  test('names a language that is known here', () => {
    const unknown = blocks.filter(
      ({ language }) => language !== '' && !(language in checks || shown.includes(language)),
    );
    expect(unknown).toEqual([]);
  });

  test.each(Object.keys(checks))('of %s can be read by its language', async (language) => {
    const own = blocks.filter((block) => block.language === language);
    expect(own.length).toBeGreaterThan(0);
    const faults: string[] = [];
    for (const { page, code } of own) {
      try {
        await checks[language]?.(code);
      } catch (error) {
        faults.push(`${page}: ${String(error).slice(0, 300)} in ${code.slice(0, 200)}`);
      }
    }
    expect(faults).toEqual([]);
  });
});

test('the type of each problem is the address of a page of the site', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { type } = JSON.parse(problemOf(new AppError(code, 'x'), 'id').body) as { type: string };
    const page = `${new URL(type, 'https://watchpost.example.com').pathname.slice(1)}.md`;
    expect([page, textOf(page).startsWith(`# ${code}\n`)]).toEqual([page, true]);
  }
});

test('llms.txt lists every page of docs/ and docs/start/', () => {
  const listed = [...textOf('docs/llms.txt').matchAll(/\]\(([^)]+)\.md\)/g)].map(([, link]) => link);
  const written = pages.filter((page) => /^docs\/(start\/)?[\w-]+\.md$/.test(page)).map((page) => page.slice(5, -3));
  expect(listed.filter((link) => link !== 'problems/index').toSorted()).toEqual(
    written.filter((page) => page !== 'index').toSorted(),
  );
});
