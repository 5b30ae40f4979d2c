import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Service, sendJson, serveHttp } from '../http-server.ts';
import { createMessages } from './messages.ts';
import { inboxPage } from './page.ts';
import { createReceivers } from './receivers.ts';
import { startSmtp } from './smtp.ts';

export type InboxConfig = {
  /** The page, the mail server, and the chat rooms and text messages behind TLS; 0 takes a free port. */
  pagePort: number;
  smtpPort: number;
  tlsPort: number;
  certificateFile: string;
  certificateKeyFile: string;
};

export type Inbox = { pagePort: number; smtpPort: number; tlsPort: number; stop(): Promise<void> };

const mostKept = 1000;

/** Where mails, chat and text messages of a local run arrive: a page and `GET /messages` show them, `DELETE /messages` clears them. */
export async function startInbox(config: InboxConfig): Promise<Inbox> {
  const messages = createMessages(mostKept);
  const now = () => new Date().toISOString();
  const smtp = await startSmtp(config.smtpPort, messages, now);
  const tls = await serveTls(config, createReceivers(messages, now));
  const page = await serveHttp((request, response) => {
    const isMessages = request.url === '/messages';
    if (isMessages && request.method === 'DELETE') {
      messages.clear();
      return sendJson(response, 200, { messages: [] });
    }
    if (isMessages) return sendJson(response, 200, { messages: messages.list() });
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'",
    });
    response.end(inboxPage(messages.list()));
  }, config.pagePort);
  const services = [page, tls, smtp];
  return {
    pagePort: page.port,
    smtpPort: smtp.port,
    tlsPort: tls.port,
    stop: async () => {
      await Promise.all(services.map((service) => service.stop()));
    },
  };
}

async function serveTls(
  { tlsPort, certificateFile, certificateKeyFile }: InboxConfig,
  handler: ReturnType<typeof createReceivers>,
): Promise<Service> {
  const files = { cert: readFileSync(certificateFile), key: readFileSync(certificateKeyFile) };
  const server = createServer(files, (request, response) => {
    handler(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(tlsPort, '127.0.0.1', resolve);
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
