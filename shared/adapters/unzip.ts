import { gunzipSync } from 'node:zlib';
import type { Unzip } from '../app/ports.ts';

/** Reads gzip. Stops as soon as the result is too long, so that a small message cannot fill the memory. */
export const unzip: Unzip = (data, mostBytes) => {
  try {
    return { bytes: gunzipSync(data, { maxOutputLength: mostBytes }) };
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    return { fault: isTooLarge ? 'too-large' : 'unreadable' };
  }
};
