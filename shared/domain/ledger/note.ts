import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Instant } from '../time.ts';

/** The state of a log as its signed note contains it (C2SP tlog-checkpoint, signed-note). `at` is in an extension line. */
export type Checkpoint = { origin: string; size: number; root: Buffer; at: Instant };

/** A key that signs checkpoints. Its name is the origin of the log. */
export type NoteKey = { name: string; privateKey: KeyObject; publicKey: Buffer };

const ed25519 = 1;
/** An Ed25519 key in PKCS#8 is this prefix and the 32 bytes of the key (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** The prefix of a public key (SPKI). */
export const spki = Buffer.from('302a300506032b6570032100', 'hex');

export function noteKeyOf(name: string, seed: Uint8Array): NoteKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(spki.length);
  return { name, privateKey, publicKey };
}

/** The key in the form that verifiers use: `name+hash+base64`. */
export function verifierKey({ name, publicKey }: NoteKey): string {
  const typed = Buffer.concat([Buffer.of(ed25519), publicKey]);
  return `${name}+${keyId(name, publicKey).toString('hex')}+${typed.toString('base64')}`;
}

function keyId(name: string, publicKey: Uint8Array): Buffer {
  return createHash('sha256').update(`${name}\n`).update(Buffer.of(ed25519)).update(publicKey).digest().subarray(0, 4);
}

/** The note of a checkpoint, signed with every key, so that a verifier that knows only one of them can check it. */
export function signedNote({ origin, size, root, at }: Checkpoint, keys: readonly NoteKey[]): string {
  const text = `${origin}\n${size}\n${root.toString('base64')}\ntime ${at}\n`;
  const lines = keys.map(({ name, privateKey, publicKey }) => {
    const signature = sign(null, Buffer.from(text), privateKey);
    return `— ${name} ${Buffer.concat([keyId(name, publicKey), signature]).toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/**
 * Reads a checkpoint that one of the keys has signed.
 * @throws Error where none has signed it, or where it is not a checkpoint
 */
export function openNote(note: string, keys: readonly NoteKey[]): Checkpoint {
  const end = note.indexOf('\n\n');
  const text = note.slice(0, end + 1);
  const signatures = note.slice(end + 2).split('\n');
  const isSigned = keys.some(({ name, publicKey }) =>
    signatures.some((line) => {
      const bytes = Buffer.from(line.startsWith(`— ${name} `) ? (line.split(' ')[2] ?? '') : '', 'base64');
      if (!bytes.subarray(0, 4).equals(keyId(name, publicKey))) return false;
      const key = createPublicKey({ key: Buffer.concat([spki, publicKey]), format: 'der', type: 'spki' });
      return verify(null, Buffer.from(text), key, bytes.subarray(4));
    }),
  );
  if (end < 0 || !isSigned) throw new Error('The checkpoint of the ledger is not signed by any of its keys');
  return readCheckpoint(note);
}

/** Reads a checkpoint without verifying its signatures. */
export function readCheckpoint(note: string): Checkpoint {
  const [origin = '', size = '', root = '', time = ''] = note.split('\n');
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !time.startsWith('time '))
    throw new Error('The checkpoint of the ledger cannot be read');
  return { origin, size: Number(size), root: Buffer.from(root, 'base64'), at: time.slice('time '.length) };
}
