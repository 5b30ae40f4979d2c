import type { ErrorClass, SendOutcome } from '../../domain/delivery/delivery.ts';

/** The receiver accepted the message. */
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

/**
 * The receiver did not accept the message, or may not have. `isRetryable` false: no other attempt is made, because it
 * cannot help, might send a message twice, or would be too late (a beat).
 */
export function notTaken(
  errorClass: ErrorClass,
  detail: string,
  rest: Partial<SendOutcome> & { isRetryable: boolean },
): SendOutcome {
  return { statusCode: null, responseExcerpt: null, retryAfterMs: null, isGone: false, ...rest, errorClass, detail };
}
