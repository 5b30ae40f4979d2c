import Type, { type Static } from 'typebox';
import { Severity } from '../alert/alert.ts';
import { closed, DeviceId, GroupId, Line, Nullable, OneOf, Text, Timestamp, Uuid } from '../common.ts';
import { changesFilter, matterFilter } from '../settings/event-filter.ts';
import { explainedEvents, incidentEventChanges, webhookEvents, webhookFormats } from '../vocabulary.ts';

export const WebhookEventType = OneOf(webhookEvents);

export const WebhookFilter = Type.Object(
  {
    objects: Type.Optional(Type.Array(Line(256), { maxItems: 100 })),
    minConfidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    ...matterFilter,
    ...changesFilter,
  },
  {
    ...closed,
    description: 'All given members must match; a member counts only for events that have it. Absent: everything.',
  },
);
export type WebhookFilter = Static<typeof WebhookFilter>;

export const WebhookMethod = OneOf(['POST', 'PUT', 'PATCH'], { default: 'POST' });
const Secret = Type.String({ minLength: 1, maxLength: 256 });
const HeaderName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$" });
const Headers = Type.Record(HeaderName, Type.String({ maxLength: 4096, pattern: '^[\\t\\u0020-\\u007e]*$' }), {
  maxProperties: 20,
  additionalProperties: false,
});
export const CredentialVersion = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
/** The versions of an endpoint's credentials, as their author counts them. */
export const CredentialVersions = Type.Object(
  {
    secret: Type.Optional(CredentialVersion),
    headers: Type.Optional(
      Type.Record(HeaderName, CredentialVersion, { maxProperties: 20, additionalProperties: false }),
    ),
    clientCertificate: Type.Optional(CredentialVersion),
    oauth2: Type.Optional(CredentialVersion),
  },
  {
    ...closed,
    description:
      'Numbers that an author gives to credentials, to see which of them the service has. Each is sent together with its credential; a credential that is written without one has none.',
  },
);
export type CredentialVersions = Static<typeof CredentialVersions>;
const Events = Type.Array(WebhookEventType, { minItems: 1, uniqueItems: true, default: ['detection'] });
const MembersOfIncidents = Type.Boolean({
  default: true,
  description: 'false: it gets none of the alerts of an incident while the incident is open.',
});
const Format = OneOf(webhookFormats, {
  default: 'native',
  description:
    '`cloudevents`: requests also carry the headers of CloudEvents 1.0 in binary mode; the body is the same.',
});
const Drill = Type.Boolean({ default: false, description: 'true: each hourly drill sends it a `test`.' });
const Sequenced = Type.Boolean({
  default: false,
  description:
    'true: its detections are numbered per device (`X-Service-Sequence`), and an hourly `checkpoint` contains the last numbers. Costs one more read and write per detection.',
});
const Url = Type.String({ minLength: 1, maxLength: 2048, pattern: '^[Hh][Tt][Tt][Pp][Ss]://' });
const RetryDelays = Type.Array(Type.Integer({ minimum: 1, maximum: 86_400 }), {
  minItems: 1,
  maxItems: 10,
  description:
    'Seconds before attempts 2, 3 and so on, each after the previous one failed. Default: 30, 120, 600, 3600.',
  examples: [[30, 120, 600, 3600]],
});
const MaxAttempts = Type.Integer({
  minimum: 1,
  maximum: 11,
  default: 3,
  description: 'At most one more than the delays in `retryDelays`: 5 without it.',
});
const RetentionDays = Type.Integer({
  minimum: 1,
  maximum: 30,
  description: 'How long its deliveries are kept, with the answers of the receiver. Default: 90.',
});
const Contact = Type.String({
  ...Line(256),
  description:
    'Whom to ask about this endpoint: notices about it name it. A mail address also gets them: when the endpoint starts to fail, is disabled, works again, and before its certificate ends.',
  examples: ['integrations@example.com'],
});
const Template = Type.String({
  minLength: 2,
  maxLength: 8192,
  description:
    'JSON that is sent in place of the event. Its texts may contain members of the event, such as `{{alert.message}}`. Each event that the endpoint gets must have them.',
  examples: ['{"text":"{{change}}: {{alert.message}}","alert":"{{alert}}"}'],
});
const Pem = { minLength: 1, maxLength: 16_384 };
const Certificate = Type.String({
  ...Pem,
  description: 'X.509 in PEM, with the certificates of its authorities behind it if the receiver wants them.',
  examples: ['-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----'],
});
/** What the endpoint's receiver recognizes us by in the TLS handshake. */
export const ClientCertificate = Type.Object(
  {
    certificate: Certificate,
    key: Type.String({
      ...Pem,
      writeOnly: true,
      description: 'Its private key in PEM, without a passphrase; never shown.',
      examples: ['-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----'],
    }),
  },
  closed,
);
export type ClientCertificate = Static<typeof ClientCertificate>;
export const ShownCertificate = Type.Object({ certificate: Certificate, expiresAt: Timestamp }, closed);

