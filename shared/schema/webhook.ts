import Type, { type Static } from 'typebox';
import { closed, DeviceId, GroupId, Line, OneOf } from './common.ts';
import { WebhookEvent } from './detection.ts';

export const WebhookFilter = Type.Object(
  {
    objects: Type.Optional(Type.Array(Line(256), { maxItems: 100 })),
    minConfidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    groups: Type.Optional(Type.Array(GroupId, { maxItems: 100 })),
    devices: Type.Optional(Type.Array(DeviceId, { maxItems: 1000 })),
    schedule: Type.Optional(Line(64)),
  },
  closed,
);
export type WebhookFilter = Static<typeof WebhookFilter>;

/** The options of the contract with their defaults. The address itself is judged by the outbound guard, which knows more than a pattern can say. */
export const WebhookConfiguration = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }),
    method: Type.Optional(OneOf(['POST', 'PUT', 'PATCH'], { default: 'POST' })),
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$" }),
        Type.String({ maxLength: 4096, pattern: '^[\\t\\u0020-\\u007e]*$' }),
        { maxProperties: 20, additionalProperties: false },
      ),
    ),
    secret: Type.Optional(Type.String({ minLength: 16, maxLength: 256 })),
    events: Type.Optional(Type.Array(WebhookEvent, { minItems: 1, uniqueItems: true, default: ['detection'] })),
    filter: Type.Optional(WebhookFilter),
    maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 5, default: 3 })),
    timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 10 })),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    description: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  closed,
);
export type WebhookConfiguration = Static<typeof WebhookConfiguration>;
