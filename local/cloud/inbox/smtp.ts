import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Service } from '../../machine/http-server.ts';
import type { Messages } from './messages.ts';

/** A mail server that accepts mail to anybody and forwards none. `now` returns the time. */
export async function startSmtp(port: number, messages: Messages, now: () => string): Promise<Service> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    // Milliseconds that stopping waits for open connections. Clients keep theirs open for the next mail.
    closeTimeout: 200,
    onAuth: (_auth, _session, done) => done(null, { user: 'anybody' }),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', done);
      stream.on('end', async () => {
        try {
          const mail = await PostalMime.parse(Buffer.concat(chunks));
          messages.add({
            kind: 'email',
            at: now(),
            to: session.envelope.rcptTo.map(({ address }) => address),
            from: mail.from?.address ?? '',
            subject: mail.subject ?? '',
            text: mail.text ?? '',
            html: mail.html ?? '',
            messageId: mail.messageId ?? '',
          });
          done();
        } catch (error) {
          done(error as Error);
        }
      });
    },
  });
  // A client that disconnects in the middle is no error of ours.
  server.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
