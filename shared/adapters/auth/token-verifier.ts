import { hash } from 'node:crypto';
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  type ExportedJWKSCache,
  errors,
  type FetchImplementation,
  type JWKSCacheInput,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwksCache,
  jwtVerify,
} from 'jose';
import { AppError } from '../../errors.ts';
import { clock } from '../clock.ts';

/** Checks a JSON Web Token. @throws AppError `unauthenticated`, or `unavailable` when the issuer's keys cannot be fetched */
export type TokenVerifier = (token: string) => Promise<JWTPayload>;

type Options = {
  issuer: string;
  audience: string;
  /** The address of the key set. Null: the one in the issuer's discovery document. */
  keysUrl: string | null;
  /** Largest number of cached results. A full cache is emptied. */
  cacheSize?: number;
};

/** The key set and when it was fetched (`uat`), as jose keeps them. */
type FetchedKeys = Partial<ExportedJWKSCache>;

/** Only asymmetric algorithms, so that a public key can never be used as the secret of an HMAC. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const clockToleranceSeconds = 30;
/**
 * How long after fetching a key set its keys and the results of checks are trusted. A key that the issuer has removed is refused after this
 * time.
 */
const trustMs = 60_000;
const maxTokenBytes = 8192;

/** Verifies signature, issuer, audience and times. Caches a result by the token's digest for as long as it may be trusted. */
export function createTokenVerifier({ issuer, audience, keysUrl, cacheSize = 10_000 }: Options): TokenVerifier {
  const verdicts = new Map<string, TokenVerdict>();
  let fetched: FetchedKeys = {};
  let keys: Promise<JWTVerifyGetKey> | null = null;
  const loadKeys = () => {
    keys ??= keySet(issuer, keysUrl, fetched).catch((error) => {
      keys = null;
      throw error;
    });
    return keys;
  };
  // The age of keys is measured by our own clock, right or wrong. Where it was set back, their age is unknown.
  const forgetFutureKeys = (now: number) => {
    if (fetched.uat === undefined || fetched.uat <= now) return;
    verdicts.clear();
    [keys, fetched] = [null, {}];
  };
  return async (token) => {
    if (token.length > maxTokenBytes) throw refused('is malformed');
    const digest = hash('sha256', token, 'base64');
    const now = Date.now();
    forgetFutureKeys(now);
    const known = verdicts.get(digest);
    if (known && isTrusted(known, now)) return known.payload;
    if (!isCompact(token)) throw refused('is malformed');
    await clock.settle();
    // A key set that is too old is fetched again before use. If another call fetches one at the same time, this token may have been checked with the
    // older set, so the older time counts.
    const keysOf = fetched.uat !== undefined && now < fetched.uat + trustMs ? fetched.uat : now;
    const payload = await verify(token, loadKeys, { issuer, audience });
    if (verdicts.size >= cacheSize) verdicts.clear();
    const expiresAt = (payload.exp ?? 0) * 1000 + clockToleranceSeconds * 1000;
    verdicts.set(digest, { payload, expiresAt, until: keysOf + trustMs });
    return payload;
  };
}

/** The result of a check: how long the token is valid by true time, and how long its keys are trusted by our own clock. */
type TokenVerdict = { payload: JWTPayload; expiresAt: number; until: number };

function isTrusted({ expiresAt, until }: TokenVerdict, now: number): boolean {
  return until > now && expiresAt > clock.ms();
}

/** The `iss` that a token claims, before anything of it is verified. @throws AppError `unauthenticated` */
export function claimedIssuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    throw refused('is malformed');
  }
}

/**
 * Whether a token is three parts of unpadded base64url. Decoders are lenient: they ignore foreign characters and the unused bits of the last one.
 * Two spellings of one token must not both be accepted, so each part must be what an encoder would write.
 */
function isCompact(token: string): boolean {
  const parts = token.split('.', 4);
  const isStrict = (part: string) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
  return parts.length === 3 && parts.every(isStrict);
}

