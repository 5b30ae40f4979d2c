/**
 * Every error that a caller can see, in one table: its stable `code`, HTTP status and title. The HTTP edge turns it into RFC 9457
 * `application/problem+json`. No other code maps errors to answers.
 */
export const errorTable = {
  'invalid-request': { status: 400, title: 'The request does not fit its schema' },
  unauthenticated: { status: 401, title: 'A valid bearer token is needed' },
  forbidden: { status: 403, title: 'The token lacks a scope' },
  'no-groups': { status: 403, title: 'The token names no group of devices' },
  'limited-to-groups': {
    status: 403,
    title: 'A token limited to groups may not change what concerns other groups, or was made by a token of all groups',
  },
  'not-found': { status: 404, title: 'There is no such record' },
  'method-not-allowed': { status: 405, title: 'This path does not answer that method' },
  'request-timeout': { status: 408, title: 'The request body did not come in time' },
  'invalid-transition': { status: 409, title: 'The record is in a state that refuses this action' },
  'already-exists': { status: 409, title: 'A record with this identity exists' },
  'in-use': { status: 409, title: 'Other records name this one' },
  'quota-exceeded': { status: 409, title: 'A group has as many records of this kind as it may have' },
  'link-used': { status: 410, title: 'The link has been used' },
  'cursor-expired': { status: 410, title: 'The cursor is older than what is kept' },
  'link-expired': { status: 410, title: 'The link is too old, or its receiver is no longer in the team' },
  'precondition-failed': { status: 412, title: 'The record has changed since it was read' },
  'payload-too-large': { status: 413, title: 'The request body is too large' },
  'unsupported-media-type': { status: 415, title: 'The request body must be application/json' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'The service failed' },
  unavailable: { status: 503, title: 'A part that the service needs does not answer' },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** One member at fault: `pointer` is a JSON Pointer into the body, or `?name` for a query parameter. */
export type Fault = { pointer: string; detail: string };

type Extras = {
  /** Members at fault, for `invalid-request`. */
  errors?: Fault[];
  /** Further members of the problem document, e.g. `status` and `availableActions` of an alert. */
  members?: Record<string, unknown>;
  /** Headers the answer must carry, e.g. `WWW-Authenticate`. */
  headers?: Record<string, string>;
  cause?: unknown;
};

/** Seconds after which a caller may ask again for what is unavailable. */
const unavailableSeconds = '5';

/** An error that the caller gets with a code. `message` can be shown: it contains no secret and no internals. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: Fault[] | undefined;
  readonly members: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, extras: Extras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'AppError';
    this.code = code;
    this.errors = extras.errors;
    this.members = extras.members ?? {};
    this.headers = { ...(code === 'unavailable' ? { 'Retry-After': unavailableSeconds } : {}), ...extras.headers };
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** `not-found` for a record that does not exist or is outside the bearer's groups. A caller cannot distinguish the two. */
export function notFound(what: string): AppError {
  return new AppError('not-found', `There is no ${what}.`);
}
