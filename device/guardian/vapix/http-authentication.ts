import { createHash } from 'node:crypto';

export type Credentials = { username: string; password: string };

/** One challenge of a `WWW-Authenticate` header: the scheme in lower case, and its parameters. */
export type Challenge = { scheme: string; parameters: Record<string, string> };

/** The request to authorise. `isPrivate`: nobody else can read it, because it uses TLS or a loopback address. */
export type AuthorisedRequest = { method: string; path: string; isPrivate: boolean };

/** Digest algorithms of RFC 7616 section 6.1, the strongest first. */
const hashes: Record<string, string> = { 'SHA-512-256': 'sha512-256', 'SHA-256': 'sha256', MD5: 'md5' };

/** A scheme is followed by its first parameter, or stands alone. */
const challengeStart = /^[\s,]*([A-Za-z][A-Za-z0-9-]*)(?:\s+(?=[A-Za-z][A-Za-z0-9_-]*\s*=)|\s*(?=,|$))/;
const parameter = /^[\s,]*([A-Za-z][A-Za-z0-9_-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/;

/** Reads a `WWW-Authenticate` header, which may hold several challenges (RFC 9110, section 11.6.1). */
export function parseChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  let rest = header.slice(0, 4096);
  while (rest.length > 0) {
    const start = challengeStart.exec(rest);
    const pair = start ? null : parameter.exec(rest);
    if (start) {
      challenges.push({ scheme: (start[1] ?? '').toLowerCase(), parameters: {} });
    } else if (pair) {
      const current = challenges.at(-1);
      if (current)
        current.parameters[(pair[1] ?? '').toLowerCase()] = pair[2]?.replace(/\\(.)/g, '$1') ?? pair[3] ?? '';
    } else {
      break;
    }
    rest = rest.slice((start ?? pair)?.[0].length);
  }
  return challenges;
}

/**
 * Answers the best challenge: digest before basic, and basic only on a private connection.
 * @param count how often this nonce has been used, from 1
 * @param clientNonce fresh random text
 * @returns the `Authorization` header, or null where no challenge can be answered
 */
export function authorise(
  challenges: readonly Challenge[],
  credentials: Credentials,
  request: AuthorisedRequest,
  count: number,
  clientNonce: string,
): string | null {
  for (const algorithm of Object.keys(hashes)) {
    const digest = challenges.find(
      ({ scheme, parameters }) => scheme === 'digest' && baseOf(parameters['algorithm']) === algorithm,
    );
    if (digest && isAnswerable(digest)) return answerDigest(digest, credentials, request, count, clientNonce);
  }
  const basic = challenges.some(({ scheme }) => scheme === 'basic') && request.isPrivate;
  return basic ? `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}` : null;
}

function baseOf(algorithm = 'MD5'): string {
  return algorithm.toUpperCase().replace(/-SESS$/, '');
}

/** `auth-int` alone would need the body's digest. No known camera requires it. */
function isAnswerable({ parameters }: Challenge): boolean {
  const { qop, nonce, realm } = parameters;
  return (
    nonce !== undefined &&
    realm !== undefined &&
    (qop === undefined || qop.split(',').some((one) => one.trim() === 'auth'))
  );
}

/** The response of RFC 7616 section 3.4.1; without `qop` the older one of RFC 2069. */
function answerDigest(
  { parameters }: Challenge,
  { username, password }: Credentials,
  { method, path }: AuthorisedRequest,
  count: number,
  clientNonce: string,
): string {
  const { realm = '', nonce = '', opaque, algorithm, qop } = parameters;
  const hash = (text: string) =>
    createHash(hashes[baseOf(algorithm)] ?? 'md5')
      .update(text)
      .digest('hex');
  const nonceCount = count.toString(16).padStart(8, '0');
  const isSession = /-sess$/i.test(algorithm ?? '');
  const secret = hash(`${username}:${realm}:${password}`);
  const first = isSession ? hash(`${secret}:${nonce}:${clientNonce}`) : secret;
  const second = hash(`${method}:${path}`);
  const response =
    qop === undefined
      ? hash(`${first}:${nonce}:${second}`)
      : hash(`${first}:${nonce}:${nonceCount}:${clientNonce}:auth:${second}`);
  const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;
  const parts = [
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(path)}`,
    `response="${response}"`,
  ];
  if (algorithm !== undefined) parts.push(`algorithm=${algorithm}`);
  if (qop !== undefined) parts.push('qop=auth', `nc=${nonceCount}`);
  if (qop !== undefined || isSession) parts.push(`cnonce="${clientNonce}"`);
  if (opaque !== undefined) parts.push(`opaque=${quoted(opaque)}`);
  return `Digest ${parts.join(', ')}`;
}
