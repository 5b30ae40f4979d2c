import type { Frames } from '../../../shared/app/ports.ts';

/** The signature only names the object, which is enough to check what was signed. */
export const frames: Frames = {
  bucket: 'frames',
  sign: async (object) => `https://frames.test/${object}?signed`,
  madeAt: async () => null,
  signUpload: async (object, contentType) => ({
    url: `https://frames.test/${object}?upload`,
    headers: { 'content-type': contentType },
    expiresAt: '2026-11-20T10:15:00.000Z',
  }),
  erase: async () => ({ erased: 0, isMore: false }),
};

/** A bucket in memory: its object names, and their deletion. */
export function frameBucket(...objects: string[]): Frames & { objects: Set<string> } {
  const kept = new Set(objects);
  return {
    ...frames,
    objects: kept,
    async erase(prefix, limit) {
      const found = [...kept].filter((object) => object.startsWith(prefix));
      for (const object of found.slice(0, limit)) kept.delete(object);
      return { erased: Math.min(limit, found.length), isMore: found.length > limit };
    },
  };
}
