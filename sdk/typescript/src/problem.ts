/** One member at fault: a JSON Pointer into the body, or `?name` for a parameter of the query. */
export type Fault = { pointer: string; detail: string };

type Parts = {
  code: string;
  status: number;
  title: string;
  detail: string;
  errors?: readonly Fault[];
  requestId?: string | null;
  retryAfterMs?: number | null;
  members?: Readonly<Record<string, unknown>>;
  cause?: unknown;
};

/** A call that the API refused, or that got no usable answer. Distinguish the reasons by `code`, which is stable. */
export class WatchpostError extends Error {
  /** The code of the problem document; `unreachable` if there was no answer, `unexpected` if the answer was not one of the API's. */
  readonly code: string;
  /** HTTP status. 0: there was no answer. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Members at fault, with `invalid-request`. */
  readonly errors: readonly Fault[];
  /** Identifies the request in the service's log. */
  readonly requestId: string | null;
  /** How long the service asks to wait, milliseconds. Null: it did not say. */
  readonly retryAfterMs: number | null;
  /** All members of the problem document, for example `availableActions` if an alert does not allow an action. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(parts: Parts) {
    const { code, status, title, detail, errors = [] } = parts;
    const faults = errors.map((fault) => `${fault.pointer || 'the body'} ${fault.detail}`).join('; ');
    const said = [detail || title, faults].filter(Boolean).join(' ');
    super(said, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'WatchpostError';
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.errors = errors;
    this.requestId = parts.requestId ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
    this.members = parts.members ?? {};
  }
}

/** The error for an answer that is not 2xx. Proxies between client and service may answer too, in any format. */
export async function errorOf(response: Response, nowMs: number): Promise<WatchpostError> {
  const text = await response.text().catch(() => '');
  const members = membersOf(text);
  const textOf = (name: string) => (typeof members[name] === 'string' ? members[name] : '');
  return new WatchpostError({
    code: textOf('code') || 'unexpected',
    status: response.status,
    title: textOf('title') || `The answer was ${response.status}`,
    detail: textOf('detail'),
    errors: faultsIn(members['errors']),
    requestId: response.headers.get('X-Request-Id'),
    retryAfterMs: retryAfterOf(response.headers.get('Retry-After'), nowMs),
    members,
  });
}

export function unreachable(url: string, cause: unknown): WatchpostError {
  const reason =
    cause instanceof Error ? String((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause);
  const detail = `${new URL(url).origin} cannot be reached: ${reason}.`;
  return new WatchpostError({ code: 'unreachable', status: 0, title: 'No answer', detail, cause });
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date; null: it is neither. */
export function retryAfterOf(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = /^[A-Z][a-z]{2}, \d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function faultsIn(value: unknown): Fault[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: { pointer?: unknown; detail?: unknown } | null) =>
    typeof each?.pointer === 'string' && typeof each.detail === 'string'
      ? [{ pointer: each.pointer, detail: each.detail }]
      : [],
  );
}

/** The problem of a failure after which a later attempt may succeed. @throws the failure, if none may */
export function passingProblem(error: unknown): WatchpostError {
  if (error instanceof WatchpostError && isPassing(error)) return error;
  throw error;
}

/** Whether a later attempt may succeed: no answer, too many requests (429), or a fault of the service (5xx). */
export function isPassing({ status }: WatchpostError): boolean {
  return status === 0 || status === 429 || status >= 500;
}
