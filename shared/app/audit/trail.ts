import { type AuditFacts, changeOf, type RecordChange } from '../../domain/audit/entry.ts';
import { byAddressMember } from '../../schema/channels.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { entryWrites } from '../deliveries/audit-entry.ts';
import type { Records, Stored, Trail, World, Write } from '../ports.ts';
import { resultOf } from '../writes/admission.ts';
import { recordBefore } from '../writes/before.ts';

type LifeMembers = Pick<Records['alerts'], 'status' | 'snoozedUntil' | 'acknowledgedBy' | 'resolution' | 'resolvedAt'>;

function lifeOf({ status, snoozedUntil, acknowledgedBy, resolution, resolvedAt }: LifeMembers): LifeMembers {
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
    membersOfIncidents: more.membersOfIncidents,
    format: more.format,
    drill: more.drill ?? false,
    sequenced: more.sequenced ?? false,
    enabled: more.isEnabled,
    pending: Boolean(more.challenge),
    hasSecret: more.secret !== null,
    hasNextSecret: more.nextSecret !== null,
    hasHeaders: more.sealedHeaders !== null,
    template: more.template?.text ?? null,
    retryDelays: more.retryDelays ?? null,
    retentionDays: more.retentionDays ?? null,
    contact: more.contact ?? null,
    clientCertificateEndsAt: more.clientCertificate?.expiresAt ?? null,
    oauth2: more.oauth2 ? shownOAuth2(more.oauth2) : null,
  }),
  deliveries: ({ status, heldReason }) => ({ status, heldReason }),
  rules: ({ name, condition, action, enabled }) => ({ name, condition, action, enabled }),
  teams: ({ name, chats, handoffs, people, rotations, escalation, quietHours, ...more }) => ({
    name,
    ...byAddressMember((channel) => more[channelTable[channel].contacts.member] ?? []),
    handoffs: handoffs.map(
      ({ handoffId, kind, name: called, settings, severities, filter, sealedCredential, isPaused }) => ({
        ...{ handoffId, kind, name: called, severities, hasCredential: sealedCredential !== null, enabled: !isPaused },
        ...(filter ? { filter } : {}),
        settings: { ...settings, ...(settings.url ? { url: settings.url.replace(/\?.*$/s, '?…') } : {}) },
      }),
    ),
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

function shownOAuth2({ sealedSecret: _, tokenUrl, ...oauth2 }: NonNullable<Records['webhooks']['oauth2']>) {
  return { ...oauth2, tokenUrl: tokenUrl.replace(/\?.*$/s, '?…') };
}

type AuditedKind = keyof typeof views;

/** Kinds that have another name in paths. */
const kindsByPath: Record<string, AuditedKind> = { 'maintenance-windows': 'windows', reports: 'reportSchedules' };

/** The kind of record that the routes below a path change. Null: a kind that the audit stream does not show. */
function auditedKind(resourceKind: string): AuditedKind | null {
  if (Object.hasOwn(kindsByPath, resourceKind)) return kindsByPath[resourceKind] ?? null;
  return Object.hasOwn(views, resourceKind) ? (resourceKind as AuditedKind) : null;
}

/** Credentials. An entry only shows that they changed. */
const credentials = {
  secret: ({ secret }) => secret,
  nextSecret: ({ nextSecret }) => nextSecret,
  sealedHeaders: ({ sealedHeaders }) => sealedHeaders,
  clientCertificate: ({ clientCertificate }) => clientCertificate?.sealedKey,
  oauth2: ({ oauth2 }) => oauth2?.sealedSecret,
} satisfies Record<string, (webhook: Records['webhooks']) => unknown>;

/** What a write changes in a record, as an audit entry may show it. Members that are not listed here never leave the record. */
function shownChange(kind: AuditedKind, stored: Stored<AuditedKind> | null, write: Write): RecordChange {
  const view = views[kind] as (record: never) => object;
  const was = stored?.data ?? null;
  const is = resultOf(was, write);
  const change = changeOf(was && view(was as never), is && view(is as never));
  const renewed =
    kind === 'webhooks' && was && is ? renewedIn(was as Records['webhooks'], is as Records['webhooks']) : [];
  return renewed.length === 0 ? change : { ...change, after: { ...change.after, renewed } };
}

function renewedIn(was: Records['webhooks'], is: Records['webhooks']): string[] {
  return Object.entries(credentials).flatMap(([name, of]) =>
    JSON.stringify(of(was)) === JSON.stringify(of(is)) ? [] : [name],
  );
}

/** One call by an authenticated bearer, as an audit entry describes it. */
export type AuditedCall = {
  subject: string;
  issuer: string;
  address: string | null;
  requestId: string;
  action: string;
  resourceKind: string;
  resourceId: string | null;
  /** The content of the request, where no single record shows what it changed. */
  request?: object;
};

/**
 * Writes exactly one audit entry for a call that changes something: in the commit that changes the record of the path, or at the end of the
 * call where it changes many records or none of that kind.
 */
export function createTrail(world: World, call: AuditedCall): Trail & { settle(): Promise<void> } {
  // The content of a request about many records must not appear as the change of the first one.
  const isOfMany = call.request !== undefined && call.resourceId === null;
  const kind = isOfMany ? null : auditedKind(call.resourceKind);
  let hasChanged = false;
  let isKept = false;
  let missed = 0;
  return {
    async beside(writes, read) {
      const write = isKept || kind === null ? undefined : writes.find((each) => isOf(each, kind, call.resourceId));
      if (!write || kind === null) return { writes: [], wakes: [], hasEntry: false };
      const change = shownChange(kind, await recordBefore(world, kind, write, read), write);
      const facts = doneFacts({ ...call, resourceId: write.id }, change);
      return { ...(await entryWrites(world, facts, read?.configuration)), hasEntry: true };
    },
    committed(hasEntry) {
      hasChanged = true;
      isKept ||= hasEntry;
    },
    missed() {
      missed += 1;
    },
    async settle() {
      if (hasChanged && !isKept) {
        const change = call.request ? { before: null, after: call.request } : null;
        await keepEntry(world, doneFacts(call, change));
        isKept = true;
      }
      if (missed > 0) await keepRefusal(world, call, 'not-found', missed);
      missed = 0;
    },
  };
}

/** Records that a call of an authenticated bearer was refused. */
export async function keepRefusal(world: World, call: AuditedCall, reason: string, count?: number): Promise<void> {
  const { request: _, ...facts } = call;
  const entryId = `${call.requestId}-refused`;
  await keepEntry(world, { ...facts, entryId, outcome: 'refused', reason, ...(count === undefined ? {} : { count }) });
}

function doneFacts({ request: _, ...facts }: AuditedCall, change: RecordChange | null): AuditFacts {
  return { ...facts, entryId: facts.requestId, outcome: 'done', change };
}

/** Keeps one entry of the audit stream, with the events for endpoints that ask for it. */
export async function keepEntry({ trail: _, ...world }: World, facts: AuditFacts): Promise<void> {
  await decideAndCommit(world, async () => ({ ...(await entryWrites(world, facts)), answer: undefined }));
}

/** Whether a write is to the record that the path names, or creates one where the path names none. */
function isOf(write: Write, kind: AuditedKind, id: string | null): boolean {
  return write.in === kind && (id === null ? write.kind === 'create' : write.id === id);
}
