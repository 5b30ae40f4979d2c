import Type, { type Static } from 'typebox';
import { AlertCode, Priority, Severity } from '../alert/alert.ts';
import { peopleChannels } from '../channels.ts';
import { Channel, closed, DeviceId, GroupId, Line, Nullable, OneOf, PlaceId, Timestamp, Uuid } from '../common.ts';
import { alertCodes } from '../vocabulary.ts';

/** The form of a team's name, which appears in paths and in rules. */
export const teamNamePattern = '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$';
export const TeamName = Type.String({ pattern: teamNamePattern, examples: ['operations'] });

/** The prefixes of alert codes, one for each category. */
const families = [...new Set(alertCodes.map((code) => code.split('_')[0]))].join('|');
/** An alert code, the beginning of codes with `*`, such as `CONN_*`, or `*` for every code. */
export const CodePattern = Type.String({
  pattern: `^(${alertCodes.join('|')})$|^(${families})(_0{0,2})?\\*$|^\\*$`,
  examples: ['CONN_001', 'CONN_*'],
});

/** Accepted values by tag. All tags must match, each with one of its values. */
export const TagFilter = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }),
  Type.Array(Line(128), { minItems: 1, maxItems: 50 }),
  {
    ...closed,
    minProperties: 1,
    maxProperties: 20,
    description: 'Accepted values by tag.',
    examples: [{ floor: ['2'] }],
  },
);
export type TagFilter = Static<typeof TagFilter>;

export const RuleCondition = Type.Object(
  {
    code: CodePattern,
    group: Type.Optional(
      Type.Array(GroupId, { maxItems: 100, uniqueItems: true, description: 'None or an empty list: every group.' }),
    ),
    device: Type.Optional(Type.Array(DeviceId, { maxItems: 100, uniqueItems: true })),
    site: Type.Optional(Type.Array(PlaceId, { maxItems: 100, uniqueItems: true })),
    severity: Type.Optional(Type.Array(Severity, { maxItems: 4, uniqueItems: true })),
    tags: Type.Optional(TagFilter),
    schedule: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'A schedule of the settings, or a built-in one. It must be active when the alert opens.',
        examples: ['outside_business_hours'],
      }),
    ),
  },
  closed,
);
export const RuleAction = Type.Object(
  {
    team: Type.Optional(Type.String({ ...TeamName, description: 'Is notified instead of `operations`.' })),
    escalate_to: Type.Optional(TeamName),
    notify: Type.Optional(
      Type.Array(Channel, { minItems: 1, uniqueItems: true, description: 'Added to the channels of the settings.' }),
    ),
    mute: Type.Optional(
      Type.Array(OneOf(peopleChannels), {
        minItems: 1,
        uniqueItems: true,
        description: 'Removed from these channels.',
      }),
    ),
    priority: Type.Optional(Priority),
    suppress: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1 },
);
export const AlertRule = Type.Object(
  {
    name: Line(128),
    condition: RuleCondition,
    action: RuleAction,
    enabled: Type.Optional(Type.Boolean({ default: true })),
  },
  closed,
);
export type AlertRule = Static<typeof AlertRule>;

/** A rule as the API shows it. */
export const Rule = Type.Object(
  { ruleId: Uuid, ...AlertRule.properties, enabled: Type.Boolean(), createdAt: Timestamp, changedAt: Timestamp },
  closed,
);
export type Rule = Static<typeof Rule>;

export const RuleList = Type.Object({ rules: Type.Array(Rule), nextPageToken: Type.Optional(Type.String()) }, closed);

/** A message that would be sent to a contact of a team. */
export const PreviewedMessage = Type.Object({ channel: Channel, team: Type.String(), target: Type.String() }, closed);
/** What would happen to one alert under a set of rules. */
export const Fate = Type.Object(
  {
    isSuppressed: Type.Boolean(),
    escalatesTo: Nullable(Type.String()),
    priority: Nullable(Priority),
    notified: Type.Array(PreviewedMessage),
  },
  closed,
);
export const PreviewedAlert = Type.Object(
  {
    alertId: Uuid,
    deviceId: Type.String(),
    deviceName: Nullable(Type.String({ description: 'Name of the camera, as on the alert.' })),
    groupId: GroupId,
    code: AlertCode,
    severity: Severity,
    timestamp: Timestamp,
    today: Fate,
    withRule: Fate,
  },
  closed,
);

export const RulePreviewRequest = Type.Object(
  {
    rule: AlertRule,
    ruleId: Type.Optional(Uuid),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 7 })),
  },
  closed,
);
export type RulePreviewRequest = Static<typeof RulePreviewRequest>;

/** What a rule would have matched and who would have been notified, compared with the present rules. */
export const RulePreview = Type.Object(
  {
    since: Timestamp,
    examined: Type.Integer({ minimum: 0 }),
    isComplete: Type.Boolean({ description: 'False where there were more alerts than a preview examines.' }),
    matched: Type.Integer({ minimum: 0 }),
    changed: Type.Integer({ minimum: 0, description: 'Matched alerts that would have been handled differently.' }),
    messages: Type.Object(
      { today: Type.Record(Type.String(), Type.Integer()), withRule: Type.Record(Type.String(), Type.Integer()) },
      { ...closed, description: 'Messages by channel, before digests combine them.' },
    ),
    alerts: Type.Array(PreviewedAlert, { maxItems: 100 }),
  },
  closed,
);
export type RulePreview = Static<typeof RulePreview>;
