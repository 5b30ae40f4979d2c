import Type, { type Static } from 'typebox';
import {
  closed,
  GroupId,
  Line,
  many,
  Nullable,
  OneOf,
  PlaceId,
  paging,
  placeKind,
  Timestamp,
  Uuid,
} from '../common.ts';

const PlaceKind = Type.String({ pattern: placeKind, examples: ['site'] });

const content = {
  name: Line(128),
  groups: Type.Array(GroupId, { minItems: 1, maxItems: 30, uniqueItems: true }),
  shared: Type.Boolean({ description: 'All of these groups share one place, instead of having one each.' }),
};

/** What a person sets for a place. */
export const PlaceContent = Type.Object(content, closed);
export type PlaceContent = Static<typeof PlaceContent>;

export const Place = Type.Object({ kind: PlaceKind, id: PlaceId, ...content, changedAt: Timestamp }, closed);
export type Place = Static<typeof Place>;

const Count = Type.Integer({ minimum: 0 });

/** Devices of a site by what is known of them. */
export const SiteDevices = Type.Object(
  { total: Count, online: Nullable(Count), offline: Count, unknown: Nullable(Count), neverSeen: Count },
  { ...closed, description: 'null while the platform is blind and cannot see which are online.' },
);

/** The site of devices in one group, or the group itself for devices without a site. */
export const Site = Type.Object(
  {
    kind: OneOf(['site', 'group']),
    id: Type.String({ examples: ['gbg-central'] }),
    groupId: GroupId,
    name: Nullable(Type.String()),
    shared: Type.Boolean(),
    devices: SiteDevices,
    incidentId: Nullable(Uuid),
  },
  closed,
);
export type Site = Static<typeof Site>;

export const SiteList = Type.Object({ sites: Type.Array(Site), nextPageToken: Type.Optional(Type.String()) }, closed);

export const SitesQuery = Type.Object({ groupId: many(GroupId), ...paging }, closed);
export type SitesQuery = Static<typeof SitesQuery>;
