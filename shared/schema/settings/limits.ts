import Type, { type Static, type TObject, type TOptional } from 'typebox';
import { closed, GroupId, Line } from '../common.ts';
import { type MeasureName, measureNames, measures } from '../vocabulary.ts';

function levelsOf(name: MeasureName) {
  const { range, unit } = measures[name];
  const most = 'maximum' in range ? { maximum: range.maximum - 1 } : { maximum: 1_000_000_000 };
  const level = (description: string) => Type.Optional(Type.Number({ minimum: 1, ...most, description }));
  const high = level(`${unit}: an alert begins beyond this.`);
  return Type.Object(name === 'memory' ? { high, critical: level(`${unit}: the alert becomes critical.`) } : { high }, {
    ...closed,
    minProperties: 1,
  });
}
type Levels = TObject<{ high: TOptional<Type.TNumber>; critical: TOptional<Type.TNumber> }>;

/** Limits of some devices in place of those of the alert catalogue. */
export const DeviceLimits = Type.Object(
  {
    groups: Type.Optional(Type.Array(GroupId, { maxItems: 100, description: 'None: every group.' })),
    models: Type.Optional(
      Type.Array(Type.String({ ...Line(256), examples: ['P3245-V'] }), {
        maxItems: 100,
        description: 'None: every model.',
      }),
    ),
    ...(Object.fromEntries(measureNames.map((name) => [name, Type.Optional(levelsOf(name))])) as Record<
      MeasureName,
      TOptional<Levels>
    >),
    certificateDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 365, description: 'A certificate that ends in less than this is an alert.' }),
    ),
  },
  closed,
);
export type DeviceLimits = Static<typeof DeviceLimits>;
