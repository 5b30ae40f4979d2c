import type { OutgoingHttpHeaders } from 'node:http';

/** What the console must know of the place where it is served; read by it from `/config.json`. */
export type ConsoleConfig = { issuer: string; clientId: string; audience: string };

/**
 * Headers for every file of the console. Script, style and pictures come from its own origin only, nothing is inline; beside the
 * API it talks to the issuer, whose hidden frame (for a silent renewal) comes back to the console's own address. The cloud
 * sends the same, and beside them what plain HTTP must not say.
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
    "trusted-types 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'X-Content-Type-Options': 'nosniff',
  };
}
