import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leafHash, rootOf } from '../../shared/domain/ledger/merkle.ts';
import { noteKeyOf, verifierKey } from '../../shared/domain/ledger/note.ts';
import type { ProofBundle } from '../../shared/schema/ledger/ledger.ts';

const page = readFileSync('docs/proof.md', 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``, 'g'))].map(([, text = '']) => text);
const [bundle = ''] = blocks('json');
const [key = '', said = ''] = blocks('text');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proof-'));
  writeFileSync(join(folder, 'ledger.key'), key);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs both verifiers as a third party would. They must print the same, exit with the same code, and remember the same. */
function run(text: string, ...options: string[]): { status: number | null; stdout: string } {
  const path = join(folder, 'bundle.json');
  writeFileSync(path, text);
  const seen = options.includes('--checkpoint') ? (options.at(-1) ?? '') : null;
  const before = seen !== null && existsSync(seen) ? readFileSync(seen) : null;
  const [python, script] = [
    ['python3', 'verify/watchpost_verify.py'] as const,
    [process.execPath, 'verify/watchpost-verify.ts'] as const,
  ].map(([command, file]) => {
    if (seen !== null && before) writeFileSync(seen, before);
    else if (seen !== null) rmSync(seen, { force: true });
    const given = [file, path, '--key', join(folder, 'ledger.key'), ...options];
    const { status, stdout } = spawnSync(command, given, { encoding: 'utf8' });
    return {
      status,
      stdout,
      kept: seen !== null && existsSync(seen) ? readFileSync(seen, 'utf8').replaceAll(' ', '') : null,
    };
  });
  expect(script).toEqual(python);
  return { status: script?.status ?? null, stdout: script?.stdout ?? '' };
}

