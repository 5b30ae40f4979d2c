import Type, { type Static } from 'typebox';
import { AlertAction, AlertStatus, Priority, Severity } from '../alert/alert.ts';
import { Explanation, HistoryEntry, Note } from '../alert/life.ts';
import { closed, Nullable, OneOf, OutageSpell, paging, Timestamp, Uuid, undoable } from '../common.ts';
import { alertStatuses, incidentKinds } from '../vocabulary.ts';

const Count = Type.Integer({ minimum: 0 });

/** One cause that concerns many devices, with one lifecycle and one notification. */
export const Incident = Type.Object(
  {
    incidentId: Uuid,
    kind: OneOf(incidentKinds),
    severity: Severity,
    status: AlertStatus,
    groups: Type.Array(Type.String(), { maxItems: 30, description: '`*`: it concerns everybody.' }),
    scope: Type.Object({ kind: Type.String(), id: Type.String(), name: Nullable(Type.String()) }, closed),
    title: Type.String(),
    message: Type.String(),
    startedAt: Timestamp,
    endedAt: Nullable(Timestamp),
    members: Nullable(
      Type.Object(
        { now: Count, peak: Count, back: Count },
        { ...closed, description: 'null for a token that is limited to groups, if the incident concerns everybody.' },
      ),
    ),
    evidence: Type.Array(Type.String()),
    availableActions: Type.Array(AlertAction),
    acknowledgedAt: Nullable(Timestamp),
    acknowledgedBy: Nullable(Type.String()),
    escalatedAt: Nullable(Timestamp),
    snoozedUntil: Nullable(Timestamp),
    respondBy: Nullable(Timestamp),
    resolvedAt: Nullable(Timestamp),
    team: Nullable(Type.String()),
    priority: Nullable(Priority),
    maintenance: Nullable(Type.String()),
    joinedTo: Nullable(Type.String({ format: 'uuid', description: 'The wider incident that it has joined.' })),
    continuesId: Nullable(Type.String({ format: 'uuid', description: 'The outage whose rest it is.' })),
    spells: Type.Array(OutageSpell, {
      description: 'When its place was dark, oldest first; empty for a token that is limited to some of its groups.',
    }),
    isFlapping: Type.Boolean({ description: 'Its place comes and goes.' }),
    groupEnds: Type.Record(Type.String(), Timestamp, {
      description: 'When the parts of groups ended while others last.',
      examples: [{ north: '2026-11-24T10:58:00.000Z' }],
    }),
    version: Type.Integer({
      minimum: 1,
      description: 'Each change has a higher one: an event with a lower one is older.',
    }),
    ...undoable,
  },
  closed,
);
export type Incident = Static<typeof Incident>;

export const IncidentList = Type.Object(
  { incidents: Type.Array(Incident), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const IncidentsQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Array(
        OneOf([...alertStatuses, 'open', 'all'], { description: '`open` means active, acknowledged and escalated.' }),
        { minItems: 1, maxItems: 6, uniqueItems: true },
      ),
    ),
    ...paging,
  },
  closed,
);
export type IncidentsQuery = Static<typeof IncidentsQuery>;

const { alertId: _ofEntry, ...entry } = HistoryEntry.properties;
export const IncidentHistory = Type.Object(
  {
    entries: Type.Array(Type.Object({ ...entry, incidentId: Uuid }, closed)),
    nextPageToken: Type.Optional(Type.String()),
  },
  closed,
);
export type IncidentHistory = Static<typeof IncidentHistory>;

const { alertId: _ofExplanation, ...explanation } = Explanation.properties;
export const IncidentExplanation = Type.Object({ ...explanation, incidentId: Uuid }, closed);
export type IncidentExplanation = Static<typeof IncidentExplanation>;

const { alertId: _ofNote, ...note } = Note.properties;
export const IncidentNotes = Type.Object(
  {
    notes: Type.Array(Type.Object({ ...note, incidentId: Uuid }, closed)),
    nextPageToken: Type.Optional(Type.String()),
  },
  closed,
);
export type IncidentNotes = Static<typeof IncidentNotes>;
