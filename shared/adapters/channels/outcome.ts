import type { ErrorClass, SendOutcome } from '../../domain/delivery/delivery.ts';

/** The message was taken. */
export function taken(statusCode: number | null, responseExcerpt: string | null): SendOutcome {
  return {
    statusCode,
    errorClass: null,
    detail: null,
    responseExcerpt,
    isRetryable: false,
    retryAfterMs: null,
    isGone: false,
  };
}

/** The message was not taken; `isRetryable` false where no further try could help. */
export function notTaken(
  errorClass: ErrorClass,
  detail: string,
  rest: Partial<SendOutcome> & { isRetryable: boolean },
): SendOutcome {
  return { statusCode: null, responseExcerpt: null, retryAfterMs: null, isGone: false, ...rest, errorClass, detail };
}
