import Type, { type Static } from 'typebox';
import { closed, OneOf, Timestamp } from '../common.ts';
import { frameTypes } from '../vocabulary.ts';

export const UploadRequest = Type.Object({ contentType: OneOf(frameTypes) }, closed);
export type UploadRequest = Static<typeof UploadRequest>;

/** Where one frame of a device may be brought to, and how. */
export const UploadAddress = Type.Object(
  {
    frame: Type.String({ description: 'What a detection calls the frame by, once it is there.' }),
    method: Type.Literal('PUT'),
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'To be sent as they are: they are signed. At most 10 MiB are taken, and nothing is written over.',
    }),
    expiresAt: Timestamp,
  },
  closed,
);
export type UploadAddress = Static<typeof UploadAddress>;
