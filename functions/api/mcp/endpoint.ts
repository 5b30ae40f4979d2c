import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type Caller, requireGroups } from '../../../shared/adapters/auth/bearer-auth.ts';
import { bodyOf, readBytes } from '../../../shared/adapters/http/request-body.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Answerer, AnswerRequest, Edge, Reply } from '../answer.ts';
import { errorCodes, failure, type McpMessage, protocolVersions, replyTo } from './messages.ts';
import { requestOf } from './tools.ts';

/** Largest message, far more than a call needs. */
const maxBytes = 64 * 1024;

type McpEdge = Pick<Edge, 'authenticate' | 'limits' | 'refusals'> & { corsOrigins: readonly string[] };

/**
 * Answers a message of the Model Context Protocol over streamable HTTP without a session: one request, one answer.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 * @throws AppError `forbidden` for a page of another origin, `unauthenticated`, `no-groups`, `too-many-requests`, `invalid-request`,
 * `unsupported-media-type`, `unavailable`, and the errors of `readBytes`
 */
export async function answerMcp(edge: McpEdge, answer: Answerer, asked: Omit<AnswerRequest, 'params'>): Promise<Reply> {
  const { headers } = asked.request;
  requireOwnOrigin(headers.get('Origin'), edge.corsOrigins);
  const bearer = await admitted(edge, asked);
  const version = headers.get('MCP-Protocol-Version');
  if (version !== null && !protocolVersions.includes(version)) {
    throw new AppError('invalid-request', `MCP-Protocol-Version must be one of ${protocolVersions.join(', ')}.`);
  }
  const message = await readMessage(asked);
  if (message === null) return json(400, failure(null, errorCodes.invalidRequest, 'Send one message of JSON-RPC 2.0.'));
  if (message.id === undefined || message.method === undefined) return { body: null, status: 202, headers: {} };
  const perform = async (operation: Parameters<Answerer>[0], given: unknown) => {
    const called = requestOf(operation, given, headers);
    const { body } = await answer(operation, { ...asked, ...called, incoming: undefined });
    return typeof body === 'string' ? body : '{}';
  };
  return json(200, await replyTo(message, { bearer, requestId: asked.requestId, perform }));
}

/** A web page from another origin must not use this endpoint through the browser of somebody in the network. */
function requireOwnOrigin(origin: string | null, allowed: readonly string[]): void {
  if (origin !== null && !allowed.includes(origin)) {
    throw new AppError(
      'forbidden',
      'Pages of this origin may not call this endpoint: CORS_ORIGINS lists the allowed origins.',
    );
  }
}

/** The caller. Each message counts as a request; the operation of a tool counts additionally. */
async function admitted(
  { authenticate, limits, refusals }: McpEdge,
  { request, address }: Omit<AnswerRequest, 'params'>,
) {
  let caller: Caller | null = null;
  try {
    caller = await authenticate(request.headers.get('Authorization'));
    limits.take(caller.subject, null);
    requireGroups(caller);
    return caller;
  } catch (error) {
    const isRefusal = error instanceof AppError && error.status < 500;
    if (isRefusal) await refusals.gather(caller ? { subject: caller.subject } : { address }, error.code);
    throw error;
  }
}

/** Null: the body is not a single JSON-RPC message. */
async function readMessage({ request, incoming }: Omit<AnswerRequest, 'params'>): Promise<McpMessage | null> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AppError('unsupported-media-type', 'Send the message as application/json.');
  const body = bodyOf(await readBytes(incoming ?? streamOf(request), maxBytes));
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { jsonrpc, id, method, params } = body as Record<string, unknown>;
  const hasId = id === undefined || typeof id === 'string' || Number.isInteger(id);
  const hasMethod = typeof method === 'string' || 'result' in body || 'error' in body;
  const hasParams = params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params));
  return jsonrpc === '2.0' && hasId && hasMethod && hasParams ? (body as McpMessage) : null;
}

function streamOf({ body }: Request): Readable {
  return body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]);
}

function json(status: number, body: object): Reply {
  return { body: JSON.stringify(body), status, headers: { 'Content-Type': 'application/json' } };
}
