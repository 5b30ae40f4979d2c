import { createPublicKey, verify } from 'node:crypto';

/** Whether an Ed25519 signature (base64) of a text was made with a key (SPKI in base64). False for anything that is not a signature. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length !== 64 || bytes.toString('base64') !== signature) return false;
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, bytes);
}
