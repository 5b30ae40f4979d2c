import Type, { type Static } from 'typebox';
import { closed, DeviceId, Nullable, OneOf } from '../common.ts';
import { type ImportOutcome, importOutcomes } from '../vocabulary.ts';
import { registryMembers } from './registry.ts';

/** One device of an import. */
export const ImportedDevice = Type.Object({ deviceId: DeviceId, ...registryMembers }, closed);
export type ImportedDevice = Static<typeof ImportedDevice>;

export const maxImported = 500;

/** Devices of an import. Each is checked separately, so that an invalid one does not affect the others. */
export const DeviceImport = Type.Object(
  {
    devices: Type.Array(Type.Unknown({ description: 'An `ImportedDevice` (docs/schemas).' }), {
      minItems: 1,
      maxItems: maxImported,
    }),
    lines: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: maxImported,
        description: 'The line number of each device for the results. Default: 1, 2, 3 and so on.',
      }),
    ),
  },
  closed,
);
export type DeviceImport = Static<typeof DeviceImport>;

/**
 * Column names of the same import as a table. `tag.*` stands for `tag.` and any key. Several values in a cell are
 * separated by `;`. An empty cell changes nothing, and `null` clears.
 */
export const deviceColumns = [
  'deviceId',
  'name',
  'groupId',
  'site',
  'parents',
  'coverage',
  'model',
  'firmware',
  'reporting.periodSeconds',
  'reporting.silentAfterSeconds',
  'reporting.lossPatienceSeconds',
  'tag.*',
] as const;

export const DeviceImportQuery = Type.Object(
  { dryRun: Type.Optional(Type.Boolean({ description: 'Returns the same answer without changing anything.' })) },
  closed,
);

const counts = Object.fromEntries(importOutcomes.map((outcome) => [outcome, Type.Integer({ minimum: 0 })])) as Record<
  ImportOutcome,
  Type.TInteger
>;

export const ImportResult = Type.Object(
  {
    line: Type.Integer({ minimum: 1 }),
    deviceId: Nullable(Type.String()),
    outcome: OneOf(importOutcomes),
    changes: Type.Optional(
      Type.Array(Type.Object({ member: Type.String(), from: Type.Unknown(), to: Type.Unknown() }, closed)),
    ),
    errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }, closed))),
  },
  closed,
);
export type ImportResult = Static<typeof ImportResult>;

export const ImportAnswer = Type.Object(
  {
    results: Type.Array(ImportResult),
    counts: Type.Object(counts, closed),
  },
  closed,
);
export type ImportAnswer = Static<typeof ImportAnswer>;
