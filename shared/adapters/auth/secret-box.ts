import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretBox } from '../../app/ports.ts';

type DataKey = { id: string; key: Buffer };

const form = 'v1';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts with AES-256-GCM under the first key and decrypts with any of them, so that keys can be rotated. The owner of a text is
 * authenticated with it: a sealed secret that is moved to another record cannot be opened.
 */
export function createSecretBox(keys: readonly DataKey[]): SecretBox {
  const [newest] = keys;
  if (!newest) throw new Error('a secret box needs at least one key');
  return {
    seal(text, belongsTo) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', newest.key, iv, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(belongsTo));
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${form}.${newest.id}.${sealed.toString('base64url')}`;
    },
    open(sealed, belongsTo) {
      const [version, keyId, text = ''] = sealed.split('.');
      const known = keys.find(({ id }) => id === keyId);
      if (version !== form || !known) throw new Error(`no data key ${keyId} to open a secret with`);
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', known.key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(belongsTo));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}
