import type { Canary } from '../domain/sight/canary.ts';
import type { Instant } from '../domain/time.ts';
import type { AvailabilityReport } from '../schema/ledger/report.ts';
import type { FrameType } from '../schema/vocabulary.ts';

/** The captured frames, in our own bucket. */
export type Frames = {
  bucket: string;
  /** A signed address that lets anybody read an object for 7 days. */
  sign(object: string): Promise<string>;
  /** When an object was made. Null: there is none. */
  madeAt(object: string): Promise<Instant | null>;
  /** A signed address that lets anybody upload a new object with these headers, until a time. */
  signUpload(
    object: string,
    contentType: FrameType,
  ): Promise<{ url: string; headers: Record<string, string>; expiresAt: Instant }>;
  /** Deletes objects whose names begin with a prefix, at most `limit`. */
  erase(prefix: string, limit: number): Promise<{ erased: number; isMore: boolean }>;
};

/** Sends a canary on one path. Throws where it could not be sent. */
export type CanarySender = { send(canary: Canary, body: string): Promise<void> };

/** Signs canaries and the messages of drills, and shows that one is ours. */
export type CanarySeal = { sign(text: string): string; verify(text: string, signature: string): boolean };

/** Encrypts customers' credentials in the store. */
export type SecretBox = {
  /** `belongsTo` names the record and member. A text sealed for one cannot be opened for another. */
  seal(text: string, belongsTo: string): string;
  /** @throws Error where the key is unknown, or the text was changed or moved */
  open(sealed: string, belongsTo: string): string;
};

/** Makes the files of mailed reports. `checkpoint`: the one that they show; null: there is none. */
export type ReportPress = {
  checkpoint(): Promise<string | null>;
  /** `packed`: the compressed bytes (gzip) in base64. */
  render(report: AvailabilityReport, format: 'csv' | 'pdf'): Promise<{ packed: string; media: string }>;
};
