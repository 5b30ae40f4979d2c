import type { Caller } from '../../shared/adapters/auth/bearer-auth.ts';
import type { World } from '../../shared/app/ports.ts';
import type { AnswerTo, Call } from '../../shared/schema/call.ts';
import type { Operation } from '../../shared/schema/routes.ts';

/** A call that was accepted: its caller is known and has the scope, and parameters, query and body match their schemas. */
export type ReceivedCall<Op extends Operation> = Call<Op> & {
  /** The world in which it acts. A call that may change something has its own, so that an audit entry is recorded. */
  world: World;
  bearer: Caller;
  /** The version that `If-Match` requires. Null: any. */
  ifVersion: number | null;
  /** `Last-Event-ID`: the change after which a stream continues. Null: only changes from now on. */
  lastEventId: string | null;
  /** Aborted when the caller goes away before the answer. */
  gone: AbortSignal;
  /** The value of the `Accept` header. */
  accept: string | null;
};

/** `body`: an object to send as JSON, or a stream or text whose media type is in `headers`. Null: an empty answer. */
export type Answer<Body> = { body: Body | ReadableStream; status?: 201; headers?: Record<string, string> };

/** The handler of each operation. */
export type Handlers<Op extends Operation = Operation> = {
  [Each in Op]: (call: ReceivedCall<Each>) => Promise<Answer<AnswerTo<Each>>>;
};

/** An answer that shows a record, with its version as `ETag`. */
export function versioned<Body>(body: Body, version: number): Answer<Body> & { headers: Record<string, string> } {
  return { body, headers: { ETag: `"${version}"` } };
}

/** The same for a record that was just created. */
export function created<Body>(body: Body, version: number, location: string): Answer<Body> {
  const answer = versioned(body, version);
  return { ...answer, status: 201, headers: { ...answer.headers, Location: location } };
}
