import { AppError, errorTable } from '../../errors.ts';

/** The RFC 9457 answer to an error. What is not an AppError tells nothing but the request id. */
export function problemResponse(error: unknown, requestId: string): Response {
  const known =
    error instanceof AppError ? error : new AppError('internal', `The service failed; request ${requestId}.`);
  const { title } = errorTable[known.code];
  const body = {
    type: `https://watchpost.dev/problems/${known.code}`,
    title,
    status: known.status,
    code: known.code,
    detail: known.message,
    requestId,
    ...(known.errors ? { errors: known.errors } : {}),
    ...known.members,
  };
  return new Response(JSON.stringify(body), {
    status: known.status,
    headers: { 'Content-Type': 'application/problem+json', ...known.headers },
  });
}
