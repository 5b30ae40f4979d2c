import type { OutgoingHttpHeaders } from 'node:http';

/** Settings of the console for this installation, served as `/config.json`. */
export type ConsoleConfig = { issuer: string; clientId: string; audience: string; scopes?: string[] };

/**
 * Headers of every console file. Scripts, styles and images come from its own origin, and nothing is inline. Besides
 * the API it connects only to the issuer, whose hidden frame (for silent renewal) returns to the console's address. The
 * cloud sends the same headers, and further ones that are only valid over HTTPS.
 */
export function consoleHeaders({ issuer }: ConsoleConfig): OutgoingHttpHeaders {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self' ${new URL(issuer).origin}`,
    `frame-src 'self' ${new URL(issuer).origin}`,
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types watchpost-offline',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'X-Content-Type-Options': 'nosniff',
  };
}
