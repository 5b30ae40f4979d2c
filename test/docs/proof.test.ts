import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Runs the verifier as a third party would. */
function run(text: string, ...options: string[]): { status: number | null; stdout: string } {
  const path = join(folder, 'bundle.json');
  writeFileSync(path, text);
  const { status, stdout } = spawnSync(
    'python3',
    ['verify/watchpost_verify.py', path, '--key', join(folder, 'ledger.key'), ...options],
    {
      encoding: 'utf8',
    },
  );
  return { status, stdout };
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

test('the verifier is one file of fewer than 300 lines that imports nothing of ours', () => {
  const source = readFileSync('verify/watchpost_verify.py', 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThan(300);
  const imports = [...source.matchAll(/^(?:from (\S+) import .*|import (.+))$/gm)].map(
    ([, from, names]) => from ?? names,
  );
  expect(imports).toEqual([
    'argparse, base64, binascii, hashlib, hmac, json, os, re, sys',
    'datetime',
    'cryptography.exceptions',
    'cryptography.hazmat.primitives.asymmetric.ed25519',
  ]);
});
