import Type, { type Static } from 'typebox';
import { closed, OneOf, Timestamp } from '../common.ts';
import { frameTypes } from '../vocabulary.ts';

export const UploadRequest = Type.Object({ contentType: OneOf(frameTypes) }, closed);
export type UploadRequest = Static<typeof UploadRequest>;

/** Where and how to upload one frame of a device. */
export const UploadAddress = Type.Object(
  {
    frame: Type.String({
      examples: ['cam-0012/2026-11-20/3c3dd9c4.jpg'],
      description: 'The name by which a detection refers to the frame after the upload.',
    }),
    method: Type.Literal('PUT'),
    url: Type.String({
      examples: ['https://storage.googleapis.com/frames/cam-0012/2026-11-20/3c3dd9c4.jpg?X-Goog-Signature=…'],
    }),
    headers: Type.Record(Type.String(), Type.String(), {
      examples: [{ 'content-type': 'image/jpeg', 'x-goog-content-length-range': '0,10485760' }],
      description:
        'Headers to send unchanged, because the signature covers them. At most 10 MiB are accepted, and nothing is overwritten.',
    }),
    expiresAt: Timestamp,
  },
  closed,
);
export type UploadAddress = Static<typeof UploadAddress>;
