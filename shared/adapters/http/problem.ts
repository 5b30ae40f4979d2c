import type { ServerResponse } from 'node:http';
import { AppError, errorTable } from '../../errors.ts';

type Problem = { status: number; headers: Record<string, string>; body: string };

/**
 * The RFC 9457 answer to an error. Its type is the page of this installation about it.
 * An error that is not an AppError becomes `internal` and shows only the request id.
 */
export function problemOf(error: unknown, requestId: string, site = ''): Problem {
  const known =
    error instanceof AppError ? error : new AppError('internal', `The service failed; request ${requestId}.`);
  const { title } = errorTable[known.code];
  const body = {
    type: `${site}/docs/problems/${known.code}`,
    title,
    status: known.status,
    code: known.code,
    detail: known.message,
    requestId,
    ...(known.errors ? { errors: known.errors } : {}),
    ...known.members,
  };
  return {
    status: known.status,
    headers: { 'Content-Type': 'application/problem+json', ...known.headers },
    body: JSON.stringify(body),
  };
}

/** Answers a caller who gets no request id. It does not wait for the rest of a body: the connection ends with the answer. */
export function sendProblem(response: ServerResponse, error: unknown): void {
  const { status, headers, body } = problemOf(error, 'none');
  const ending = response.req.complete ? {} : { Connection: 'close' };
  response.writeHead(status, { ...headers, ...ending, 'Content-Length': Buffer.byteLength(body) }).end(body);
}
