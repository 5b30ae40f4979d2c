import type { Described } from './object-store.ts';

/** The content of a multipart upload: the description of the object, its name if present, and the bytes. */
export type Upload = { described: Described; name: string | undefined; bytes: Buffer };

/** A resumable upload that is under way. */
export type Session = {
  bucket: string;
  name: string;
  described: Described;
  received: Buffer;
  generationMatch: string | null;
};

const blank = Buffer.from('\r\n\r\n');

/** Reads a `multipart/related` body: one part of JSON, one of bytes. Null where it is not one. */
export function readMultipart(contentType: string, body: Buffer): Upload | null {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/.exec(contentType);
  const marker = Buffer.from(`--${boundary?.[1] ?? boundary?.[2]}`);
  const first = body.indexOf(marker);
  const second = body.indexOf(marker, first + marker.length);
  const last = body.lastIndexOf(marker);
  if (!boundary || first < 0 || second < 0 || last <= second) return null;
  const description = readPart(body.subarray(first + marker.length, second));
  const media = readPart(body.subarray(second + marker.length, last));
  if (!description || !media) return null;
  const mediaType = /^content-type:\s*(.+)$/im.exec(media.head)?.[1]?.trim();
  const { name, described } = readDescription(description.bytes, mediaType);
  return { described, name, bytes: media.bytes };
}

/** Reads the JSON that describes an object; `mediaType` is its content type where the JSON names none. */
export function readDescription(
  json: Buffer,
  mediaType: string | undefined,
): { name: string | undefined; described: Described } {
  const { name, ...rest } = json.length > 0 ? JSON.parse(json.toString('utf8')) : {};
  const described: Described = mediaType ? { contentType: mediaType } : {};
  for (const member of ['contentType', 'metadata', 'cacheControl', 'contentEncoding', 'contentDisposition'] as const) {
    if (rest[member] !== undefined) described[member] = rest[member];
  }
  return { name, described };
}

/**
 * Adds a part to a resumable upload by its `Content-Range`. Returns whether the upload is complete: without such a header it is. A part
 * replaces the received bytes from its start on. A part that would leave a gap is ignored.
 */
export function addPiece(session: Session, range: string | undefined, piece: Buffer): boolean {
  const parts = /^bytes (\*|(\d+)-(\d+|\*))\/(\d+|\*)$/.exec(range ?? '');
  const from = parts?.[2] === undefined ? session.received.length : Number(parts[2]);
  if (piece.length > 0 && from <= session.received.length) {
    session.received = Buffer.concat([session.received.subarray(0, from), piece]);
  }
  if (!parts) return true;
  if (parts[4] === '*') return parts[3] === '*';
  return session.received.length >= Number(parts[4]);
}

/** Where a `Range` header (`bytes=a-b`) begins and ends (exclusive), or null where there is none. */
export function readRange(header: string | undefined, size: number): { from: number; to: number } | null {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!parts || (parts[1] === '' && parts[2] === '')) return null;
  if (parts[1] === '') return { from: Math.max(0, size - Number(parts[2])), to: size };
  return { from: Number(parts[1]), to: parts[2] === '' ? size : Math.min(size, Number(parts[2]) + 1) };
}

function readPart(part: Buffer): { head: string; bytes: Buffer } | null {
  const split = part.indexOf(blank);
  if (split < 0) return null;
  return { head: part.subarray(0, split).toString('utf8'), bytes: part.subarray(split + 4, part.length - 2) };
}
