import { createSecretBox } from '../../../shared/adapters/auth/secret-box.ts';

/** The test keys and a box that uses them. */
export const dataKeys = [{ id: 'k1', key: Buffer.alloc(32, 7) }];
export const box = createSecretBox(dataKeys);