const oauth2Members = {
  clientId: Type.String({ ...Line(256), examples: ['watchpost'] }),
  scope: Type.Optional(Type.String({ ...Line(1024), examples: ['events.write'] })),
  audience: Type.Optional(Type.String({ ...Line(1024), examples: ['https://hooks.example.com'] })),
};
/** Where the tokens come from that requests to the endpoint carry (OAuth 2.0, client credentials). */
export const OAuth2 = Type.Object(
  {
    tokenUrl: Url,
    ...oauth2Members,
    clientSecret: Type.Optional(
      Type.String({
        ...Line(1024),
        writeOnly: true,
        description: 'Never shown. Absent: the stored one stays, if scheme, host and port of `tokenUrl` do too.',
        examples: ['a-secret-of-the-client'],
      }),
    ),
  },
  closed,
);
export type OAuth2 = Static<typeof OAuth2>;
export const ShownOAuth2 = Type.Object({ tokenUrl: Type.String(), ...oauth2Members }, closed);
export const webhookStates = ['healthy', 'failing', 'paused', 'disabled', 'pending'] as const;
const TimeoutSeconds = Type.Integer({ minimum: 1, maximum: 30, default: 10 });

/**
 * The options of an endpoint with their defaults. The outbound guard checks `url`, because a pattern cannot express its
 * rules.
 */
const options = {
  method: Type.Optional(WebhookMethod),
  headers: Type.Optional(Headers),
  secret: Type.Optional(Secret),
  credentialVersions: Type.Optional(CredentialVersions),
  events: Type.Optional(Events),
  filter: Type.Optional(WebhookFilter),
  membersOfIncidents: Type.Optional(MembersOfIncidents),
  format: Type.Optional(Format),
  drill: Type.Optional(Drill),
  sequenced: Type.Optional(Sequenced),
  template: Type.Optional(Template),
  maxAttempts: Type.Optional(MaxAttempts),
  retryDelays: Type.Optional(RetryDelays),
  retentionDays: Type.Optional(RetentionDays),
  timeoutSeconds: Type.Optional(TimeoutSeconds),
  contact: Type.Optional(Contact),
  clientCertificate: Type.Optional(ClientCertificate),
  oauth2: Type.Optional(OAuth2),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  description: Type.Optional(Text(1000)),
};
export const WebhookConfiguration = Type.Object({ url: Url, ...options }, closed);
export type WebhookConfiguration = Static<typeof WebhookConfiguration>;

export const CreateWebhookRequest = Type.Object(
  {
    url: Url,
    ...options,
    generateSecret: Type.Optional(
      Type.Boolean({ description: 'Generate a secret and show it in this answer; not together with `secret`.' }),
    ),
  },
  closed,
);
export type CreateWebhookRequest = Static<typeof CreateWebhookRequest>;

/**
 * An absent member stays. Null removes a member that need not be there. A new `secret` replaces the old one at once, while a
 * rotation overlaps.
 */
