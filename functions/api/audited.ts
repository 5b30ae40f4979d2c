import type { Caller } from '../../shared/adapters/auth/bearer-auth.ts';
import type { Refusals } from '../../shared/app/audit/refusals.ts';
import { type AuditedCall, createTrail, keepRefusal } from '../../shared/app/audit/trail.ts';
import type { World } from '../../shared/app/ports.ts';
import { AppError } from '../../shared/errors.ts';
import type { Route } from '../../shared/schema/route.ts';
import { identifierPattern, type Operation, routes } from '../../shared/schema/routes.ts';
import { teamNamePattern } from '../../shared/schema/settings/rule.ts';

/** A request whose route is known; `caller` null: nobody has shown who they are yet. */
export type Arrival = {
  operation: Operation;
  requestId: string;
  address: string | null;
  params: Record<string, string>;
  caller: Caller | null;
};

/** What of a body says what was done, where no one record shows it. */
const tellings: Partial<Record<Operation, (body: Record<string, unknown>) => object>> = {
  actOnAlerts: ({ action, alertIds }) => ({ action, alertIds }),
  createUploadUrl: ({ contentType }) => ({ contentType }),
  importDevices: ({ devices }) => ({ deviceIds: Array.isArray(devices) ? devices.flatMap(idOf) : [] }),
  replayWebhook: ({ since, until, status, eventType }) => ({ since, until, status, eventType }),
};

const isIdentifier = new RegExp(identifierPattern);

function idOf(device: unknown): string[] {
  const { deviceId } = Object(device) as { deviceId?: unknown };
  return typeof deviceId === 'string' && isIdentifier.test(deviceId) ? [deviceId] : [];
}

/**
 * Does what a call asks in a world that leaves an entry of what changes.
 * @param act given the world that the call acts in
 */
export async function audited<T>(
  world: World,
  arrival: Arrival & { caller: Caller },
  body: unknown,
  act: (world: World) => Promise<T>,
): Promise<T> {
  const telling = tellings[arrival.operation]?.(Object(body));
  const request = telling && Object.fromEntries(Object.entries(telling).filter(([, value]) => value !== undefined));
  const trail = createTrail(world, { ...auditedCall(arrival, arrival.caller), ...(request ? { request } : {}) });
  try {
    return await act({ ...world, trail });
  } finally {
    // What was changed before a fault was changed all the same; what is done does not fail for want of its entry.
    await trail.settle().catch((error: unknown) => {
      world.log.error('audit.failed', {
        operation: arrival.operation,
        requestId: arrival.requestId,
        error: String(error),
      });
    });
  }
}

/** Keeps that a request was refused: by name where it is known who asked, else counted with others of its minute. */
export async function refusalKept(world: World, refusals: Refusals, arrival: Arrival, error: unknown): Promise<void> {
  if (!(error instanceof AppError)) return;
  const { address, caller } = arrival;
  const isLimited = error.code === 'too-many-requests';
  if (error.code === 'unauthenticated' || isLimited) {
    await refusals.gather(caller && isLimited ? { subject: caller.subject } : { address }, error.code);
    return;
  }
  if (!caller || !namedReasons.has(error.code)) return;
  try {
    await keepRefusal(world, auditedCall(arrival, caller), error.code);
  } catch (fault) {
    // The refusal stands, whether or not it could be written down.
    world.log.error('audit.failed', { requestId: arrival.requestId, error: String(fault) });
  }
}

const namedReasons: ReadonlySet<string> = new Set(['forbidden', 'limited-to-groups', 'not-found']);
/** A place is named by its kind and id. */
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
