/** The HTTP request that a task stands for. */
export type TaskRequest = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer;
  oidc?: { email: string; audience: string };
};

/** One attempt, times in epoch milliseconds. `code` is a gRPC status: 0 succeeded. */
export type Attempt = {
  scheduledAt: number;
  dispatchedAt: number;
  respondedAt?: number;
  httpStatus?: number;
  code: number;
  message: string;
};

/** A task that waits in a queue. Times are epoch milliseconds. */
export type Task = {
  /** Full resource name. */
  name: string;
  createdAt: number;
  scheduledAt: number;
  dispatchDeadlineMs: number;
  request: TaskRequest;
  dispatchCount: number;
  responseCount: number;
  firstAttempt?: Attempt;
  lastAttempt?: Attempt;
};

/** gRPC status codes that the service answers with (google.rpc.Code). */
export const grpcCode = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** An answer of the service that is not OK. */
export class TasksError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
