import type { IncomingMessage } from 'node:http';
import type { Failure } from '../decide/management-interface.ts';
import { loadBuiltin } from '../process/load-builtin.ts';
import { authorise, type Challenge, type Credentials, parseChallenges } from './http-authentication.ts';

export type VapixOptions = {
  url: URL;
  /** PEM of the authority that signed the camera's certificate; null trusts the system's. */
  ca: string | null;
  credentials: Credentials | null;
  timeoutMs: number;
  /** Fresh random text for each request. */
  randomText: () => string;
};

/** `rejected`: the camera understood the call and refused it; `code` is its VAPIX error code. */
export type VapixAnswer =
  | { status: 'answered'; data: unknown }
  | { status: 'rejected'; code: number; message: string }
  | Failure;

export type VapixCall = (path: string, body: Record<string, unknown>) => Promise<VapixAnswer>;

type HttpAnswer = { status: number; challenge: string; body: string };

/** A complete status is about 1 KB. */
const maxAnswerBytes = 256 * 1024;

/**
 * Calls VAPIX JSON APIs by `POST`, with the authentication that the camera asks for. Both the HTTP status and the
 * body's `error` are checked, because VAPIX answers 200 to calls that it refuses.
 */
export function createVapixCall(options: VapixOptions): VapixCall {
  const { url, credentials, randomText } = options;
  const isPrivate = url.protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  let challenges: Challenge[] = [];
  let nonceCount = 0;

  const authorisation = (path: string): string | null => {
    if (credentials === null || challenges.length === 0) return null;
    nonceCount += 1;
    return authorise(challenges, credentials, { method: 'POST', path, isPrivate }, nonceCount, randomText());
  };

  return async (path, body) => {
    const text = JSON.stringify(body);
    try {
      let answer = await post(options, path, text, authorisation(path));
      if (answer.status === 401 && credentials !== null) {
        // A new challenge: the first of this camera, or an expired nonce. It is answered only once, because more
        // attempts would look like guessing.
        challenges = parseChallenges(answer.challenge);
        nonceCount = 0;
        const header = authorisation(path);
        if (header === null)
          return failed('unauthorized', 'The camera asks for an authentication that cannot be given safely.');
        answer = await post(options, path, text, header);
      }
      return interpret(answer);
    } catch (error) {
      const { name, message } = error as Error;
      return name === 'TimeoutError' || name === 'AbortError'
        ? failed('timeout', `The camera did not answer within ${options.timeoutMs} ms.`)
        : failed('unreachable', message);
    }
  };
}

function interpret({ status, body }: HttpAnswer): VapixAnswer {
  if (status === 401 || status === 403) return failed('unauthorized', `The camera answered ${status}.`);
  if (status !== 200) return failed('internal', `The camera answered ${status}.`);
  let answer: { data?: unknown; error?: { code?: unknown; message?: unknown } };
  try {
    answer = JSON.parse(body);
  } catch {
    return failed('unreadable', 'The camera answered something that is not JSON.');
  }
  if (typeof answer !== 'object' || answer === null) return failed('unreadable', 'The camera answered no object.');
  if (answer.error === undefined || answer.error === null) return { status: 'answered', data: answer.data };
  return { status: 'rejected', code: Number(answer.error.code), message: String(answer.error.message) };
}

function failed(reason: Failure['reason'], detail: string): Failure {
  return { status: 'failed', reason, detail };
}

function post(
  { url, ca, timeoutMs }: VapixOptions,
  path: string,
  body: string,
  authorization: string | null,
): Promise<HttpAnswer> {
  const isTls = url.protocol === 'https:';
  const { request } = isTls
    ? loadBuiltin<typeof import('node:https')>('node:https')
    : loadBuiltin<typeof import('node:http')>('node:http');
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      {
        method: 'POST',
        agent: false,
        signal,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          ...(authorization === null ? {} : { Authorization: authorization }),
        },
        ...(isTls && ca !== null ? { ca } : {}),
      },
      (incoming) => readAnswer(incoming).then(resolve, (error) => reject(signal.aborted ? signal.reason : error)),
    );
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    outgoing.end(body);
  });
}

async function readAnswer(incoming: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > maxAnswerBytes) throw new Error('The camera answered more than 256 KiB.');
    chunks.push(chunk);
  }
  const challenge = incoming.headers['www-authenticate'] ?? '';
  return { status: incoming.statusCode ?? 0, challenge, body: Buffer.concat(chunks).toString() };
}
