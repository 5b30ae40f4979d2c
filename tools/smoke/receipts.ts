import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Run } from '../../local/stack/run-file.ts';

/** A webhook request as it came in. `address`: who sent it, as far as can be told. */
export type Receipt = { headers: Record<string, string | string[] | undefined>; body: string; address: string };

/** Where the webhook of a smoke test arrives. */
export type Receiver = { url: string; received(): Promise<Receipt[]>; close(): Promise<void> };

/** The receiver of a local stack, at a hook of its own. */
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
 * Listens on a port of this machine for itself alone, behind whatever ends TLS at `url`: that is to name its caller as the last of `X-Forwarded-For`.
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
