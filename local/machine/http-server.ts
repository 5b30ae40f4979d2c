import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running local service: its port and how to stop it. */
export type Service = { port: number; stop(): Promise<void> };

/**
 * Serves `handler` on 127.0.0.1. Port 0 chooses a free one. `stop` also closes open connections.
 * @throws Error of the listening socket, e.g. EADDRINUSE
 */
export async function serveHttp(handler: RequestListener, port: number): Promise<Service> {
  return listenOn(createServer(handler), port);
}

/**
 * Listens with an existing HTTP or HTTPS server.
 * @throws Error of the listening socket
 */
export async function listenOn(server: Server, port: number): Promise<Service> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The whole body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes.length });
  response.end(bytes);
}
