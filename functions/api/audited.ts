import type { Caller } from '../../shared/adapters/auth/bearer-auth.ts';
import type { Refusals } from '../../shared/app/audit/refusals.ts';
import { type AuditedCall, createTrail, keepRefusal } from '../../shared/app/audit/trail.ts';
import type { World } from '../../shared/app/ports.ts';
import { createAdmission } from '../../shared/app/writes/admission.ts';
import { AppError } from '../../shared/errors.ts';
import type { Route } from '../../shared/schema/route.ts';
import { identifierPattern, type Operation, routes } from '../../shared/schema/routes.ts';
import { teamNamePattern } from '../../shared/schema/settings/rule.ts';

/** A request whose route is known. `caller` null: the caller is not authenticated yet. */
export type Arrival = {
  operation: Operation;
  requestId: string;
  address: string | null;
  params: Record<string, string>;
  caller: Caller | null;
};

/** The part of a body that the audit entry records if no single record shows what was done. */
const requestsShown: Partial<Record<Operation, (body: Record<string, unknown>) => object>> = {
  actOnAlerts: ({ action, alertIds }) => ({ action, alertIds }),
  actOnMatchingAlerts: ({ action, filter }) => ({ action, filter }),
  createUploadUrl: ({ contentType }) => ({ contentType }),
  importDevices: ({ devices }) => ({ deviceIds: Array.isArray(devices) ? devices.flatMap(idOf) : [] }),
  retryManyQuarantined: ({ reasons, since, until }) => ({ reasons, since, until }),
  replayWebhook: ({ since, until, status, eventType }) => ({ since, until, status, eventType }),
};

const isIdentifier = new RegExp(identifierPattern);

function idOf(device: unknown): string[] {
  const { deviceId } = Object(device) as { deviceId?: unknown };
  return typeof deviceId === 'string' && isIdentifier.test(deviceId) ? [deviceId] : [];
}

/**
 * Performs a call in a world that judges what its bearer changes, and records an audit entry for it.
 * @param act gets the world in which the call acts
 */
export async function audited<T>(
  world: World,
  arrival: Arrival & { caller: Caller },
  body: unknown,
  act: (world: World) => Promise<T>,
): Promise<T> {
  const shown = requestsShown[arrival.operation]?.(Object(body));
  const request = shown && Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
  const trail = createTrail(world, { ...auditedCall(arrival, arrival.caller), ...(request ? { request } : {}) });
  try {
    return await act({ ...world, trail, admission: createAdmission(world, arrival.caller, arrival.operation) });
  } finally {
    // Changes before a fault stay, so their entry is written too. A failure to write it does not fail the call.
    await trail.settle().catch((error: unknown) => {
      world.log.error('audit.failed', {
        operation: arrival.operation,
        requestId: arrival.requestId,
        error: String(error),
      });
    });
  }
}

/**
 * Records that a request was refused. `forbidden`, `limited-to-groups` and `not-found` get an entry of their own with
 * the caller. `unauthenticated`, `no-groups` and `too-many-requests` are counted for each minute. Other errors are not recorded.
 */
export async function refusalKept(world: World, refusals: Refusals, arrival: Arrival, error: unknown): Promise<void> {
  if (!(error instanceof AppError)) return;
  const { address, caller } = arrival;
  if (countedReasons.has(error.code)) {
    await refusals.gather(caller ? { subject: caller.subject } : { address }, error.code);
    return;
  }
  if (!caller || !namedReasons.has(error.code)) return;
  try {
    await keepRefusal(world, auditedCall(arrival, caller), error.code);
  } catch (fault) {
    // The refusal is answered, whether or not it could be recorded.
    world.log.error('audit.failed', { requestId: arrival.requestId, error: String(fault) });
  }
}

const countedReasons: ReadonlySet<string> = new Set(['unauthenticated', 'no-groups', 'too-many-requests']);
const namedReasons: ReadonlySet<string> = new Set(['forbidden', 'limited-to-groups', 'not-found']);
/** Ids that an entry may contain: of a record, of a team, or of a place, as its kind and id. */
const isName = new RegExp(`${identifierPattern}|${teamNamePattern}|^[a-z0-9-]+:${identifierPattern.slice(1)}`);

function auditedCall({ operation, requestId, address, params }: Arrival, caller: Caller): AuditedCall {
  const { path }: Route = routes[operation];
  const [, resourceKind = ''] = /^\/v1\/([\w.-]+)/.exec(path) ?? [];
  const named = Object.values(params).join(':') || null;
  const id = resourceKind === 'settings' ? 'settings' : named;
  const resourceId = id !== null && isName.test(id) ? id : null;
  const { subject, issuer } = caller;
  return { subject, issuer, address, requestId, action: operation, resourceKind, resourceId };
}
