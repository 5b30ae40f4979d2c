import { createSecretBox } from '../../../shared/adapters/auth/secret-box.ts';

/** The keys of the tests, and what they seal and open. */
export const dataKeys = [{ id: 'k1', key: Buffer.alloc(32, 7) }];
export const box = createSecretBox(dataKeys);
