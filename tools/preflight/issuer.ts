import { compactVerify, createLocalJWKSet, decodeJwt, type JSONWebKeySet, type JWTPayload } from 'jose';
import { type Caller, callerOf } from '../../shared/adapters/auth/bearer-auth.ts';
import { AppError } from '../../shared/errors.ts';
import type { Issuer } from '../../shared/settings-issuers.ts';
import { type Finding, ok, problem, unknown } from './finding.ts';

const timeoutMs = 10_000;

/** Checks what each issuer publishes, and the claims of a token as the API reads them. The token is never printed. */
export async function checkIssuers(issuers: readonly Issuer[], token: string | null): Promise<Finding[]> {
  const published = await Promise.all(issuers.map((issuer) => checkIssuer(issuer)));
  const findings = published.flatMap(({ findings }) => findings);
  if (token === null)
    return [
      ...findings,
      unknown('no token was given', 'Give one by `--token-file FILE`, or `--token-file -` to paste it.'),
    ];
  const keys = new Map(published.map(({ issuer, keys }) => [issuer, keys]));
  return [...findings, ...(await checkToken(token.trim(), keys))];
}

type Published = { issuer: Issuer; findings: Finding[]; keys: JSONWebKeySet | null };

async function checkIssuer(entry: Issuer): Promise<Published> {
  const { name, issuer } = entry;
  const findings: Finding[] = [];
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  let keysUrl: unknown = entry.keysUrl;
  if (keysUrl === null) {
    const document = await readJson(address);
    if (!document) {
      const toDo = 'Set `issuer` to the `iss` of its tokens, or `keys_url` where it publishes no description.';
      return {
        issuer: entry,
        findings: [problem(`the issuer ${name} does not describe itself at ${address}`, toDo)],
        keys: null,
      };
    }
    findings.push(
      document['issuer'] === issuer
        ? ok(`the issuer ${name} describes itself at ${address}`)
        : problem(
            `the issuer ${name} calls itself ${document['issuer']}`,
            'Set `issuer` to exactly that, with or without the slash at its end.',
          ),
    );
    keysUrl = document['jwks_uri'];
  }
  const keys = typeof keysUrl === 'string' ? ((await readJson(keysUrl)) as JSONWebKeySet | null) : null;
  findings.push(
    keys?.keys?.length
      ? ok(`the issuer ${name} publishes ${keys.keys.length} keys`)
      : problem(
          `the issuer ${name} publishes no keys`,
          'Look at `jwks_uri` of its description; tokens cannot be verified without.',
        ),
  );
  return { issuer: entry, findings, keys: keys?.keys?.length ? keys : null };
}

async function checkToken(token: string, keysOf: ReadonlyMap<Issuer, JSONWebKeySet | null>): Promise<Finding[]> {
  let claims: JWTPayload;
  try {
    claims = decodeJwt(token);
  } catch {
    return [
      problem(
        'the token is no JWT',
        'Ask the issuer for access tokens in the form of a JWT (an opaque token cannot be verified).',
      ),
    ];
  }
  const entry = [...keysOf.keys()].find(({ issuer }) => issuer === claims.iss);
  if (!entry)
    return [
      problem(
        `the token names the issuer ${claims.iss}`,
        'Set `issuer` of an entry to it; Entra ID has another for tokens of version 1 and 2.',
      ),
    ];
  const findings = [
    ok(`the token names the issuer ${entry.name}`),
    ...checkUse(claims, entry),
    ...checkRights(claims, entry),
  ];
  const keys = keysOf.get(entry) ?? null;
  if (!keys) return findings;
  const isSigned = await compactVerify(token, createLocalJWKSet(keys)).then(
    () => true,
    () => false,
  );
  return [
    ...findings,
    isSigned
      ? ok('the token is signed by a key of the issuer')
      : problem(
          'the token is not signed by a key of the issuer',
          'Take an access token of this issuer; tokens of Microsoft Graph verify for Graph alone.',
        ),
  ];
}

function checkUse({ aud, exp }: JWTPayload, { audience }: Issuer): Finding[] {
  const audiences = [aud ?? []].flat();
  return [
    audiences.includes(audience)
      ? ok(`the token names the audience ${audience}`)
      : problem(
          `the token names the audience ${audiences.join(', ') || '(none)'}, not ${audience}`,
          'Set `audience`, or have the client ask for this API.',
        ),
    exp === undefined
      ? problem('the token never ends', 'Have the issuer set `exp`.')
      : exp * 1000 < Date.now()
        ? problem('the token has ended', 'Paste a fresh one.')
        : ok('the token has not ended'),
  ];
}

/** What the API would read in the token. */
function checkRights(claims: JWTPayload, entry: Issuer): Finding[] {
  let caller: Caller;
  try {
    caller = callerOf(claims, entry);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      problem(error.message.replace(/\.$/, ''), 'Change what the issuer writes into the claim: docs/issuers.md.'),
    ];
  }
  const { scopes, groups, faultOfGroups } = caller;
  return [
    scopes.size > 0
      ? ok(`the token grants ${[...scopes].join(', ')}`)
      : problem(
          'the token grants no scope of Watchpost',
          'Define the scopes at the issuer, and have the client ask for them: docs/issuers.md.',
        ),
    faultOfGroups !== null
      ? problem('the token opens nothing', faultOfGroups)
      : ok(groups === null ? 'the token sees every group' : `the token sees the groups ${groups.join(', ')}`),
  ];
}

async function readJson(url: string): Promise<Record<string, unknown> | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    return response.ok ? ((await response.json()) as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
