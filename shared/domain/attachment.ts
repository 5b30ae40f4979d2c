import type { Instant } from './time.ts';

/** A part of a file that a message carries: its compressed bytes in base64, as many as fit into one record. */
export type AttachmentRecord = { attachmentId: string; data: string; expireAt: Instant };

/** A file that a message carries. The parts are ids of records, which all messages with the file share. */
export type Attached = { name: string; media: string; parts: string[] };

/** A record holds at most 1 MiB. A multiple of four, so that each part is base64 by itself. */
const mostCharacters = 700_000;

/** The records that hold a file. @param fileId the same for the same file */
export function attachmentParts(fileId: string, base64: string, expireAt: Instant): AttachmentRecord[] {
  const count = Math.max(1, Math.ceil(base64.length / mostCharacters));
  return Array.from({ length: count }, (_, index) => ({
    attachmentId: `${fileId}-${index}`,
    data: base64.slice(index * mostCharacters, (index + 1) * mostCharacters),
    expireAt,
  }));
}
