import { request } from 'undici';

/** Gives the OIDC token that a service account would carry to `audience`. */
export type IdentityTokens = (email: string, audience: string) => Promise<string>;

/** The claims that the local issuer puts into a token. */
export type TokenRequest = {
  audience: string;
  subject: string;
  scope?: string;
  groups?: string[];
  email?: string;
  expiresSeconds: number;
};

const lifetimeSeconds = 3600;
const renewalSeconds = 600;

/**
 * Requests a token from the local issuer. The issuer signs anything, because it listens on 127.0.0.1 and protects nothing real.
 * @throws Error when the issuer does not answer with a token
 */
export async function fetchToken(issuer: string, wanted: TokenRequest): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    aud: wanted.audience,
    subject: wanted.subject,
    expires_seconds: String(wanted.expiresSeconds),
  });
  if (wanted.scope !== undefined) form.set('scope', wanted.scope);
  if (wanted.email !== undefined) form.set('email', wanted.email);
  for (const group of wanted.groups ?? []) form.append('groups', group);
  const answer = await request(`${issuer}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    // Tokens are requested rarely, so each request opens its own connection, which a restart of the issuer cannot have broken.
    reset: true,
    signal: AbortSignal.timeout(5000),
  });
  const body = (await answer.body.json()) as { access_token?: unknown };
  if (answer.statusCode !== 200 || typeof body.access_token !== 'string') {
    throw new Error(`The issuer ${issuer} answered ${answer.statusCode} without a token.`);
  }
  return body.access_token;
}

/** Tokens of service accounts, each fetched once and renewed ten minutes before it ends, by a monotonic clock. */
export function createIdentityTokens(issuer: string, elapsedMs = () => performance.now()): IdentityTokens {
  const held = new Map<string, { token: Promise<string>; renewAt: number }>();
  return (email, audience) => {
    const key = `${email} ${audience}`;
    const known = held.get(key);
    if (known && known.renewAt > elapsedMs()) return known.token;
    const token = fetchToken(issuer, { audience, subject: email, email, expiresSeconds: lifetimeSeconds });
    held.set(key, { token, renewAt: elapsedMs() + (lifetimeSeconds - renewalSeconds) * 1000 });
    token.catch(() => held.delete(key));
    return token;
  };
}
