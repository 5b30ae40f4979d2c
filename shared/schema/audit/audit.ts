import Type, { type Static } from 'typebox';
import { closed, Line, Nullable, OneOf, paging, Timestamp } from '../common.ts';

const Outcome = OneOf(['done', 'refused']);

/** One change by a person or a service, one refusal of an authenticated bearer, or the refusals of one minute counted together. */
export const AuditEntry = Type.Object(
  {
    entryId: Type.String(),
    at: Timestamp,
    subject: Nullable(Type.String({ description: '`user:<sub>`; null if the bearer is unknown.' })),
    issuer: Nullable(Type.String()),
    address: Nullable(Type.String({ description: 'Where the request came from.' })),
    requestId: Nullable(Type.String()),
    action: Type.String({
      description:
        'The operation id; `request` for refusals that are counted together; `endpoint.failing`, `endpoint.disabled` and `endpoint.recovered` where the service says how an endpoint does.',
    }),
    resource: Nullable(Type.Object({ kind: Type.String(), id: Nullable(Type.String()) }, closed)),
    outcome: Outcome,
    reason: Type.Optional(Type.String({ description: 'The code of the refusal.' })),
    count: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Number of requests or records that this entry covers.' }),
    ),
    before: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Changed members before the change, without secrets.' },
      ),
    ),
    after: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'The same members after the change.' }),
    ),
  },
  closed,
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditList = Type.Object(
  { entries: Type.Array(AuditEntry), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const AuditQuery = Type.Object(
  {
    subject: Type.Optional(Line(512)),
    action: Type.Optional(Line(128)),
    outcome: Type.Optional(Outcome),
    since: Type.Optional(Timestamp),
    until: Type.Optional(Timestamp),
    ...paging,
  },
  closed,
);
export type AuditQuery = Static<typeof AuditQuery>;