describe('the example of docs/proof.md', () => {
  test('is proven in the words of the page', () => {
    expect(run(bundle)).toEqual({ status: 0, stdout: said });
  });

  test('has the hashes that the page computes by hand', () => {
    const { entries, nodes, checkpoint } = JSON.parse(bundle) as ProofBundle;
    const [first, second] = entries.map((entry) =>
      createHmac('sha256', Buffer.from(entry.key, 'base64')).update(entry.body).digest(),
    );
    if (!first || !second) throw new Error('the example has two entries');
    expect(page).toContain(`\`${first.toString('base64')}\``);
    const node = (name: string) => Buffer.from(nodes[name] ?? '', 'base64');
    const root = rootOf([node('0-1'), leafHash(first), node('2-1'), leafHash(second)]);
    expect(root.toString('base64')).toBe(checkpoint.split('\n')[2]);
  });

  test.each<[string, string, string[], number, RegExp]>([
    [
      'with a byte changed',
      bundle.replace('01:00:10.000Z', '01:00:11.000Z'),
      [],
      1,
      /^NOT PROVEN: the entries are not those/,
    ],
    [
      'with a signature changed',
      bundle.replace(/([A-Za-z])=\\n"/, (_all, sign) => `${sign === 'A' ? 'B' : 'A'}=\\n"`),
      [],
      1,
      /^NOT PROVEN: the checkpoint was changed/,
    ],
    ['cut off', bundle.slice(0, bundle.length / 2), [], 2, /^CANNOT BE DECIDED: .*Is the download complete\?/],
    ['empty', '', [], 2, /^CANNOT BE DECIDED/],
    ['another document', '[1, {"a": null}]', [], 2, /^CANNOT BE DECIDED: the bundle has no readable/],
    [
      'for the day before',
      bundle,
      ['--from', '2026-09-30T00:00:00Z'],
      1,
      /not proven: nothing is recorded before 2026-10-01T00:00:00Z/,
    ],
    [
      'for the day after',
      bundle,
      ['--to', '2026-10-04T00:00:00Z'],
      1,
      /not proven: nothing is recorded after 2026-10-03T00:00:00Z/,
    ],
    ['for a time that is none', bundle, ['--from', 'yesterday'], 2, /^CANNOT BE DECIDED: --from is no time/],
  ])('is not proven: %s', (_how, text, options, status, words) => {
    const answer = run(text, ...options);
    expect(answer).toEqual({ status, stdout: expect.stringMatching(words) });
  });

  test('is not proven with another key, and a mistyped key is an error', () => {
    const other = verifierKey(noteKeyOf('watchpost.test/ledger', Buffer.alloc(32, 99)));
    const by = (given: string) => {
      writeFileSync(join(folder, 'other.key'), given);
      return run(bundle, '--key', join(folder, 'other.key'));
    };
    expect(by(other)).toEqual({
      status: 1,
      stdout: 'NOT PROVEN: the checkpoint is signed by another key than yours.\n',
    });
    expect(by(key.replace(/.(?=\n$)/, (sign) => (sign === 'A' ? 'B' : 'A')))).toMatchObject({ status: 2 });
  });

  test('remembers a checkpoint, and refuses an older one', () => {
    const seen = join(folder, 'seen.json');
    expect(run(bundle, '--checkpoint', seen).status).toBe(0);
    const kept = JSON.parse(readFileSync(seen, 'utf8'));
    writeFileSync(seen, JSON.stringify({ ...kept, size: kept.size + 1 }));
    expect(run(bundle, '--checkpoint', seen)).toEqual({
      status: 1,
      stdout: 'NOT PROVEN: the checkpoint is older than one that you have seen.\n',
    });
  });
});

describe('a verifier', () => {
  test.each<[string, string[]]>([
    ['no bundle', ['--key', 'x']],
    ['no key', ['bundle.json']],
    ['an option without its value', ['bundle.json', '--key']],
    ['another option', ['bundle.json', '--key', 'x', '--fron', '2026-10-01T00:00:00Z']],
    ['two bundles', ['bundle.json', 'bundle.json', '--key', 'x']],
  ])('given %s exits with 2, and prints its usage beside the answer', (_what, given) => {
    for (const [command, file] of [
      ['python3', 'verify/watchpost_verify.py'],
      [process.execPath, 'verify/watchpost-verify.ts'],
    ] as const) {
      const { status, stdout, stderr } = spawnSync(command, [file, ...given], { encoding: 'utf8' });
      expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^usage: watchpost[_-]verify/)]);
    }
  });

  test.each<[string, string[], RegExp]>([
    ['a bundle that is not there', [], /^CANNOT BE DECIDED: .*gone\.json cannot be read\.\n$/],
    ['a folder as the remembered checkpoint', ['--checkpoint', tmpdir()], /cannot be read\.\n$/],
  ])('given %s cannot decide', (_what, options, words) => {
    const gone = options.length === 0 ? ['--key', join(folder, 'gone.json')] : [];
    const given = gone.length > 0 ? join(folder, 'gone.json') : join(folder, 'bundle.json');
    writeFileSync(join(folder, 'bundle.json'), bundle);
    for (const [command, file] of [
      ['python3', 'verify/watchpost_verify.py'],
      [process.execPath, 'verify/watchpost-verify.ts'],
    ] as const) {
      const { status, stdout } = spawnSync(command, [file, given, '--key', key, ...options], { encoding: 'utf8' });
      expect([status, stdout]).toEqual([2, expect.stringMatching(words)]);
    }
  });

  test('prints the same for programs', () => {
    const { status, stdout } = run(bundle, '--json');
    expect(status).toBe(0);
    const minute = 60_000;
    const kinds = { seen: 2880 * minute - 620_000, lost: 580_000, uncertain: 40_000, planned: 0 };
    expect(JSON.parse(stdout)).toMatchObject({ deviceId: 'cam-1', size: 4, kinds, gaps: [], trail: [] });
  });

  test('does not read an empty or broken remembered checkpoint as none', () => {
    const seen = join(folder, 'broken.json');
    for (const text of ['', '{}', '{"size":0,"root":"","time":0}', '[']) {
      writeFileSync(seen, text);
      expect(run(bundle, '--checkpoint', seen)).toEqual({
        status: 2,
        stdout: 'CANNOT BE DECIDED: the remembered checkpoint cannot be read.\n',
      });
    }
  });

  test('is one file that imports nothing of ours, of its other language, or of a registry beside the signature', () => {
    const python = readFileSync('verify/watchpost_verify.py', 'utf8');
    const imports = [...python.matchAll(/^(?:from (\S+) import .*|import (.+))$/gm)].map(
      ([, from, names]) => from ?? names,
    );
    expect(imports).toEqual([
      'argparse, base64, hashlib, hmac, json, os, re, sys',
      'datetime',
      'cryptography.exceptions',
      'cryptography.hazmat.primitives.asymmetric.ed25519',
    ]);
    const script = parseSync('watchpost-verify.ts', readFileSync('verify/watchpost-verify.ts', 'utf8'));
    expect([script.module.staticImports, script.module.dynamicImports]).toEqual([[], []]);
  });
});
