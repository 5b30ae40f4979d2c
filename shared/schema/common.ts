import Type, { type Static, type TNumber, type TOptional, type TString, type TUnsafe } from 'typebox';
import { deliveryChannels } from './channels.ts';
import { linePattern, textPattern } from './text.ts';
import { channels, type MeasureName, measureNames, measures } from './vocabulary.ts';

/** A closed set of strings. `Type.Enum` would lose the plain form of the `enum` keyword in the published schemas. */
export function OneOf<const T extends string>(values: readonly T[], options: object = {}): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

/** ISO 8601 with a zone. A leap second (`:60`) is refused, because no clock of the platform can represent it. */
export const Timestamp: TString = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$',
  examples: ['2026-11-20T10:00:00.000Z'],
});

export const DeviceId: TString = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$', examples: ['cam-0012'] });
export const GroupId: TString = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$', examples: ['north'] });
/** The kind of a place: `site`, or what devices name in `parents`. */
export const placeKind = '^[a-z][a-z0-9-]{0,31}$';
export const placeId = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';
export const PlaceId: TString = Type.String({ pattern: placeId, examples: ['gbg-central'] });
export const Uuid: TString = Type.String({ format: 'uuid' });

/** One line of text that can be part of a header, a log line or a message. `text.ts` has further rules for texts. */
export const Line = (maxLength: number): TString => Type.String({ minLength: 1, maxLength, pattern: linePattern });

/** Like `Line`, but it may be empty. */
export const LineOrNone = (maxLength: number): TString => Type.String({ maxLength, pattern: linePattern });

/** Text that may have line breaks and tabs. */
export const Text = (maxLength?: number): TString =>
  Type.String({ ...(maxLength === undefined ? {} : { maxLength }), pattern: textPattern });

/** Objects of the API refuse unknown members. Objects from devices may have more. */
export const closed = { additionalProperties: false } as const;

/** One or several values of a filter. */
export const many = <T extends Type.TSchema>(item: T) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: 30, uniqueItems: true }));

export const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A time in which the place of an outage was dark. litAt null: it still is. */
export const OutageSpell = Type.Object({ darkAt: Timestamp, litAt: Nullable(Timestamp) }, closed);

/** The value of each measure. */
export const readings = Object.fromEntries(
  measureNames.map((name) => [measures[name].reading, Type.Optional(Type.Number())]),
) as { [Name in MeasureName as (typeof measures)[Name]['reading']]: TOptional<TNumber> };

/** How a device reports, and how long it may be silent or disconnected. */
export const Reporting = Type.Object(
  {
    periodSeconds: Type.Integer({
      minimum: 0,
      maximum: 7 * 24 * 3600,
      description: '0: it reports only changes, so its silence is ignored.',
    }),
    silentAfterSeconds: Type.Optional(
      Type.Integer({ minimum: 300, maximum: 30 * 24 * 3600, description: 'Default: 300 plus two periods.' }),
    ),
    lossPatienceSeconds: Type.Optional(
      Type.Integer({ minimum: 300, maximum: 24 * 3600, description: 'Default: 300.' }),
    ),
  },
  closed,
);
export type Reporting = Static<typeof Reporting>;

export const Channel = OneOf(channels);
export const DeliveryChannel = OneOf(deliveryChannels);

export const paging = {
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  pageToken: Type.Optional(Type.String({ maxLength: 2048 })),
};
/** The query of a list without filters. */
export const PageQuery = Type.Object(paging, closed);

/** The body of an action without members. */
export const NoMembers = Type.Object({}, closed);

/** Name and site of a record's camera, if the reader may see that camera. */
export const named = {
  deviceName: Nullable(
    Type.String({ description: 'Name of the camera now. Null: none, or it is not in your groups.' }),
  ),
  site: Nullable(Type.String({ description: 'Where the camera is now. Null like the name.' })),
};

/** Member of the answer to an action that can be undone. */
export const undoable = {
  undoUntil: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Until when the person who did it can undo it. Present only in the answer to the action.',
    }),
  ),
};
