import { gunzipSync } from 'node:zlib';
import type { Transporter } from 'nodemailer';
import type { Sender, Store } from '../../../app/ports.ts';
import type { Attached } from '../../../domain/attachment.ts';
import type { ErrorClass, SendOutcome } from '../../../domain/delivery/delivery.ts';
import { notTaken, taken } from '../outcome.ts';

type EmailSenderParts = {
  /** `smtp://user:password@host:port` */
  smtpUrl: string;
  /** `Name <address>` */
  from: string;
  store: Pick<Store, 'get'>;
};

/** Members of an error of nodemailer. */
type MailError = Error & { code?: string; responseCode?: number; response?: string; timeoutType?: string };

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 5000 };
const excerptLength = 500;

/** The channel `email`: SMTP with text and HTML. The message id is that of the delivery, so receivers recognize a repeated mail. */
export function createEmailSender({ smtpUrl, from, store }: EmailSenderParts): Sender {
  let transport: Promise<Transporter> | null = null;
  return {
    async send({ target, body, deliveryId, alertId, attached }) {
      if (target.kind !== 'email') throw new Error(`delivery ${deliveryId} is not a mail`);
      const { subject, text, html } = JSON.parse(body) as { subject: string; text: string; html: string };
      const attachments = await filesOf(store, attached ?? []);
      if (!attachments) return notTaken('refused_by_channel', 'Its file is kept no longer.', { isRetryable: false });
      transport ??= connect(smtpUrl);
      try {
        const sent = await (await transport).sendMail({
          from,
          to: target.address,
          subject,
          text,
          html,
          attachments,
          messageId: `<${deliveryId}@watchpost>`,
          // One thread for all mails about an alert.
          ...(alertId ? { references: `<alert-${alertId}@watchpost>` } : {}),
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Watchpost-Delivery': deliveryId },
        });
        const { response } = sent as { response?: string };
        return taken(Number.parseInt(response ?? '', 10) || null, excerptOf(response));
      } catch (error) {
        return attached && mayHaveArrived(error as MailError) ? unsure : outcomeOf(error as MailError);
      }
    },
  };
}

type File = { filename: string; contentType: string; content: Buffer };

/** The files of a mail. Null: one of them has expired or was erased. */
async function filesOf(store: Pick<Store, 'get'>, attached: readonly Attached[]): Promise<File[] | null> {
  const files: File[] = [];
  for (const { name, media, parts } of attached) {
    const found = await store.get('attachments', parts);
    const bytes = found.flatMap((part) => (part ? [Buffer.from(part.data.data, 'base64')] : []));
    if (bytes.length < parts.length) return null;
    files.push({ filename: name, contentType: media, content: gunzipSync(Buffer.concat(bytes)) });
  }
  return files;
}

/** Whether the connection was lost after the server was reached, so that it may have accepted the mail. A mail with files is then not retried. */
function mayHaveArrived({ code, responseCode, timeoutType, message }: MailError): boolean {
  if (responseCode !== undefined) return false;
  if (code === 'ETIMEDOUT') return timeoutType === 'SOCKET_TIMEOUT';
  return code === 'ECONNECTION' || code === 'ECONNRESET' || (code === 'ESOCKET' && !message.includes('ECONNREFUSED'));
}

const lost = 'The mail server was lost before it answered, and the mail may have arrived: send it again if it has not.';
const unsure = notTaken('connection_reset', lost, { isRetryable: false });

async function connect(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const access = { disableFileAccess: true, disableUrlAccess: true };
  // Without STARTTLS no mail and no password is sent, because an attacker on the path can suppress the offer. On the local machine there is no such
  // path.
  const isLocal = /^(localhost|127\.|\[::1\])/.test(new URL(url).hostname);
  const tls = isLocal ? {} : { requireTLS: true, ignoreTLS: false };
  return createTransport({ url, pool: true, maxConnections: 4, ...timeouts, ...access, ...tls } as object);
}

const classes: Record<string, ErrorClass> = {
  ETIMEDOUT: 'timeout',
  EDNS: 'dns_error',
  ENOTFOUND: 'dns_error',
  ETLS: 'tls_error',
  ECONNREFUSED: 'connection_refused',
  ECONNECTION: 'connection_reset',
  ECONNRESET: 'connection_reset',
  ESOCKET: 'connection_reset',
};

/** RFC 5321: 4yz is temporary, 5yz is final for this message. A refused login is a fault of our settings, so another attempt may succeed. */
function outcomeOf({ code = '', responseCode, response, message }: MailError): SendOutcome {
  const responseExcerpt = excerptOf(response);
  const statusCode = responseCode ?? null;
  if (code === 'EAUTH') {
    return notTaken('not_configured', 'The mail server refuses our login.', { isRetryable: true, statusCode });
  }
  if (responseCode !== undefined) {
    const isRetryable = responseCode < 500;
    const detail = `The mail server answered ${responseCode}.`;
    return notTaken('refused_by_channel', detail, { isRetryable, statusCode, responseExcerpt });
  }
  const known = classes[code === 'ESOCKET' && message.includes('ECONNREFUSED') ? 'ECONNREFUSED' : code];
  if (known) return notTaken(known, 'The mail server could not be reached.', { isRetryable: true });
  return notTaken('refused_by_channel', `The mail could not be sent (${code || 'no code'}).`, {
    isRetryable: code !== 'EENVELOPE',
  });
}

function excerptOf(response: string | undefined): string | null {
  return response === undefined ? null : response.slice(0, excerptLength);
}
