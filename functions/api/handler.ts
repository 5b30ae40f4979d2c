import type { Caller } from '../../shared/adapters/auth/bearer-auth.ts';
import type { World } from '../../shared/app/ports.ts';
import type { AnswerTo, Call } from '../../shared/schema/call.ts';
import type { Operation } from '../../shared/schema/routes.ts';

/** A call that has passed: known caller, sufficient scope, parameters, query and body that fit their schemas. */
export type ReceivedCall<Op extends Operation> = Call<Op> & {
  /** The world that it acts in: its own, where it may change something, so that an entry is left of what changes. */
  world: World;
  bearer: Caller;
  /** Version that `If-Match` insists on; null: any. */
  ifVersion: number | null;
  /** The change after which a stream goes on. */
  lastEventId: string | null;
};

/** `body`: what is said as JSON, or a stream of bytes; null: there is nothing to say. */
export type Answer<Body> = { body: Body; status?: 201; headers?: Record<string, string> };

/** What each operation does. */
export type Handlers<Op extends Operation = Operation> = {
  [Each in Op]: (call: ReceivedCall<Each>) => Promise<Answer<AnswerTo<Each>>>;
};

/** The answer that shows a record, with the version that `If-Match` names. */
export function versioned<Body>(body: Body, version: number): Answer<Body> & { headers: Record<string, string> } {
  return { body, headers: { ETag: `"${version}"` } };
}

/** The same for a record that has just been made. */
export function created<Body>(body: Body, version: number, location: string): Answer<Body> {
  const answer = versioned(body, version);
  return { ...answer, status: 201, headers: { ...answer.headers, Location: location } };
}
