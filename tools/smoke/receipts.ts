import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Run } from '../../local/stack/run-file.ts';

/** A received webhook request. `address`: its sender, as far as known. */
export type Receipt = { headers: Record<string, string | string[] | undefined>; body: string; address: string };

/** The receiver of a smoke test's webhook. */
export type Receiver = { url: string; received(): Promise<Receipt[]>; close(): Promise<void> };

/** A separate hook of a local stack's receiver. */
export function stackReceiver({ receiverUrl, receiverControlUrl }: Run, hook: string): Receiver {
  return {
    url: `${receiverUrl}/${hook}`,
    async received() {
      const response = await fetch(`${receiverControlUrl}/received?hook=${hook}`);
      return ((await response.json()) as { received: Receipt[] }).received;
    },
    close: async () => {},
  };
}

const maxBodyBytes = 1024 * 1024;

/**
 * Listens on a local port, behind a proxy at `url` that terminates TLS and appends its caller's address to `X-Forwarded-For`.
 * @param port free if 0
 */
export async function ownReceiver(url: string, port: number): Promise<Receiver & { port: number }> {
  const receipts: Receipt[] = [];
  const server = createServer(async (request, response): Promise<void> => {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBodyBytes) return void request.destroy();
      chunks.push(chunk);
    }
    const forwarded = request.headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim();
    const address = forwarded || (request.socket.remoteAddress ?? '');
    receipts.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), address });
    response.end('received\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  return {
    url,
    port: (server.address() as AddressInfo).port,
    received: async () => receipts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