export const UpdateWebhookRequest = Type.Object(
  {
    ...options,
    url: Type.Optional(Url),
    secret: Type.Optional(Nullable(Secret)),
    headers: Type.Optional(Nullable(Headers)),
    filter: Type.Optional(Nullable(WebhookFilter)),
    description: Type.Optional(Nullable(Text(1000))),
    template: Type.Optional(Nullable(Template)),
    retryDelays: Type.Optional(Nullable(RetryDelays)),
    retentionDays: Type.Optional(Nullable(RetentionDays)),
    contact: Type.Optional(Nullable(Contact)),
    clientCertificate: Type.Optional(Nullable(ClientCertificate)),
    oauth2: Type.Optional(Nullable(OAuth2)),
  },
  closed,
);
export type UpdateWebhookRequest = Static<typeof UpdateWebhookRequest>;

/** An endpoint as the API shows it: without its secret, and without the values of headers that carry credentials. */
const webhookMembers = {
  webhookId: Uuid,
  url: Type.String(),
  method: WebhookMethod,
  headers: Type.Record(Type.String(), Type.String()),
  hasSecret: Type.Boolean(),
  credentialVersions: Type.Optional(CredentialVersions),
  secretPromotesAt: Nullable(Timestamp),
  events: Type.Array(WebhookEventType),
  filter: Nullable(WebhookFilter),
  membersOfIncidents: MembersOfIncidents,
  format: Format,
  drill: Drill,
  sequenced: Sequenced,
  template: Nullable(Template),
  templateVersion: Nullable(
    Type.Integer({ minimum: 1, description: 'Counts the changes of the template; each attempt notes it.' }),
  ),
  maxAttempts: MaxAttempts,
  retryDelays: Nullable(RetryDelays),
  retentionDays: Nullable(RetentionDays),
  timeoutSeconds: TimeoutSeconds,
  contact: Nullable(Contact),
  clientCertificate: Nullable(ShownCertificate),
  oauth2: Nullable(ShownOAuth2),
  state: OneOf(webhookStates, {
    description:
      '`healthy`; `failing`: its last attempts failed; `paused`: nothing goes out for a while, because several failed in a row; `disabled`; `pending`.',
  }),
  enabled: Type.Boolean(),
  disabledReason: Nullable(Type.String()),
  pending: Type.Boolean({ description: 'It has not yet proven that it wants events: its deliveries are held.' }),
  description: Nullable(Type.String()),
  createdAt: Timestamp,
  changedAt: Timestamp,
};
export const Webhook = Type.Object(webhookMembers, closed);
export type Webhook = Static<typeof Webhook>;

/** The same with the secret, where it has just been generated. It is shown only this once. */
export const WebhookWithSecret = Type.Object({ ...webhookMembers, secret: Type.Optional(Type.String()) }, closed);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookList = Type.Object(
  { webhooks: Type.Array(Webhook), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const RotateSecretRequest = Type.Object(
  {
    secret: Type.Optional(Secret),
    version: Type.Optional(
      Type.Integer({ ...CredentialVersion, description: 'Its number in `credentialVersions`. Absent: it has none.' }),
    ),
    overlapHours: Type.Optional(Type.Number({ minimum: 0, maximum: 168, default: 24 })),
  },
  closed,
);
export type RotateSecretRequest = Static<typeof RotateSecretRequest>;

export const ExplainRequest = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many are shown, newest first.' }),
    ),
    since: Type.Optional(
      Type.String({
        ...Timestamp,
        description:
          'Alerts, incidents and guardian alerts: all since then are examined and counted, at most 10,000 of 30 days. Default: only those that are shown.',
      }),
    ),
    eventType: Type.Optional(OneOf(explainedEvents, { default: 'detection' })),
    filter: Type.Optional(
      Nullable(
        Type.Object(WebhookFilter.properties, {
          ...closed,
          description: 'Explain this filter in place of the stored one: what the endpoint would have got with it.',
        }),
      ),
    ),
  },
  closed,
);
export type ExplainRequest = Static<typeof ExplainRequest>;

