// Replaces `typebox` in the bundles: validators are generated, so running code needs only the names of members.

type Shape = { properties?: Record<string, unknown> };

const shapeless = (): Shape => ({});

// biome-ignore lint/style/noDefaultExport: it has the form of the package that it stands in for
export default {
  Object: (properties: Record<string, unknown>): Shape => ({ properties }),
  Optional: (schema: Shape): Shape => schema,
  Array: shapeless,
  Boolean: shapeless,
  Enum: shapeless,
  Integer: shapeless,
  Literal: shapeless,
  Null: shapeless,
  Number: shapeless,
  Partial: (schema: Shape): Shape => schema,
  Record: shapeless,
  String: shapeless,
  Union: shapeless,
  Unknown: shapeless,
  Unsafe: shapeless,
};
