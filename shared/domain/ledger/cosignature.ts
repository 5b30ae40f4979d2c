import { createHash, createPublicKey, verify } from 'node:crypto';
import { spki } from './note.ts';

/** The key of a witness (C2SP tlog-cosignature): a third party that confirms that each checkpoint continues the earlier ones. */
export type WitnessKey = { name: string; id: Buffer; publicKey: Buffer };

const cosigner = 4;
const timeBytes = 8;

/**
 * @param text `name+hash+base64` of an Ed25519 key for cosignatures
 * @throws Error where it is not such a key
 */
export function witnessKeyOf(text: string): WitnessKey {
  const [, name = '', hash = '', material = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const typed = Buffer.from(material, 'base64');
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4);
  if (typed.length !== 33 || typed[0] !== cosigner || id.toString('hex') !== hash)
    throw new Error(`${name || 'A witness'} has no key for cosignatures of the form name+hash+base64`);
  return { name, id, publicKey: typed.subarray(1) };
}

/** The lines of a text that are valid cosignatures of this witness on a checkpoint. Other lines are dropped. */
export function cosignaturesOf(note: string, lines: string, { name, id, publicKey }: WitnessKey): string[] {
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const key = createPublicKey({ key: Buffer.concat([spki, publicKey]), format: 'der', type: 'spki' });
  return lines.split('\n').filter((line) => {
    const [, encoded = ''] = line.startsWith(`— ${name} `) ? line.split(`— ${name} `) : [];
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.length !== id.length + timeBytes + 64 || !bytes.subarray(0, id.length).equals(id)) return false;
    const seconds = bytes.readBigUInt64BE(id.length);
    const said = Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
    return verify(null, said, key, bytes.subarray(id.length + timeBytes));
  });
}

/** The checkpoint with additional signature lines. */
export function withLines(note: string, lines: readonly string[]): string {
  return `${note}${lines.map((line) => `${line}\n`).join('')}`;
}

/**
 * The request to a witness (C2SP tlog-witness, `add-checkpoint`).
 * @param proof that the log of `older` leaves is the beginning of this log
 */
export function addCheckpointText(older: number, proof: readonly Buffer[], note: string): string {
  const lines = [`old ${older}`, ...proof.map((hash) => hash.toString('base64'))];
  return `${lines.join('\n')}\n\n${note}`;
}
