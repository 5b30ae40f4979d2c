import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Status = {
  /** False once the bridge has ended, and waits to be started again. */
  isRunning(): boolean;
  /** What it cannot reach, and why. Empty: it forwards. */
  problems(): Record<string, string>;
  metrics(): string;
};

export type StatusServer = { port: number; stop(): Promise<void> };

/** Serves `/healthz`, `/readyz` and `/metrics`. */
export async function serveStatus(port: number, status: Status): Promise<StatusServer> {
  const server = createServer((request, response) => {
    const answer = answerTo((request.url ?? '').split('?')[0] ?? '', status);
    response.writeHead(answer.code, { 'Content-Type': answer.type, 'Cache-Control': 'no-store' });
    response.end(answer.body);
  });
  await listen(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerTo(path: string, status: Status): { code: number; type: string; body: string } {
  switch (path) {
    case '/healthz':
      return status.isRunning() ? json(200, { status: 'ok' }) : json(503, { status: 'ended' });
    case '/readyz': {
      const problems = status.problems();
      const isReady = Object.keys(problems).length === 0;
      return isReady ? json(200, { status: 'ready' }) : json(503, { status: 'not-ready', problems });
    }
    case '/metrics':
      return { code: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: status.metrics() };
    default:
      return json(404, { status: 'not-found' });
  }
}

function json(code: number, body: object): { code: number; type: string; body: string } {
  return { code, type: 'application/json; charset=utf-8', body: `${JSON.stringify(body)}\n` };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
}
