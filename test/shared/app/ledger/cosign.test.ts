import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWitness } from '../../../../shared/adapters/ledger/witness.ts';
import { cosign } from '../../../../shared/app/ledger/cosign.ts';
import { cosignaturesOf, witnessKeyOf } from '../../../../shared/domain/ledger/cosignature.ts';
import { leafHash, rootOf, tilePath, tileWidth } from '../../../../shared/domain/ledger/merkle.ts';
import { noteKeyOf, verifierKey } from '../../../../shared/domain/ledger/note.ts';
import { bundleOf, checkpointOf, linesOf } from '../../../support/ledger/log.ts';
import { createTestObjects, origin, testKey } from '../../../support/ledger/objects.ts';
import { startTestWitness } from '../../../support/ledger/witness.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const all = linesOf(5, 60);
type Started = Awaited<ReturnType<typeof startTestWitness>>;
let witness: Started;
let other: Started;
beforeAll(async () => {
  witness = await startTestWitness('witness.example/w1', testKey);
  other = await startTestWitness('witness.example/w2', testKey);
});
afterAll(async () => {
  await witness.stop();
  await other.stop();
});

/** The stored objects of a log with these leaves: tiles and checkpoint. */
async function logOf(lines: typeof all) {
  const objects = createTestObjects();
  const hashes = lines.map(({ commitment }) => leafHash(commitment));
  for (let index = 0; index * tileWidth < hashes.length; index += 1) {
    const part = hashes.slice(index * tileWidth, (index + 1) * tileWidth);
    await objects.write(tilePath({ level: 0, index, width: part.length }), Buffer.concat(part), null);
  }
  const full = Array.from({ length: Math.floor(hashes.length / tileWidth) }, (_, index) =>
    rootOf(hashes.slice(index * tileWidth, (index + 1) * tileWidth)),
  );
  if (full.length > 0)
    await objects.write(tilePath({ level: 1, index: 0, width: full.length }), Buffer.concat(full), null);
  await objects.write('checkpoint', Buffer.from(checkpointOf(lines).note), null);
  return objects;
}

/** The checkpoint of a log after the witnesses were asked to cosign it, and the logged events. */
async function asked(lines: typeof all, witnesses: Started[]): Promise<{ note: string; events: string[] }> {
  const world = createTestWorld();
  const objects = await logOf(lines);
  await cosign(world, { objects, origin, keys: [testKey], witnesses: witnesses.map(createWitness) });
  const note = Buffer.from((await objects.read('checkpoint'))?.bytes ?? []).toString('utf8');
  return { note, events: world.lines.map(({ event }) => event) };
}
const cosigners = (note: string) =>
  [witness, other].filter(({ key }) => cosignaturesOf(note, note, witnessKeyOf(key)).length === 1).length;

test('witnesses cosign each checkpoint, from the first on, whatever they have seen before', async () => {
  for (const size of [1, 2, 3, 7, 8, 8, 9, 64, 100, 200, 255]) {
    const { note, events } = await asked(all.slice(0, size), [witness, other]);
    expect([size, cosigners(note), events]).toEqual([size, 2, ['ledger.witnessed']]);
    expect([witness.seen(), other.seen()]).toEqual([size, size]);
    expect(note.startsWith(checkpointOf(all.slice(0, size)).note)).toBe(true);
  }
  expect(new Set(witness.answers)).toEqual(new Set([200, 409]));
});

test('a witness that is away holds nothing up, and catches up with a later checkpoint', async () => {
  other.away(true);
  const { note, events } = await asked(all.slice(0, 256), [witness, other]);
  other.away(false);
  expect([cosigners(note), events.toSorted()]).toEqual([1, ['ledger.unwitnessed', 'ledger.witnessed']]);
  expect(cosigners((await asked(all.slice(0, 290), [witness, other])).note)).toBe(2);
});

test('a log that was changed, or cut off, is cosigned by nobody', async () => {
  const changed = linesOf(5, 60, (recorded, deviceId) =>
    deviceId === 'cam-1' ? { ...recorded, intervals: [] } : recorded,
  );
  for (const lines of [changed, all.slice(0, 200)]) {
    const { note, events } = await asked(lines, [witness, other]);
    expect([cosigners(note), events]).toEqual([0, ['ledger.unwitnessed', 'ledger.unwitnessed']]);
  }
  expect([witness.seen(), other.seen()]).toEqual([290, 290]);
});

test('what a witness answers counts only if its own key has signed this checkpoint', async () => {
  const lines = all.slice(0, 291);
  const { note } = await asked(lines, [witness]);
  const [line = ''] = cosignaturesOf(note, note, witnessKeyOf(witness.key));
  expect(line).toMatch(/^— witness\.example\/w1 /);
  expect(cosignaturesOf(checkpointOf(all).note, line, witnessKeyOf(witness.key))).toEqual([]);
  expect(cosignaturesOf(note, line, witnessKeyOf(other.key))).toEqual([]);
  expect(cosignaturesOf(note, line.replace('/w1', '/w2'), witnessKeyOf(other.key))).toEqual([]);
  for (const text of ['', 'x', verifierKey(testKey), witness.key.replace('+', '+0')])
    expect(() => witnessKeyOf(text)).toThrow('no key for cosignatures');
});

describe('the verifier', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'witness-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('asked for witnesses, proves nothing that one of them has not cosigned', async () => {
    const lines = all.slice(0, 295);
    const { note } = await asked(lines, [witness]);
    const path = join(folder, 'bundle.json');
    const by = (checkpoint: string, ...keys: string[]) => {
      writeFileSync(path, JSON.stringify({ ...bundleOf(lines, 'cam-1', [0, 59]), checkpoint }));
      const witnesses = keys.flatMap((key) => ['--witness', key]);
      const given = [path, '--key', verifierKey(testKey), ...witnesses];
      const python = spawnSync('python3', ['verify/watchpost_verify.py', ...given], { encoding: 'utf8' });
      const script = spawnSync(process.execPath, ['verify/watchpost-verify.ts', ...given], { encoding: 'utf8' });
      expect([script.status, script.stdout]).toEqual([python.status, python.stdout]);
      return [script.status, script.stdout.split('\n')[0]];
    };
    const proven = [0, expect.stringMatching(/^PROVEN/)];
    expect(by(note)).toEqual(proven);
    expect(by(note, witness.key)).toEqual(proven);
    expect(by(note, witness.key, other.key)).toEqual([
      1,
      'NOT PROVEN: witness.example/w2 has not cosigned the checkpoint.',
    ]);
    expect(by(checkpointOf(lines).note, witness.key)).toEqual([1, expect.stringContaining('has not cosigned')]);
    const [line = ''] = cosignaturesOf(note, note, witnessKeyOf(witness.key));
    const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64');
    bytes[11] = (bytes[11] ?? 0) ^ 1;
    const backdated = note.replace(line, `— witness.example/w1 ${bytes.toString('base64')}`);
    expect(by(backdated, witness.key)).toEqual([1, expect.stringContaining('was changed after it was signed')]);
    expect(by(note, verifierKey(noteKeyOf(origin, Buffer.alloc(32, 3))))).toEqual([
      1,
      expect.stringContaining('has not cosigned'),
    ]);
  });
});
