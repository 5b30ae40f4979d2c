import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { GuardianEnvelope } from '../../../shared/schema/guardian/envelope.ts';
import { type EnvelopeMember, signedText } from '../../../shared/schema/guardian/signed-text.ts';
import type { Message } from '../decide/notice.ts';

/** Puts a guardian's message into a signed envelope on the guardian's own topic. */
export type Seal = (member: EnvelopeMember, place: { epoch: string; seq: number }, text: string) => Message;

/** @param key the guardian's private key, Ed25519 */
export function createSeal(deviceId: string, key: KeyObject): Seal {
  return (member, { epoch, seq }, text) => {
    const signature = sign(null, Buffer.from(signedText(deviceId, member, { epoch, seq }, text)), key);
    const envelope: GuardianEnvelope = { v: 1, epoch, seq, [member]: text, signature: signature.toString('base64') };
    return { topic: `guardians/${deviceId}/${member}`, payload: JSON.stringify(envelope) };
  };
}

/** The public key as the service registers it: SPKI in base64. */
export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
}

/**
 * Makes a private key if the file does not exist. The key never leaves the file.
 * @throws Error if the file cannot be written
 */
export function makeKeyFile(path: string): void {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    writeFileSync(path, privateKey.export({ format: 'pem', type: 'pkcs8' }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
