import { type Change, changeOf } from '../../domain/audit/entry.ts';
import { byAddressMember } from '../../schema/channels.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import type { Records, Stored, Write } from '../ports.ts';
import { resultOf } from '../writes/admission.ts';

type Life = Pick<Records['alerts'], 'status' | 'snoozedUntil' | 'acknowledgedBy' | 'resolution' | 'resolvedAt'>;

function lifeOf({ status, snoozedUntil, acknowledgedBy, resolution, resolvedAt }: Life): Life {
  return { status, snoozedUntil, acknowledgedBy, resolution, resolvedAt };
}

/** The kinds of records that people change, named as in the paths of their routes. */
const views = {
  alerts: lifeOf,
  devices: ({ name, groupId, site, parents, tags, coverage, model, firmware, reporting, ...more }) => ({
    ...{ name, groupId, site, parents, tags, coverage, model, firmware, reporting },
    setByHand: more.setByHand,
    guardianKey: more.guardianTrust?.publicKey ?? null,
  }),
  webhooks: ({ url, method, events, filter, maxAttempts, timeoutSeconds, description, ...more }) => ({
    // The query of an address may contain a credential.
    url: url.replace(/\?.*$/s, '?…'),
    method,
    events,
    filter,
    maxAttempts,
    timeoutSeconds,
    description,
    membersOfIncidents: more.membersOfIncidents ?? true,
    format: more.format ?? 'native',
    drill: more.drill ?? false,
    sequenced: more.sequenced ?? false,
    enabled: more.isEnabled,
    pending: Boolean(more.challenge),
    hasSecret: more.secret !== null,
    hasNextSecret: more.nextSecret !== null,
    hasHeaders: more.sealedHeaders !== null,
  }),
  deliveries: ({ status, heldReason }) => ({ status, heldReason }),
  rules: ({ name, condition, action, enabled }) => ({ name, condition, action, enabled }),
  teams: ({ name, chats, handoffs = [], people, rotations, escalation, quietHours, ...more }) => ({
    name,
    ...byAddressMember((channel) => more[channelTable[channel].contacts.member] ?? []),
    handoffs: handoffs.map(({ handoffId, kind, name: called, settings, severities, sealedCredential, isPaused }) => ({
      ...{ handoffId, kind, name: called, severities, hasCredential: sealedCredential !== null, enabled: !isPaused },
      settings: { ...settings, ...(settings.url ? { url: settings.url.replace(/\?.*$/s, '?…') } : {}) },
    })),
    chats: chats.map(({ chatId, kind, shownUrl }) => ({ chatId, kind, shownUrl })),
    ...{ people, rotations, escalation, quietHours },
  }),
  places: ({ name, groups, shared }) => ({ name, groups, shared }),
  settings: ({ version: _, ...settings }) => settings,
  windows: ({ name, reason, scope, startsAt, endsAt, recurrence, endedAt }) => ({
    ...{ name, reason, scope, startsAt, endsAt, recurrence, endedAt },
  }),
  reportSchedules: ({ name, every, timeZone, by, groups, emails, isPaused }) => ({
    ...{ name, every, timeZone, by, groups, emails, enabled: !isPaused },
  }),
  quarantine: ({ status }) => ({ status }),
  jobs: ({ status }) => ({ status }),
  incidents: lifeOf,
} satisfies { [K in keyof Records]?: (record: Records[K]) => object };

export type AuditedKind = keyof typeof views;

/** Kinds that have another name in paths. */
const kindsByPath: Record<string, AuditedKind> = { 'maintenance-windows': 'windows', reports: 'reportSchedules' };

/** The kind of record that the routes below a path change. Null: a kind that the audit stream does not show. */
export function auditedKind(resourceKind: string): AuditedKind | null {
  if (Object.hasOwn(kindsByPath, resourceKind)) return kindsByPath[resourceKind] ?? null;
  return Object.hasOwn(views, resourceKind) ? (resourceKind as AuditedKind) : null;
}

/** Credentials. An entry only shows that they changed. */
const credentials = ['secret', 'nextSecret', 'sealedHeaders'] as const;

/** What a write changes in a record, as an audit entry may show it. Members that are not listed here never leave the record. */
export function shownChange(kind: AuditedKind, stored: Stored<AuditedKind> | null, write: Write): Change {
  const view = views[kind] as (record: never) => object;
  const was = stored?.data ?? null;
  const is = resultOf(was, write);
  const change = changeOf(was && view(was as never), is && view(is as never));
  const renewed = kind === 'webhooks' && was && is ? credentials.filter((name) => differs(was, is, name)) : [];
  return renewed.length === 0 ? change : { ...change, after: { ...change.after, renewed } };
}

function differs(was: object, is: object, name: string): boolean {
  const of = (record: object) => JSON.stringify((record as Record<string, unknown>)[name]);
  return of(was) !== of(is);
}
