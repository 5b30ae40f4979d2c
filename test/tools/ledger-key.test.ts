import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { noteKeyOf, openNote, signedNote, verifierKey } from '../../shared/domain/ledger/note.ts';

const origin = 'watchpost.example.com/ledger';
const seeds = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const LEDGER_KEYS = seeds.map((seed, index) => `k${index}:${seed.toString('base64')}`).join(',');

function run(env: Record<string, string>): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/ledger-key.ts'], { encoding: 'utf8', env });
  return { status, stdout, stderr };
}

test('the public key of each signing key is printed, newest first, and nothing that signs', () => {
  const { status, stdout } = run({ LEDGER_KEYS, LEDGER_ORIGIN: origin });
  const keys = seeds.map((seed) => noteKeyOf(origin, seed));
  expect([status, stdout]).toEqual([0, keys.map((key) => `${verifierKey(key)}\n`).join('')]);
  for (const seed of seeds) expect(stdout).not.toContain(seed.toString('base64').slice(0, 20));
  // While both keys sign, a reader who knows only one of them can open a checkpoint.
  const note = signedNote({ origin, size: 1, root: Buffer.alloc(32), at: '2026-11-20T10:00:00.000Z' }, keys);
  for (const key of keys) expect(openNote(note, [key]).size).toBe(1);
});

test('without keys it says what to set', () => {
  expect(run({})).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining('LEDGER_KEYS is not set') });
});
