import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  addCheckpointText,
  cosignaturesOf,
  withLines,
  witnessKeyOf,
} from '../../../../shared/domain/ledger/cosignature.ts';

const name = 'witness.example/w1';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
/** A key in the form `name+hash+base64`. */
function text(bytes: Buffer = Buffer.concat([Buffer.of(4), raw]), called = name): string {
  const hash = createHash('sha256').update(`${called}\n`).update(bytes).digest('hex').slice(0, 8);
  return `${called}+${hash}+${bytes.toString('base64')}`;
}
const witness = witnessKeyOf(text());
const note = 'example.com/ledger\n3\nroot\ntime x\n\n— example.com/ledger signature\n';

/** The line that the witness gives: its key's id, the time in 8 bytes, and the signature. */
function line(seconds = 1_763_632_800n, { over = note, id = witness.id, called = name } = {}): string {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(seconds);
  const said = `cosignature/v1\ntime ${seconds}\n${over.slice(0, over.indexOf('\n\n') + 1)}`;
  return `— ${called} ${Buffer.concat([id, time, sign(null, Buffer.from(said), privateKey)]).toString('base64')}`;
}

describe('the key of a witness', () => {
  test('is read from its name, its hash and its bytes', () => {
    expect(witness.name).toBe(name);
    expect(witness.publicKey.equals(raw)).toBe(true);
    expect(witness.id).toHaveLength(4);
  });

  test('is refused where it is for other signatures, too short or long, or not the one of the hash', () => {
    const other = text().replace(/\+[0-9a-f]{8}\+/, '+00000000+');
    for (const wrong of [
      text(Buffer.concat([Buffer.of(1), raw])),
      text(Buffer.concat([Buffer.of(5), raw])),
      text(Buffer.concat([Buffer.of(4), raw.subarray(1)])),
      text(Buffer.concat([Buffer.of(4), raw, Buffer.of(0)])),
      other,
    ])
      expect(() => witnessKeyOf(wrong), wrong).toThrow(`${name} has no key for cosignatures`);
    expect(() => witnessKeyOf('')).toThrow('A witness has no key');
    expect(() => witnessKeyOf(`${text()} `)).toThrow('A witness has no key');
  });
});

describe('a cosignature', () => {
  test('is kept where the witness gave it on this checkpoint, whatever its time, and every other line is dropped', () => {
    const lines = [line(), 'nonsense', '', line(0n)];
    expect(cosignaturesOf(note, lines.join('\n'), witness)).toEqual([line(), line(0n)]);
    expect(cosignaturesOf(note, '', witness)).toEqual([]);
  });

  test('is dropped on another checkpoint, of another key, of another name, or of another length', () => {
    const [, encoded = ''] = line().split(`— ${name} `);
    const bytes = Buffer.from(encoded, 'base64');
    const spelled = (given: Buffer) => `— ${name} ${given.toString('base64')}`;
    const laterTime = Buffer.from(bytes);
    laterTime[11] = (laterTime[11] ?? 0) ^ 1;
    for (const wrong of [
      line(1n, { over: note.replace('3', '4') }),
      line(1n, { id: Buffer.from('0000', 'latin1') }),
      line(1n, { called: 'witness.example/w2' }),
      line().slice(2),
      `x${line()}`,
      spelled(laterTime),
      spelled(bytes.subarray(0, -1)),
      spelled(Buffer.concat([bytes, Buffer.of(0)])),
      spelled(Buffer.alloc(0)),
    ])
      expect(cosignaturesOf(note, wrong, witness), wrong).toEqual([]);
  });
});

test('further signatures follow the note, each on its line', () => {
  expect(withLines('note\n', ['a', 'b'])).toBe('note\na\nb\n');
  expect(withLines('note\n', [])).toBe('note\n');
});

test('a witness is asked with the size that it knows, the proof and the note', () => {
  const proof = [Buffer.from('one'), Buffer.from('two')];
  expect(addCheckpointText(7, proof, 'note\n')).toBe('old 7\nb25l\ndHdv\n\nnote\n');
  expect(addCheckpointText(0, [], 'note\n')).toBe('old 0\n\nnote\n');
});
