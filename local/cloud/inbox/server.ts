import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { listenOn, type Service, sendJson, serveHttp } from '../../machine/http-server.ts';
import { createMessages, type Received } from './messages.ts';
import { inboxPage } from './page.ts';
import { createReceivers } from './receivers.ts';
import { startSmtp } from './smtp.ts';

export type InboxConfig = {
  /** Ports of the page, of the mail server, and of chat and text messages over TLS. 0 chooses a free one. */
  pagePort: number;
  smtpPort: number;
  tlsPort: number;
  certificateFile: string;
  certificateKeyFile: string;
  /** Where the receiver lists its webhooks. Null: they are not shown. */
  receiverControlUrl: string | null;
};

export type Inbox = { pagePort: number; smtpPort: number; tlsPort: number; stop(): Promise<void> };

const mostKept = 1000;

/**
 * Receives mails, chat messages and text messages of a local run. A page and `GET /messages` show them together with
 * the receiver's webhooks; `DELETE /messages` deletes all except the webhooks.
 */
export async function startInbox(config: InboxConfig): Promise<Inbox> {
  const messages = createMessages(mostKept);
  const now = () => new Date().toISOString();
  const smtp = await startSmtp(config.smtpPort, messages, now);
  const tls = await serveTls(config, createReceivers(messages, now));
  const page = await serveHttp(async (request, response) => {
    const isMessages = request.url === '/messages';
    if (isMessages && request.method === 'DELETE') {
      messages.clear();
      return sendJson(response, 200, { messages: [] });
    }
    const shown = [...messages.list(), ...(await readWebhooks(config.receiverControlUrl))];
    shown.sort((a, b) => (a.at < b.at ? 1 : -1));
    if (isMessages) return sendJson(response, 200, { messages: shown });
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'",
    });
    response.end(inboxPage(shown));
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

/** The receiver is a separate process and may be down: then no webhooks are shown. */
async function readWebhooks(controlUrl: string | null): Promise<Received[]> {
  if (controlUrl === null) return [];
  try {
    const response = await fetch(`${controlUrl}/received`, { signal: AbortSignal.timeout(1000) });
    const { received } = (await response.json()) as {
      received: Omit<Extract<Received, { kind: 'webhook' }>, 'kind'>[];
    };
    return received.slice(-mostKept).map((each) => ({ kind: 'webhook', ...each }));
  } catch {
    return [];
  }
}

async function serveTls(
  { tlsPort, certificateFile, certificateKeyFile }: InboxConfig,
  handler: ReturnType<typeof createReceivers>,
): Promise<Service> {
  const files = { cert: readFileSync(certificateFile), key: readFileSync(certificateKeyFile) };
  const server = createServer(files, (request, response) => {
    handler(request, response).catch(() => response.destroy());
  });
  return listenOn(server, tlsPort);
}
