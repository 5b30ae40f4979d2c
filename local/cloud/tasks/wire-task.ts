import { type Attempt, grpcCode, type Task, type TaskRequest, TasksError } from './task.ts';
import { readTimestamp, type WireTimestamp, writeTimestamp } from './wire-values.ts';

/** A task as the client sends it; absent messages are null. */
export type WireTask = {
  name: string;
  httpRequest: WireRequest | null;
  appEngineHttpRequest: unknown;
  scheduleTime: WireTimestamp | null;
  dispatchDeadline: WireTimestamp | null;
};

type WireRequest = {
  url: string;
  httpMethod: string;
  headers: Record<string, string>;
  body: Buffer;
  oauthToken: unknown;
  oidcToken: { serviceAccountEmail: string; audience: string } | null;
};

const minute = 60_000;
/** Bounds of the service (Cloud Tasks reference: `Task.schedule_time`, `Task.dispatch_deadline`; quotas: task size). */
const bounds = {
  aheadMs: 30 * 24 * 60 * minute,
  deadlineMs: { least: 15_000, usual: 10 * minute, most: 30 * minute },
  bytes: 1024 * 1024,
  urlLength: 2083,
};
const methodsWithBody = ['POST', 'PUT', 'PATCH'];

const invalid = (message: string) => new TasksError(grpcCode.invalidArgument, message);

/**
 * The task that a client wants created in `queueName`; `freshId` names it where the client does not.
 * @throws TasksError (INVALID_ARGUMENT) that says what the service would refuse
 */
export function readTask(queueName: string, wire: WireTask, now: number, freshId: () => string): Task {
  const name = wire.name || `${queueName}/tasks/${freshId()}`;
  if (!name.startsWith(`${queueName}/tasks/`) || !/^[A-Za-z0-9_-]{1,500}$/.test(name.slice(queueName.length + 7))) {
    throw invalid(
      `Task name must be formatted: "${queueName}/tasks/<TASK_ID>" (letters, digits, - and _; at most 500).`,
    );
  }
  if (!wire.httpRequest) throw invalid('Task.http_request is required: App Engine targets are not served locally.');
  const scheduledAt = readTimestamp(wire.scheduleTime) ?? now;
  if (scheduledAt > now + bounds.aheadMs) throw invalid('Task.scheduleTime must not be more than 30 days ahead.');
  const dispatchDeadlineMs = readTimestamp(wire.dispatchDeadline) ?? bounds.deadlineMs.usual;
  if (dispatchDeadlineMs < bounds.deadlineMs.least || dispatchDeadlineMs > bounds.deadlineMs.most) {
    throw invalid('Task.dispatchDeadline must be between [15s, 1800s].');
  }
  return {
    name,
    createdAt: now,
    scheduledAt: Math.max(scheduledAt, now),
    dispatchDeadlineMs,
    request: readRequest(wire.httpRequest),
    dispatchCount: 0,
    responseCount: 0,
  };
}

function readRequest(wire: WireRequest): TaskRequest {
  const method = wire.httpMethod === 'HTTP_METHOD_UNSPECIFIED' ? 'POST' : wire.httpMethod;
  if (!URL.canParse(wire.url) || !/^https?:/.test(wire.url) || wire.url.length > bounds.urlLength) {
    throw invalid('HttpRequest.url must be an absolute http or https address of at most 2083 characters.');
  }
  if (wire.oauthToken) throw invalid('HttpRequest.oauth_token is not served locally: use oidc_token.');
  if (wire.body.length > 0 && !methodsWithBody.includes(method)) {
    throw invalid('HTTP request body is only allowed with POST, PUT or PATCH.');
  }
  const headerBytes = Object.entries(wire.headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (wire.body.length + headerBytes > bounds.bytes) throw invalid('Task size too large: at most 1 MB.');
  const isTyped = Object.keys(wire.headers).some((name) => name.toLowerCase() === 'content-type');
  const contentType = isTyped || wire.body.length === 0 ? {} : { 'Content-Type': 'application/octet-stream' };
  const headers = { ...contentType, ...wire.headers };
  const oidc = wire.oidcToken;
  return {
    url: wire.url,
    method,
    headers,
    body: wire.body,
    ...(oidc ? { oidc: { email: oidc.serviceAccountEmail, audience: oidc.audience || wire.url } } : {}),
  };
}

/** The task as the client reads it; the request's body only in the `FULL` view. */
export function writeTask(task: Task, view: string): Record<string, unknown> {
  const { oidc, url, method, headers, body } = task.request;
  return {
    name: task.name,
    httpRequest: {
      url,
      httpMethod: method,
      headers,
      ...(view === 'FULL' ? { body } : {}),
      ...(oidc ? { oidcToken: { serviceAccountEmail: oidc.email, audience: oidc.audience } } : {}),
    },
    scheduleTime: writeTimestamp(task.scheduledAt),
    createTime: writeTimestamp(task.createdAt),
    dispatchDeadline: writeTimestamp(task.dispatchDeadlineMs),
    dispatchCount: task.dispatchCount,
    responseCount: task.responseCount,
    firstAttempt: task.firstAttempt && { dispatchTime: writeTimestamp(task.firstAttempt.dispatchedAt) },
    lastAttempt: task.lastAttempt && writeAttempt(task.lastAttempt),
    view: view === 'FULL' ? 'FULL' : 'BASIC',
  };
}

function writeAttempt(attempt: Attempt): Record<string, unknown> {
  return {
    scheduleTime: writeTimestamp(attempt.scheduledAt),
    dispatchTime: writeTimestamp(attempt.dispatchedAt),
    responseTime: attempt.respondedAt === undefined ? null : writeTimestamp(attempt.respondedAt),
    responseStatus: { code: attempt.code, message: attempt.message },
  };
}