const filterMembers = Object.keys(WebhookFilter.properties) as (keyof WebhookFilter)[];
/** A member of the endpoint that does not match an event: of its filter, or `events` or `membersOfIncidents`. */
export const FilterRefusal = Type.Object(
  { member: OneOf(['events', 'membersOfIncidents', ...filterMembers]), detail: Type.String() },
  closed,
);
export type FilterRefusal = Static<typeof FilterRefusal>;

const verdict = {
  wanted: Type.Boolean({ description: 'The endpoint would get this event with its present configuration.' }),
  refusedBy: Type.Array(FilterRefusal),
  deliveryId: Nullable(Uuid),
  deliveryStatus: Nullable(Type.String()),
};
export const ExplainedDetection = Type.Object(
  {
    sessionId: Type.String(),
    deviceId: DeviceId,
    deviceName: Nullable(Type.String({ description: 'Name of the camera in the payload.' })),
    groupId: GroupId,
    timestamp: Timestamp,
    receivedAt: Timestamp,
    ...verdict,
  },
  closed,
);
/** An alert, an incident or a guardian alert, in one of its changes. */
export const ExplainedEvent = Type.Object(
  {
    eventId: Type.String({ description: 'Id of the event: of its record and version.' }),
    deviceId: Nullable(DeviceId),
    groups: Type.Array(Type.String({ description: '`*`: it concerns everybody.' })),
    severity: Nullable(Severity),
    code: Nullable(Type.String({ description: 'Alert code, code of a guardian alert, or kind of an incident.' })),
    change: Nullable(OneOf(incidentEventChanges)),
    timestamp: Timestamp,
    ...verdict,
  },
  closed,
);
/** For each recent event, whether it was sent to the endpoint, or which members did not match. */
export const WebhookExplanation = Type.Object(
  {
    detections: Type.Array(ExplainedDetection),
    events: Type.Array(ExplainedEvent),
    examined: Type.Integer({ minimum: 0 }),
    matched: Type.Integer({ minimum: 0, description: 'Of the examined ones, those that the endpoint would get.' }),
    isComplete: Type.Boolean({ description: 'False where there were more than were examined.' }),
  },
  closed,
);
export type WebhookExplanation = Static<typeof WebhookExplanation>;

/** What a test sends: a test event, or a sample of one of the events. */
export const WebhookTestRequest = Type.Object(
  {
    event: Type.Optional(
      OneOf(webhookEvents, { description: 'A sample of this event, under its name. Its camera does not exist.' }),
    ),
  },
  closed,
);

export const ReplayRequest = Type.Object(
  {
    since: Timestamp,
    until: Type.Optional(Timestamp),
    status: Type.Optional(
      Type.Array(OneOf(['failed', 'held']), { minItems: 1, uniqueItems: true, default: ['failed', 'held'] }),
    ),
    eventType: Type.Optional(WebhookEventType),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Count only.' })),
  },
  closed,
);
export type ReplayRequest = Static<typeof ReplayRequest>;

export const ReplayAnswer = Type.Object(
  {
    matched: Type.Integer({ minimum: 0 }),
    waiting: Type.Integer({
      minimum: 0,
      description: 'Those of the same time that are still on their way by themselves.',
    }),
    replayed: Type.Integer({ minimum: 0 }),
    remaining: Type.Integer({ minimum: 0, description: 'The number beyond the limit of one call: call again.' }),
  },
  closed,
);
export type ReplayAnswer = Static<typeof ReplayAnswer>;

export const EgressRanges = Type.Array(
  Type.Object(
    {
      region: Type.String(),
      cidrs: Type.Array(Type.String()),
      standby: Type.Optional(
        Type.Boolean({ description: 'True: reserved in a second region, used only after the loss of the first.' }),
      ),
    },
    closed,
  ),
);
export type EgressRanges = Static<typeof EgressRanges>;
