import Type, { type Static } from 'typebox';
import { closed, GroupId, Line, Nullable, PlaceId, placeKind, Reporting } from '../common.ts';

/** What a device is connected through. Its site and group are separate members. */
export const Parent = Type.Object(
  {
    kind: Type.String({ pattern: placeKind, examples: ['switch'] }),
    id: PlaceId,
  },
  closed,
);
export type Parent = Static<typeof Parent>;

export const tagKey = '^[a-z][a-z0-9_-]{0,62}$';
export const maxTags = 20;

export const Parents = Type.Array(Parent, {
  maxItems: 6,
  uniqueItems: true,
  description:
    'What it is connected through, from narrow to wide: recorder, switch, uplink, power, provider and so on.',
  examples: [[{ kind: 'switch', id: 'sw-1' }]],
});
export const Tags = Type.Record(Type.String({ pattern: tagKey }), Line(128), {
  ...closed,
  maxProperties: maxTags,
  examples: [{ floor: '2' }],
});
export const Coverage = Type.Array(Line(64), {
  maxItems: 5,
  uniqueItems: true,
  description: 'Zones that it observes.',
  examples: [['entrance']],
});

/** What people can set on a device. `null` clears a member. An absent member stays. */
export const registryMembers = {
  name: Type.Optional(Nullable(Line(128))),
  groupId: Type.Optional(GroupId),
  site: Type.Optional(Nullable(PlaceId)),
  parents: Type.Optional(Nullable(Parents)),
  tags: Type.Optional(
    Nullable(
      Type.Record(Type.String({ pattern: tagKey }), Nullable(Line(128)), {
        ...closed,
        maxProperties: 2 * maxTags,
        description: 'Absent tags do not change; a null tag is removed.',
        examples: [{ floor: '2' }],
      }),
    ),
  ),
  coverage: Type.Optional(Nullable(Coverage)),
  model: Type.Optional(Nullable(Line(128))),
  firmware: Type.Optional(Nullable(Line(128))),
  reporting: Type.Optional(Nullable(Reporting)),
};

/** What a person may change. Reports no longer change a name, a group or a way of reporting that a person has set. */
export const DevicePatch = Type.Object(registryMembers, { ...closed, minProperties: 1 });
export type DevicePatch = Static<typeof DevicePatch>;

export const RemovalQuery = Type.Object(
  { erase: Type.Optional(Type.Boolean({ description: "Also erases the device's records, in a job." })) },
  closed,
);
