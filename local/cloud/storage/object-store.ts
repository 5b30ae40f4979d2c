import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from './crc32c.ts';

/** An object as the JSON API describes it (Cloud Storage reference, `Objects`); numbers are text. */
export type StoredObject = {
  kind: 'storage#object';
  id: string;
  name: string;
  bucket: string;
  generation: string;
  metageneration: string;
  contentType: string;
  storageClass: string;
  size: string;
  md5Hash: string;
  crc32c: string;
  etag: string;
  timeCreated: string;
  updated: string;
  metadata?: Record<string, string>;
  cacheControl?: string;
  contentEncoding?: string;
  contentDisposition?: string;
};

/** The description of an object by its uploader. */
export type Described = Partial<
  Pick<StoredObject, 'contentType' | 'metadata' | 'cacheControl' | 'contentEncoding' | 'contentDisposition'>
>;

export type ObjectStore = ReturnType<typeof openObjectStore>;

const hash = (algorithm: string, bytes: string | Buffer) => createHash(algorithm).update(bytes);

/** Buckets and objects in a folder: each object is a file of bytes beside a file that describes it. `now` is epoch milliseconds. */
export function openObjectStore(folder: string, now: () => number) {
  const buckets = new Map<string, Map<string, StoredObject>>();
  const pathOf = (bucket: string, name: string) => join(folder, bucket, hash('sha256', name).digest('hex'));
  const addBucket = (bucket: string) => {
    mkdirSync(join(folder, bucket), { recursive: true });
    buckets.set(bucket, buckets.get(bucket) ?? new Map());
  };
  for (const bucket of readFolder(folder)) {
    addBucket(bucket);
    for (const file of readFolder(join(folder, bucket)).filter((name) => name.endsWith('.json'))) {
      const object = JSON.parse(readFileSync(join(folder, bucket, file), 'utf8')) as StoredObject;
      buckets.get(bucket)?.set(object.name, object);
    }
  }

  return {
    addBucket,
    hasBucket: (bucket: string) => buckets.has(bucket),
    find: (bucket: string, name: string) => buckets.get(bucket)?.get(name),
    read: (object: StoredObject) => readFileSync(pathOf(object.bucket, object.name)),
    put(bucket: string, name: string, bytes: Buffer, described: Described): StoredObject {
      const last = Number(buckets.get(bucket)?.get(name)?.generation ?? 0);
      const generation = String(Math.max(now() * 1000, last + 1));
      const object = describe(bucket, name, bytes, { generation, at: new Date(now()).toISOString() }, described);
      const path = pathOf(bucket, name);
      replaceFile(path, bytes);
      replaceFile(`${path}.json`, JSON.stringify(object));
      buckets.get(bucket)?.set(name, object);
      return object;
    },
    remove(object: StoredObject): void {
      buckets.get(object.bucket)?.delete(object.name);
      const path = pathOf(object.bucket, object.name);
      rmSync(`${path}.json`, { force: true });
      rmSync(path, { force: true });
    },
    /** Objects in order of name, as listings are. */
    list: (bucket: string) => [...(buckets.get(bucket)?.values() ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function describe(
  bucket: string,
  name: string,
  bytes: Buffer,
  { generation, at }: { generation: string; at: string },
  described: Described,
): StoredObject {
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    name,
    bucket,
    generation,
    metageneration: '1',
    storageClass: 'STANDARD',
    size: String(bytes.length),
    md5Hash: hash('md5', bytes).digest('base64'),
    crc32c: crc32c(bytes),
    etag: hash('sha256', `${generation}`).digest('base64').slice(0, 16),
    timeCreated: at,
    updated: at,
    ...described,
    contentType: described.contentType ?? 'application/octet-stream',
  };
}

function replaceFile(path: string, bytes: string | Buffer): void {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
