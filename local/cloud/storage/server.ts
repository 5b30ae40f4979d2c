import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readBody, type Service, serveHttp } from '../../machine/http-server.ts';
import { type ObjectStore, openObjectStore, type StoredObject } from './object-store.ts';
import { faultOfSigned, faultOfSize, type Signer } from './signed.ts';
import { addPiece, readDescription, readMultipart, readRange, type Session } from './uploads.ts';

export type StorageConfig = {
  port: number;
  /** Where the objects are kept. */
  folder: string;
  /** Buckets that exist from the start. */
  buckets: string[];
  /** The account whose signed addresses are valid. Absent: no signed address is valid. */
  signer?: Signer;
};

/** One request, with the bucket and object that its path names. */
type Call = {
  store: ObjectStore;
  sessions: Map<string, Session>;
  signer: Signer | undefined;
  request: IncomingMessage;
  url: URL;
  query: URLSearchParams;
  bucket: string;
  name: string;
};
type Answer = { status: number; headers?: Record<string, string>; json?: unknown; bytes?: Buffer };
type Route = { method: RegExp; path: RegExp; handle: (call: Call) => Answer | Promise<Answer> };

/** Routes of the JSON API that the official client uses; the last two are the addresses of signed URLs. The first match counts. */
const routes: Route[] = [
  { method: /^POST$/, path: /^\/storage\/v1\/b$/, handle: createBucket },
  { method: /^GET$/, path: /^\/storage\/v1\/b\/([^/]+)$/, handle: getBucket },
  { method: /^GET$/, path: /^\/storage\/v1\/b\/([^/]+)\/o$/, handle: listObjects },
  { method: /^GET$/, path: /^\/(?:download\/)?storage\/v1\/b\/([^/]+)\/o\/(.+)$/, handle: getObject },
  { method: /^DELETE$/, path: /^\/storage\/v1\/b\/([^/]+)\/o\/(.+)$/, handle: deleteObject },
  { method: /^POST$/, path: /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/, handle: upload },
  { method: /^PUT$/, path: /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/, handle: resumeUpload },
  { method: /^(GET|HEAD)$/, path: /^\/([^/]+)\/(.+)$/, handle: getSigned },
  { method: /^PUT$/, path: /^\/([^/]+)\/(.+)$/, handle: putSigned },
];

/** An object store for the local run: the part of Cloud Storage's JSON API that is used, and what signed URLs permit. */
export function startStorage(config: StorageConfig): Promise<Service> {
  const store = openObjectStore(config.folder, Date.now);
  for (const bucket of config.buckets) store.addBucket(bucket);
  const sessions = new Map<string, Session>();
  return serveHttp(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://storage');
    const call = {
      store,
      sessions,
      signer: config.signer,
      request,
      url,
      query: url.searchParams,
      bucket: '',
      name: '',
    };
    const answer = await route(call).catch((error: Error) => refusal(400, 'invalid', error.message));
    const {
      status,
      headers,
      json,
      bytes = json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(json)),
    } = answer;
    const type = json === undefined ? {} : { 'Content-Type': 'application/json; charset=UTF-8' };
    response.writeHead(status, { ...type, ...(status === 204 ? {} : { 'Content-Length': bytes.length }), ...headers });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }, config.port);
}

async function route(call: Call): Promise<Answer> {
  for (const { method, path, handle } of routes) {
    const match = method.test(call.request.method ?? '') && path.exec(call.url.pathname);
    if (!match) continue;
    const [bucket, name] = [decodeURIComponent(match[1] ?? ''), decodeURIComponent(match[2] ?? '')];
    if (bucket === '' || call.store.hasBucket(bucket)) return handle({ ...call, bucket, name });
    return refusal(404, 'notFound', 'The specified bucket does not exist.');
  }
  return refusal(404, 'notFound', `${call.request.method} ${call.url.pathname} is not served locally.`);
}

async function createBucket({ store, request }: Call): Promise<Answer> {
  const { name } = JSON.parse((await readBody(request)).toString('utf8'));
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(name)) return refusal(400, 'invalid', 'Invalid bucket name.');
  if (store.hasBucket(name)) return refusal(409, 'conflict', 'The bucket exists.');
  store.addBucket(name);
  return { status: 200, json: describeBucket(name) };
}

function getBucket({ bucket }: Call): Answer {
  return { status: 200, json: describeBucket(bucket) };
}

function describeBucket(name: string): Record<string, string> {
  return { kind: 'storage#bucket', id: name, name, location: 'LOCAL', storageClass: 'STANDARD', metageneration: '1' };
}

function listObjects({ store, bucket, query }: Call): Answer {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = query.get('pageToken') ?? '';
  const most = Number(query.get('maxResults') ?? 1000);
  const prefixes = new Set<string>();
  const items: StoredObject[] = [];
  for (const object of store.list(bucket)) {
    if (!object.name.startsWith(prefix) || object.name <= after) continue;
    const end = delimiter ? object.name.indexOf(delimiter, prefix.length) : -1;
    if (end >= 0 && delimiter) prefixes.add(object.name.slice(0, end + delimiter.length));
    else items.push(object);
  }
  const page = items.slice(0, most);
  const nextPageToken = items.length > most ? page.at(-1)?.name : undefined;
  return { status: 200, json: { kind: 'storage#objects', items: page, prefixes: [...prefixes], nextPageToken } };
}

