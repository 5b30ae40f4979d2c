import type { Transporter } from 'nodemailer';
import type { Sender } from '../../../app/ports.ts';
import type { ErrorClass, SendOutcome } from '../../../domain/delivery/delivery.ts';
import { notTaken, taken } from '../outcome.ts';

type Parts = {
  /** `smtp://user:password@host:port` */
  smtpUrl: string;
  /** `Name <address>` */
  from: string;
};

/** What nodemailer's errors carry. */
type MailError = Error & { code?: string; responseCode?: number; response?: string };

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 5000 };
const excerptLength = 500;

/** The channel `email`: SMTP with text and HTML. The message id is the delivery's, so a mail that is sent again is known as the same. */
export function createEmailSender({ smtpUrl, from }: Parts): Sender {
  let transport: Promise<Transporter> | null = null;
  return {
    async send({ target, body, deliveryId, alertId }) {
      if (target.kind !== 'email') throw new Error(`delivery ${deliveryId} is no mail`);
      const { subject, text, html } = JSON.parse(body) as { subject: string; text: string; html: string };
      transport ??= connect(smtpUrl);
      try {
        const sent = await (await transport).sendMail({
          from,
          to: target.address,
          subject,
          text,
          html,
          messageId: `<${deliveryId}@watchpost>`,
          // One thread for all mails about an alert.
          ...(alertId ? { references: `<alert-${alertId}@watchpost>` } : {}),
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Watchpost-Delivery': deliveryId },
        });
        const { response } = sent as { response?: string };
        return taken(Number.parseInt(response ?? '', 10) || null, excerptOf(response));
      } catch (error) {
        return outcomeOf(error as MailError);
      }
    },
  };
}

async function connect(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const access = { disableFileAccess: true, disableUrlAccess: true };
  // A server that somebody in between keeps from offering STARTTLS gets no mail, and no password. On this machine there is nobody in between.
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

/** RFC 5321: 4yz may pass, 5yz will not, for this message. A login that is refused is ours to mend, and worth waiting for. */
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
  if (known) return notTaken(known, 'The mail server was not reached.', { isRetryable: true });
  return notTaken('refused_by_channel', `The mail could not be sent (${code || 'no code'}).`, {
    isRetryable: code !== 'EENVELOPE',
  });
}

function excerptOf(response: string | undefined): string | null {
  return response === undefined ? null : response.slice(0, excerptLength);
}
