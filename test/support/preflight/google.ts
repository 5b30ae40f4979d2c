import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers by method and address, further pages also by page token; a number is a status. */
export type Answers = Record<string, object | number>;

/** The answers of Google's APIs for a project that is ready. */
const ready = JSON.parse(readFileSync('test/fixtures/preflight/google.json', 'utf8')) as Answers;

/**
 * A stand-in of Google's APIs for one project, and its access token. `change`: what is answered otherwise than for a project that is ready. `seen`: what
 * Google was asked. Addresses of other hosts need no token.
 */
export async function startGoogle(): Promise<{
  base: string;
  project: string;
  token: string;
  seen: string[];
  change(answers: Answers): void;
  stop(): void;
}> {
  const token = 'ya29.planted-access-token';
  const seen: string[] = [];
  let answers = ready;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
    const page = searchParams.get('pageToken');
    const key = `${request.method} ${pathname.slice(1)}${page ? ` ${page}` : ''}`;
    const isGoogle = pathname.includes('.googleapis.com');
    if (isGoogle) seen.push(`${request.method} ${pathname}`);
    const mayRead = !isGoogle || request.headers.authorization === `Bearer ${token}`;
    const answer = mayRead ? (answers[key] ?? 404) : 401;
    const body = typeof answer === 'number' ? { error: { code: answer, status: 'REFUSED' } } : answer;
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    project: 'watchpost-test',
    token,
    seen,
    change(changed) {
      answers = { ...ready, ...changed };
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
