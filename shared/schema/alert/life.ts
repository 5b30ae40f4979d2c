import Type, { type Static } from 'typebox';
import { Channel, closed, DeliveryChannel, Line, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';
import { textPattern } from '../text.ts';
import { alertCommandKinds, deliveryStatuses } from '../vocabulary.ts';
import { Alert, AlertStatus } from './alert.ts';

/** Members of requests: the end of a snooze, as a time or in minutes from now; and `comment`, why somebody acts. */
export const snooze = {
  until: Type.Optional(Timestamp),
  minutes: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 30 * 24 * 60 })),
};
export const comment = Type.Optional(Line(1000));
/**
 * Text that a person writes, with at least one visible character. Of the invisible ones it may have line breaks and
 * tabs.
 */
const NoteText = Type.String({
  minLength: 1,
  maxLength: 4000,
  pattern: `^(?=[^]*\\S)${textPattern.slice(1)}`,
});

/** The end of a snooze: a time, or minutes from now; at most 30 days. */
export const SnoozeRequest = Type.Object({ ...snooze, comment }, closed);
export const NoteRequest = Type.Object({ text: NoteText }, closed);

/** One action on many alerts. */
export const BatchRequest = Type.Object(
  {
    action: OneOf(alertCommandKinds),
    alertIds: Type.Array(Uuid, { minItems: 1, maxItems: 100, uniqueItems: true }),
    comment,
    ...snooze,
    text: Type.Optional(NoteText),
  },
  closed,
);
export type BatchRequest = Static<typeof BatchRequest>;

/** The result of the action for one of the alerts. */
export const BatchItem = Type.Object(
  {
    alertId: Type.String(),
    status: Type.Integer({ description: 'The HTTP status of a request for this alert alone.' }),
    alert: Type.Optional(Alert),
    problem: Type.Optional(Type.Object({ code: Type.String(), detail: Type.String() })),
  },
  closed,
);
export const BatchResult = Type.Object({ results: Type.Array(BatchItem) }, closed);
export type BatchResult = Static<typeof BatchResult>;

/** One line of an alert's audit trail. */
export const HistoryEntry = Type.Object(
  {
    entryId: Type.String(),
    alertId: Uuid,
    at: Timestamp,
    who: Type.String({ description: 'A token subject, `device`, `system`, `rule:<id>` or `incident:<id>`.' }),
    action: Type.String(),
    from: Nullable(AlertStatus),
    to: AlertStatus,
    why: Nullable(Type.String()),
  },
  closed,
);
export type HistoryEntry = Static<typeof HistoryEntry>;

export const History = Type.Object(
  { entries: Type.Array(HistoryEntry), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const Note = Type.Object(
  { noteId: Type.String(), alertId: Uuid, at: Timestamp, author: Type.String(), text: Type.String() },
  closed,
);
export type Note = Static<typeof Note>;
export const NoteList = Type.Object({ notes: Type.Array(Note), nextPageToken: Type.Optional(Type.String()) }, closed);

export const MatchedRule = Type.Object({ ruleId: Type.String(), name: Type.String() }, closed);

/** Who was notified by which change, and how. */
export const NotifiedStep = Type.Object(
  {
    at: Timestamp,
    because: Type.String(),
    channel: DeliveryChannel,
    team: Nullable(Type.String()),
    target: Type.String(),
    how: OneOf(['sent', 'digest'], {
      description: '`digest`: together with others in the message of its digest window.',
    }),
    deliveryId: Nullable(Type.String()),
    deliveryStatus: Nullable(Type.String({ description: 'How the first sending ended, or how it stands.' })),
    resent: Type.Array(
      Type.Object({ round: Type.Integer({ minimum: 2 }), at: Timestamp, status: OneOf(deliveryStatuses) }, closed),
      { description: 'Later sendings that were asked for. They change nothing of the first one.' },
    ),
  },
  closed,
);

/** A channel that a change did not use, and why. */
export const NotNotifiedStep = Type.Object(
  {
    at: Timestamp,
    because: Type.String(),
    channel: Nullable(Channel),
    team: Nullable(Type.String()),
    reason: OneOf([
      'suppressed',
      'matrix',
      'rules',
      'no-contact',
      'snoozed',
      'maintenance',
      'held',
      'quiet-hours',
      'restored',
      'lone-camera',
      'incident',
      'over',
    ]),
    detail: Type.String(),
  },
  closed,
);

/** What happens next without an action by a person. */
export const NextStep = Type.Object({ at: Timestamp, what: Type.String() }, closed);

/** Who was notified of an alert and why, who was not, and what happens next. */
export const AlertLimit = Type.Object(
  {
    value: Type.Number(),
    unit: Type.String({ examples: ['%'] }),
    from: OneOf(['catalogue', 'settings'], { description: '`settings`: `limits` has one for the camera.' }),
  },
  { ...closed, description: 'The limit at which such an alert begins for its camera now.' },
);

export const Explanation = Type.Object(
  {
    alertId: Uuid,
    rules: Type.Array(MatchedRule),
    channels: Type.Array(Channel),
    channelsBy: OneOf(['matrix', 'rules', 'suppressed']),
    notified: Type.Array(NotifiedStep),
    notNotified: Type.Array(NotNotifiedStep),
    next: Type.Array(NextStep),
    limit: Type.Optional(AlertLimit),
  },
  closed,
);
export type Explanation = Static<typeof Explanation>;
