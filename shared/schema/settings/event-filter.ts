import Type, { type Static } from 'typebox';
import { Category, Severity } from '../alert/alert.ts';
import { closed, DeviceId, GroupId, Line, OneOf, PlaceId } from '../common.ts';
import { guardianAlertCodes, incidentEventChanges, incidentKinds } from '../vocabulary.ts';
import { CodePattern, TagFilter } from './rule.ts';

const Code = Type.Union([CodePattern, OneOf(guardianAlertCodes)], {
  description: 'A code of an alert or of a guardian alert; the beginning of alert codes with `*`, as in rules.',
  examples: ['CONN_001', 'CONN_*', 'CONFIG_CONFLICT'],
});

/** What endpoints and hand-offs choose alerts, incidents and guardian alerts by. */
export const matterFilter = {
  groups: Type.Optional(Type.Array(GroupId, { maxItems: 100 })),
  devices: Type.Optional(Type.Array(DeviceId, { maxItems: 1000 })),
  sites: Type.Optional(
    Type.Array(PlaceId, { maxItems: 100, description: 'Site of the camera; of an incident, if it is of one site.' }),
  ),
  tags: Type.Optional(TagFilter),
  severities: Type.Optional(Type.Array(Severity, { maxItems: 4 })),
  codes: Type.Optional(Type.Array(Code, { maxItems: 50 })),
  categories: Type.Optional(Type.Array(Category, { maxItems: 4 })),
  kinds: Type.Optional(Type.Array(OneOf(incidentKinds), { maxItems: 20, description: 'Kinds of incidents.' })),
  schedule: Type.Optional(Type.String({ ...Line(64), examples: ['outside_business_hours'] })),
};

/** Which alerts and incidents a hand-off gets. Its severities are a member of its own. */
const { severities: _, ...withoutSeverities } = matterFilter;
export const HandoffFilter = Type.Object(withoutSeverities, {
  ...closed,
  description: 'All given members must match; a member counts only for what has it. Absent: everything.',
});
export type HandoffFilter = Static<typeof HandoffFilter>;

export const changesFilter = {
  changes: Type.Optional(
    Type.Array(OneOf(incidentEventChanges), {
      maxItems: incidentEventChanges.length,
      description: 'Of alerts and incidents.',
    }),
  ),
};