async function verify(
  token: string,
  loadKeys: () => Promise<JWTVerifyGetKey>,
  { issuer, audience }: Pick<Options, 'issuer' | 'audience'>,
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, await loadKeys(), {
      issuer,
      audience,
      algorithms,
      clockTolerance: clockToleranceSeconds,
      // Read after the keys were fetched, which also shows the issuer's time.
      get currentDate() {
        return new Date(clock.ms());
      },
      requiredClaims: ['exp', 'sub'],
    });
    if (typeof payload.sub !== 'string' || payload.sub === '') throw refused('names no subject');
    const fault = faultOfUse(protectedHeader.typ, payload);
    if (fault !== null) throw refused(fault);
    return payload;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof errors.JOSEError && !isKeySetFault(error)) throw refused(reasonOf(error), error);
    throw unavailable(error);
  }
}

/** Types of a token for an API: RFC 9068, and what issuers wrote before it. Without one, the claims decide. */
const accessTypes: ReadonlySet<string> = new Set(['at+jwt', 'jwt']);

/**
 * Why a token of the issuer is not one for an API. An issuer signs others with the same keys: of a sign-in (`at_hash`, `c_hash`: OpenID Connect
 * Core 3.1.3.6 and 3.3.2.11), of a sign-out, of events. A token with `cnf` is bound to a key (RFC 7800) whose possession nobody proves here.
 * @param typ a media type; `application/` may be left out, and case does not matter (RFC 7515, section 4.1.9)
 */
function faultOfUse(typ: unknown, payload: JWTPayload): string | null {
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
  if (typ !== undefined && !accessTypes.has(type)) return 'is of a type that is not for an API';
  if (payload['at_hash'] !== undefined || payload['c_hash'] !== undefined)
    return 'is an ID token: send the access token';
  return payload['cnf'] === undefined ? null : 'is bound to a key (`cnf`), which is not supported';
}

async function keySet(issuer: string, keysUrl: string | null, fetched: FetchedKeys): Promise<JWTVerifyGetKey> {
  return createRemoteJWKSet(new URL(keysUrl ?? (await discover(issuer))), {
    [jwksCache]: fetched as JWKSCacheInput,
    cacheMaxAge: trustMs,
    cooldownDuration: 10_000,
    timeoutDuration: 3000,
    [customFetch]: fetchKeys,
  });
}

/** Fetches the keys, and hears from the issuer what time it is. A cache adds the age of its copy; the header has whole seconds. */
async function fetchKeys(url: string, options: Parameters<FetchImplementation>[1]): Promise<Response> {
  const askedMs = clock.elapsedMs();
  const response = await fetch(url, options);
  const atMs = Date.parse(response.headers.get('Date') ?? '') + Number(response.headers.get('Age') ?? 0) * 1000;
  if (Number.isFinite(atMs)) clock.hear('issuer', atMs + 500, askedMs);
  return response;
}

async function discover(issuer: string): Promise<string> {
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(url, { signal: AbortSignal.timeout(3000), redirect: 'error' });
    const { jwks_uri: uri } = (await response.json()) as { jwks_uri?: string };
    if (!response.ok || !uri) throw new Error(`discovery answered ${response.status} without jwks_uri`);
    return uri;
  } catch (error) {
    throw unavailable(error);
  }
}

/** The key set could not be fetched or read. An unknown key id, by contrast, is the token's fault. */
function isKeySetFault(error: errors.JOSEError): boolean {
  return (
    error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC'
  );
}

function reasonOf(error: errors.JOSEError): string {
  return error.code === 'ERR_JWT_EXPIRED' ? 'has expired' : 'is not valid';
}

function refused(why: string, cause?: unknown): AppError {
  return new AppError('unauthenticated', `The bearer token ${why}.`, {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    cause,
  });
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The keys of the token issuer cannot be read.', { cause });
}
