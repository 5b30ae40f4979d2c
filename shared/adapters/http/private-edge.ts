import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Log } from '../../app/ports.ts';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { requireCaller } from '../auth/caller-auth.ts';
import { createTokenVerifier } from '../auth/token-verifier.ts';
import { inTrace } from '../trace.ts';
import { sendProblem } from './problem.ts';

export const callerSettings = ['callerIssuer', 'callerKeysUrl', 'callerAudience', 'callers'] as const;

/** Handles a call. The returned object is sent as JSON. Null: the answer is 204. */
type Handle = (request: IncomingMessage) => Promise<object | null>;

/**
 * The edge of a function that only the platform calls (Pub/Sub push, Cloud Tasks, Cloud Scheduler). Every call must carry the token of an
 * allowed account. An internal error is answered so that the platform tries again.
 * @param posts the handlers of POST by path; `*`: any other path
 */
export function createPrivateEdge(
  config: Config<(typeof callerSettings)[number]>,
  log: Log,
  posts: Record<string, Handle>,
): RequestListener {
  const verify = createTokenVerifier({
    issuer: config.callerIssuer,
    audience: config.callerAudience,
    keysUrl: config.callerKeysUrl,
  });
  const answerTo = async (request: IncomingMessage, path: string) => {
    await requireCaller(request.headers.authorization, verify, config.callers);
    const handle = request.method === 'POST' ? (posts[path] ?? posts['*']) : undefined;
    if (!handle) throw new AppError('not-found', 'There is no such path.');
    return handle(request);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    try {
      const body = await answerTo(request, path);
      if (body === null) response.writeHead(204).end();
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    } catch (error) {
      const isOurs = !(error instanceof AppError) || error.status >= 500;
      log[isOurs ? 'error' : 'warn']('call.failed', { path, ...fieldsOf(error, isOurs) });
      sendProblem(response, error);
    }
  };
  return (request, response) => inTrace([textOf(request.headers['traceparent'])], () => answer(request, response));
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function fieldsOf(error: unknown, isOurs: boolean): Record<string, unknown> {
  const { stack, cause } = error instanceof Error ? error : { stack: undefined, cause: undefined };
  return { error: String(error), ...(isOurs ? { stack, cause: String(cause ?? '') } : {}) };
}
