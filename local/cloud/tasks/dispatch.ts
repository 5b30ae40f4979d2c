import { Agent, request } from 'undici';
import type { IdentityTokens } from '../identity-tokens.ts';
import { type Attempt, grpcCode, type Task } from './task.ts';

/** Makes one attempt at a task and says how it went; never throws. */
export type Dispatch = (task: Task) => Promise<Attempt>;

/** `IdentityTokens` provides the OIDC tokens; `now` returns epoch milliseconds. */
export function createDispatch(tokens: IdentityTokens, now: () => number): Dispatch & { close(): Promise<void> } {
  const agent = new Agent({ keepAliveTimeout: 4000 });
  const dispatch: Dispatch = async (task) => {
    const started = { scheduledAt: task.scheduledAt, dispatchedAt: now() };
    try {
      const { oidc, ...call } = task.request;
      const bearer = oidc ? { Authorization: `Bearer ${await tokens(oidc.email, oidc.audience)}` } : {};
      const answer = await request(call.url, {
        method: call.method as 'POST',
        headers: { ...call.headers, ...bearer, ...taskHeaders(task) },
        body: call.body.length > 0 ? call.body : null,
        dispatcher: agent,
        headersTimeout: task.dispatchDeadlineMs,
        bodyTimeout: task.dispatchDeadlineMs,
      });
      await answer.body.dump();
      return { ...started, respondedAt: now(), httpStatus: answer.statusCode, ...outcome(answer.statusCode) };
    } catch (error) {
      const isLate = /TIMEOUT$/.test((error as { code?: string }).code ?? '');
      const code = isLate ? grpcCode.deadlineExceeded : grpcCode.unavailable;
      return { ...started, code, message: error instanceof Error ? error.message : String(error) };
    }
  };
  return Object.assign(dispatch, { close: () => agent.destroy() });
}

function outcome(status: number): { code: number; message: string } {
  if (status >= 200 && status < 300) return { code: grpcCode.ok, message: '' };
  return {
    code: status >= 500 ? grpcCode.unavailable : grpcCode.failedPrecondition,
    message: `HTTP status code ${status}`,
  };
}

function taskHeaders(task: Task): Record<string, string> {
  const parts = task.name.split('/');
  const headers: Record<string, string> = {
    'User-Agent': 'Google-Cloud-Tasks',
    'X-CloudTasks-QueueName': parts[5] ?? '',
    'X-CloudTasks-TaskName': parts[7] ?? '',
    'X-CloudTasks-TaskRetryCount': String(task.dispatchCount - 1),
    'X-CloudTasks-TaskExecutionCount': String(task.responseCount),
    'X-CloudTasks-TaskETA': (task.scheduledAt / 1000).toFixed(6),
  };
  if (task.lastAttempt?.httpStatus !== undefined) {
    headers['X-CloudTasks-TaskPreviousResponse'] = String(task.lastAttempt.httpStatus);
  }
  return headers;
}
