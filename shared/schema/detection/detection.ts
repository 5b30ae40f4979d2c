import Type, { type Static } from 'typebox';
import { DeviceId, GroupId, Line, LineOrNone, Text, Timestamp } from '../common.ts';

export const Named = Type.Object({
  id: Line(256),
  name: LineOrNone(256),
});
export const BoundingBox = Type.Object({
  x: Type.Number(),
  y: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
});
export const DetectedObject = Type.Object({
  name: LineOrNone(256),
  detected: Type.Boolean(),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  boundingBox: BoundingBox,
});
const question = { id: Type.Integer(), name: Text(), text: Text() };
export const BoolQuestion = Type.Object({ ...question, type: Type.Literal('bool'), answer: Type.Boolean() });
export const TextQuestion = Type.Object({ ...question, type: Type.Literal('string'), answer: Text() });
export const Question = Type.Unsafe<
  { id: number; name: string; text: string } & ({ type: 'bool'; answer: boolean } | { type: 'string'; answer: string })
>({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [BoolQuestion, TextQuestion],
});

const members = {
  timestamp: Timestamp,
  profile: Named,
  skill: Named,
  session: Type.Object({
    id: Line(256),
    url: Type.String({ pattern: '^https://[^\\s]+$', maxLength: 2048 }),
  }),
  analysis: Type.Object({
    objects: Type.Array(DetectedObject, { maxItems: 1000 }),
    questions: Type.Array(Question, { maxItems: 1000 }),
    summary: Text(),
  }),
};
const ImageUrl = Type.String({
  maxLength: 2048,
  pattern: '^(https?://[^\\s]+|gs://.+)$',
  description: 'Address of the captured frame.',
});
const Version = Type.String({ pattern: '^[0-9]+\\.[0-9]+$', examples: ['1.0'] });

/** The payload that customers receive. */
export const Detection = Type.Object({
  eventType: Type.Literal('detection'),
  version: Version,
  ...members,
  device: Type.Object({ id: DeviceId, name: Type.String(), groupId: GroupId }),
  imageUrl: ImageUrl,
});
export type Detection = Static<typeof Detection>;

/** A detection as a device sends it. The device record provides absent members. `frame` names an object in the frames bucket. */
export const DetectionReport = Type.Object(
  {
    eventType: Type.Optional(Type.Literal('detection')),
    version: Type.Optional(Version),
    ...members,
    device: Type.Optional(
      Type.Object({
        id: Type.Optional(DeviceId),
        name: Type.Optional(LineOrNone(256)),
        groupId: Type.Optional(GroupId),
      }),
    ),
    imageUrl: Type.Optional(ImageUrl),
    frame: Type.Optional(Line(1024)),
  },
  { anyOf: [{ required: ['imageUrl'] }, { required: ['frame'] }] },
);
export type DetectionReport = Static<typeof DetectionReport>;
