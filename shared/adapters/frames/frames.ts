import type { Bucket } from '@google-cloud/storage';
import { sideBySide } from '../../app/commit/side-by-side.ts';
import type { Frames } from '../../app/ports.ts';
import type { Config, SettingName } from '../../config.ts';
import { clock } from '../clock.ts';

export const frameSettings = ['framesBucket', 'storageEndpoint', 'projectId'] as const satisfies SettingName[];
type FrameConfig = Config<(typeof frameSettings)[number]>;

/** The longest time that Cloud Storage accepts for a signed address. */
const readSeconds = 7 * 24 * 60 * 60;
/** Largest frame that may be uploaded, and how long an upload address is valid. */
const mostFrameBytes = 10 * 1024 * 1024;
const uploadSeconds = 15 * 60;
/**
 * Time limits of one request and of a whole operation. The second is needed because the client repeats failed
 * signatures.
 */
const requestMs = 5000;
const operationMs = 10_000;

/**
 * The bucket of captured frames. Addresses are signed (V4) as the function's own service account, whose key never leaves the platform: the
 * client asks the platform to sign. Locally the account has a key in a file.
 */
export function createFrames(config: FrameConfig): Frames {
  let opened: Promise<Bucket> | null = null;
  const loadBucket = () => {
    opened ??= openBucket(config);
    return opened;
  };
  const sign = async (object: string, lasts: number, asked: { contentType: string; headers: object } | null) => {
    const file = (await loadBucket()).file(object);
    // A signed address contains its start in whole seconds, and its end is counted from there.
    const startsAt = Math.floor(clock.ms() / 1000) * 1000;
    const endsAt = startsAt + lasts * 1000;
    const upload = asked && { contentType: asked.contentType, extensionHeaders: { ...asked.headers } };
    const [url] = await inTime(
      file.getSignedUrl({
        version: 'v4',
        action: upload ? 'write' : 'read',
        accessibleAt: new Date(startsAt),
        expires: endsAt,
        ...upload,
      }),
    );
    return { url, expiresAt: new Date(endsAt).toISOString() };
  };
  return {
    bucket: config.framesBucket,
    sign: async (object) => (await sign(object, readSeconds, null)).url,
    async madeAt(object) {
      const file = (await loadBucket()).file(object);
      const [{ timeCreated }] = await inTime(file.getMetadata()).catch(ifMissing);
      return timeCreated ? new Date(timeCreated).toISOString() : null;
    },
    async signUpload(object, contentType) {
      const headers = {
        'x-goog-content-length-range': `0,${mostFrameBytes}`,
        // No object can be overwritten, so an address is good for one frame.
        'x-goog-if-generation-match': '0',
      };
      const signed = await sign(object, uploadSeconds, { contentType, headers });
      return { ...signed, headers: { 'content-type': contentType, ...headers } };
    },
    async erase(prefix, limit) {
      const bucket = await loadBucket();
      const [files, next] = await inTime(bucket.getFiles({ prefix, maxResults: limit, autoPaginate: false }));
      // An object that was deleted in the meantime also counts as erased.
      await sideBySide(files, async (file) => {
        await inTime(file.delete({ ignoreNotFound: true }));
      });
      return { erased: files.length, isMore: Boolean(next) };
    },
  };
}

/** The client is slow to load and most requests do not need it, so the first one that signs or erases loads it. */
async function openBucket({ framesBucket, storageEndpoint, projectId }: FrameConfig): Promise<Bucket> {
  const { Storage } = await import('@google-cloud/storage');
  const storage = new Storage({
    projectId,
    ...(storageEndpoint ? { apiEndpoint: storageEndpoint } : {}),
    timeout: requestMs,
    clientOptions: { transporterOptions: { timeout: requestMs } },
    // No retries, because the caller repeats an erasure.
    retryOptions: { autoRetry: false },
  });
  return storage.bucket(framesBucket);
}

/** @throws what does not say that the object is missing */
function ifMissing(error: unknown): [{ timeCreated?: string }] {
  if ((error as { code?: unknown }).code === 404) return [{}];
  throw error;
}

/** Limits the total time: the client sets no time limit on requests to the metadata server or on its retries. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`Cloud Storage did not answer within ${operationMs} ms`));
  const timer = setTimeout(fail, operationMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
