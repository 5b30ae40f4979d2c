import Type, { type Static } from 'typebox';
import { DeviceId, GroupId, Timestamp } from '../common.ts';

export const Named = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 256 }),
  name: Type.String({ maxLength: 256 }),
});
export const BoundingBox = Type.Object({
  x: Type.Number(),
  y: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
});
export const DetectedObject = Type.Object({
  name: Type.String({ maxLength: 256 }),
  detected: Type.Boolean(),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  boundingBox: BoundingBox,
});
const question = { id: Type.Integer(), name: Type.String(), text: Type.String() };
export const BoolQuestion = Type.Object({ ...question, type: Type.Literal('bool'), answer: Type.Boolean() });
export const TextQuestion = Type.Object({ ...question, type: Type.Literal('string'), answer: Type.String() });
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
    id: Type.String({ minLength: 1, maxLength: 256 }),
    url: Type.String({ pattern: '^https://[^\\s]+$', maxLength: 2048 }),
  }),
  analysis: Type.Object({
    objects: Type.Array(DetectedObject, { maxItems: 1000 }),
    questions: Type.Array(Question, { maxItems: 1000 }),
    summary: Type.String(),
  }),
};
const ImageUrl = Type.String({ minLength: 1, maxLength: 2048, description: 'Address of the captured frame.' });
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

/** What a device sends: the same, where the device record fills in what is absent. `frame` names an object in the frames bucket. */
export const DetectionReport = Type.Object(
  {
    eventType: Type.Optional(Type.Literal('detection')),
    version: Type.Optional(Version),
    ...members,
    device: Type.Optional(
      Type.Object({ id: Type.Optional(DeviceId), name: Type.Optional(Type.String()), groupId: Type.Optional(GroupId) }),
    ),
    imageUrl: Type.Optional(ImageUrl),
    frame: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  },
  { anyOf: [{ required: ['imageUrl'] }, { required: ['frame'] }] },
);
export type DetectionReport = Static<typeof DetectionReport>;