function getObject(call: Call): Answer {
  const object = call.store.find(call.bucket, call.name);
  if (!object) return noObject(call);
  const isDownload = call.query.get('alt') === 'media' || call.url.pathname.startsWith('/download/');
  return isDownload ? content(call, object) : { status: 200, json: object };
}

/** Anybody with a signed address may read until it expires. */
function getSigned(call: Call): Answer {
  const fault = faultOfSigned(call.request, call.signer, Date.now());
  if (fault) return refusal(fault.status, fault.reason, fault.message);
  const object = call.store.find(call.bucket, call.name);
  return object ? content(call, object) : noObject(call);
}

/**
 * Anybody with a signed upload address may upload with the signed headers until it expires. A signed
 * `x-goog-if-generation-match: 0` makes it valid for one upload only.
 */
async function putSigned(call: Call): Promise<Answer> {
  const { request, store, bucket, name, signer } = call;
  const bytes = await readBody(request);
  const fault = faultOfSigned(request, signer, Date.now()) ?? faultOfSize(request, bytes.length);
  if (fault) return refusal(fault.status, fault.reason, fault.message);
  const wanted = (request.headers['x-goog-if-generation-match'] as string | undefined) ?? null;
  if (!isGeneration(store.find(bucket, name), wanted)) return otherGeneration();
  const contentType = request.headers['content-type'];
  store.put(bucket, name, bytes, contentType ? { contentType } : {});
  return { status: 200 };
}

function content({ store, request }: Call, object: StoredObject): Answer {
  const bytes = store.read(object);
  const range = readRange(request.headers.range, bytes.length);
  const headers: Record<string, string> = {
    'Content-Type': object.contentType,
    ETag: object.etag,
    'X-Goog-Generation': object.generation,
    'X-Goog-Hash': `crc32c=${object.crc32c},md5=${object.md5Hash}`,
    'X-Goog-Stored-Content-Length': object.size,
  };
  if (!range) return { status: 200, headers, bytes };
  if (range.from >= bytes.length) return refusal(416, 'requestedRangeNotSatisfiable', 'Out of range.');
  headers['Content-Range'] = `bytes ${range.from}-${range.to - 1}/${bytes.length}`;
  return { status: 206, headers, bytes: bytes.subarray(range.from, range.to) };
}

function deleteObject(call: Call): Answer {
  const object = call.store.find(call.bucket, call.name);
  if (!object) return noObject(call);
  if (!isGeneration(object, call.query.get('ifGenerationMatch'))) return otherGeneration();
  call.store.remove(object);
  return { status: 204 };
}

async function upload(call: Call): Promise<Answer> {
  const body = await readBody(call.request);
  const kind = call.query.get('uploadType');
  if (kind === 'resumable') return beginUpload(call, body);
  const contentType = call.request.headers['content-type'];
  const simple = { described: contentType ? { contentType } : {}, name: undefined, bytes: body };
  const sent = kind === 'multipart' ? readMultipart(contentType ?? '', body) : simple;
  const name = call.query.get('name') ?? sent?.name;
  if (!sent || !name) return refusal(400, 'invalid', 'The upload cannot be read or names no object.');
  return finishUpload(call, {
    bucket: call.bucket,
    name,
    described: sent.described,
    received: sent.bytes,
    generationMatch: call.query.get('ifGenerationMatch'),
  });
}

function beginUpload({ sessions, request, url, query, bucket }: Call, body: Buffer): Answer {
  const mediaType = request.headers['x-upload-content-type'] as string | undefined;
  const description = readDescription(body, mediaType);
  const name = query.get('name') ?? description.name;
  if (!name) return refusal(400, 'required', 'An object name is required.');
  const id = randomUUID();
  const generationMatch = query.get('ifGenerationMatch');
  sessions.set(id, { bucket, name, described: description.described, received: Buffer.alloc(0), generationMatch });
  const location = `http://${request.headers.host}${url.pathname}?uploadType=resumable&upload_id=${id}`;
  return { status: 200, headers: { Location: location } };
}

async function resumeUpload(call: Call): Promise<Answer> {
  const id = call.query.get('upload_id') ?? '';
  const session = call.sessions.get(id);
  const piece = await readBody(call.request);
  if (!session) return refusal(404, 'notFound', 'There is no such upload.');
  if (addPiece(session, call.request.headers['content-range'], piece)) {
    call.sessions.delete(id);
    return finishUpload(call, session);
  }
  const { length } = session.received;
  return { status: 308, headers: length > 0 ? { Range: `bytes=0-${length - 1}` } : {} };
}

function finishUpload({ store }: Call, { bucket, name, described, received, generationMatch }: Session): Answer {
  if (!isGeneration(store.find(bucket, name), generationMatch)) return otherGeneration();
  return { status: 200, json: store.put(bucket, name, received, described) };
}

/** `ifGenerationMatch`: 0 means that the object must not exist. */
function isGeneration(object: StoredObject | undefined, wanted: string | null): boolean {
  return wanted === null || (object?.generation ?? '0') === wanted;
}

function otherGeneration(): Answer {
  return refusal(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
}

function noObject({ bucket, name }: Call): Answer {
  return refusal(404, 'notFound', `No such object: ${bucket}/${name}`);
}

function refusal(status: number, reason: string, message: string): Answer {
  return { status, json: { error: { code: status, message, errors: [{ domain: 'global', reason, message }] } } };
}
