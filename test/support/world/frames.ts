import type { Frames } from '../../../shared/app/ports.ts';

/** Signs by naming: enough to see what was signed. */
export const frames: Frames = {
  bucket: 'frames',
  sign: async (object) => `https://frames.test/${object}?signed`,
  signUpload: async (object, contentType) => ({
    url: `https://frames.test/${object}?upload`,
    headers: { 'content-type': contentType },
    expiresAt: '2026-11-20T10:15:00.000Z',
  }),
};
