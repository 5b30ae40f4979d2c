import type { ErrorClass } from '../../domain/delivery/delivery.ts';

export type OutboundFailure = { errorClass: ErrorClass; detail: string };

/**
 * The meaning of an error code of the socket, the TLS layer or the client. Certificate faults have dozens of codes and are recognized by
 * their form.
 */
const classes: Record<string, OutboundFailure> = {
  ECONNREFUSED: { errorClass: 'connection_refused', detail: 'The connection was refused.' },
  EHOSTUNREACH: { errorClass: 'connection_refused', detail: 'The host cannot be reached.' },
  ENETUNREACH: { errorClass: 'connection_refused', detail: 'The network cannot be reached.' },
  EADDRNOTAVAIL: { errorClass: 'connection_refused', detail: 'The address cannot be reached from here.' },
  ECONNRESET: { errorClass: 'connection_reset', detail: 'The connection was cut.' },
  EPIPE: { errorClass: 'connection_reset', detail: 'The connection was cut.' },
  UND_ERR_SOCKET: { errorClass: 'connection_reset', detail: 'The connection ended before the answer did.' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { errorClass: 'connection_reset', detail: 'The answer was cut short.' },
  UND_ERR_HEADERS_OVERFLOW: { errorClass: 'connection_reset', detail: 'The answer has too many headers.' },
  ETIMEDOUT: { errorClass: 'timeout', detail: 'No connection was made in time.' },
  UND_ERR_CONNECT_TIMEOUT: { errorClass: 'timeout', detail: 'No connection was made in time.' },
  UND_ERR_HEADERS_TIMEOUT: { errorClass: 'timeout', detail: 'No answer came in time.' },
  UND_ERR_BODY_TIMEOUT: { errorClass: 'timeout', detail: 'The answer did not end in time.' },
  UND_ERR_ABORTED: { errorClass: 'timeout', detail: 'No full answer came in time.' },
};

const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO|INVALID_CA|PATH_LENGTH|HOSTNAME_)/;

/** Why a request failed, without addresses or secrets. @returns null where the fault is not the receiver's */
export function failureOf(error: unknown): OutboundFailure | null {
  const { code, name, errors, cause } = error as { code?: string; name?: string; errors?: unknown[]; cause?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return classes['UND_ERR_ABORTED'] ?? null;
  if (code !== undefined && classes[code]) return classes[code];
  if (code !== undefined && tlsCode.test(code)) return { errorClass: 'tls_error', detail: `TLS failed (${code}).` };
  if (name === 'HTTPParserError' || code?.startsWith('HPE_')) {
    return { errorClass: 'connection_reset', detail: 'The answer is not HTTP.' };
  }
  if (errors?.length) return failureOf(errors[0]);
  return cause ? failureOf(cause) : null;
}
