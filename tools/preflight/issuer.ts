import { compactVerify, createLocalJWKSet, decodeJwt, type JSONWebKeySet, type JWTPayload } from 'jose';
import { scopes } from '../../shared/schema/scopes.ts';
import { type Finding, ok, problem, unknown } from './finding.ts';

const timeoutMs = 10_000;

/** Checks the issuer's discovery document and keys, and the claims of a token. The token is never printed. */
export async function checkIssuer(issuer: string, audience: string, token: string | null): Promise<Finding[]> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = await readJson(address);
  if (!document)
    return [
      problem(
        `the issuer does not describe itself at ${address}`,
        'Set `auth.issuer` to the `iss` of its tokens, or `auth.keys_url` where it publishes no description.',
      ),
    ];
  const findings: Finding[] = [];
  if (document['issuer'] !== issuer) {
    findings.push(
      problem(
        `the issuer calls itself ${document['issuer']}`,
        'Set `auth.issuer` to exactly that, with or without the slash at its end.',
      ),
    );
  } else findings.push(ok(`the issuer describes itself at ${address}`));
  const keysUrl = document['jwks_uri'];
  const keys = typeof keysUrl === 'string' ? ((await readJson(keysUrl)) as JSONWebKeySet | null) : null;
  if (!keys?.keys?.length)
    findings.push(
      problem(
        'the issuer publishes no keys',
        'Look at `jwks_uri` of its description; tokens cannot be verified without.',
      ),
    );
  else findings.push(ok(`the issuer publishes ${keys.keys.length} keys`));
  if (token === null)
    return [
      ...findings,
      unknown('no token was given', 'Give one by `--token-file FILE`, or `--token-file -` to paste it.'),
    ];
  return [...findings, ...(await checkToken(token.trim(), { issuer, audience, keys }))];
}

type Expected = { issuer: string; audience: string; keys: JSONWebKeySet | null };

async function checkToken(token: string, { issuer, audience, keys }: Expected): Promise<Finding[]> {
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
  const findings = [...checkClaims(claims, issuer, audience), checkScopes(claims), checkGroups(claims)];
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

function checkClaims({ iss, aud, exp }: JWTPayload, issuer: string, audience: string): Finding[] {
  const audiences = [aud ?? []].flat();
  return [
    iss === issuer
      ? ok('the token names the issuer')
      : problem(
          `the token names the issuer ${iss}`,
          'Set `auth.issuer` to it; Entra ID has another for tokens of version 1 and 2.',
        ),
    audiences.includes(audience)
      ? ok(`the token names the audience ${audience}`)
      : problem(
          `the token names the audience ${audiences.join(', ') || '(none)'}, not ${audience}`,
          'Set `auth.audience`, or have the client ask for this API.',
        ),
    exp === undefined
      ? problem('the token never ends', 'Have the issuer set `exp`.')
      : exp * 1000 < Date.now()
        ? problem('the token has ended', 'Paste a fresh one.')
        : ok('the token has not ended'),
  ];
}

function checkScopes(claims: JWTPayload): Finding {
  const granted = [claims['scope'] ?? claims['scp'] ?? []].flat().flatMap((text) => String(text).split(' '));
  const known = scopes.filter((scope) => granted.includes(scope));
  if (known.length > 0) return ok(`the token grants ${known.join(', ')}`);
  return problem(
    'the token grants no scope of Watchpost in `scope` or `scp`',
    `Define ${scopes.slice(0, 3).join(', ')} … at the issuer, and have the client ask for them.`,
  );
}

/** With more than 200 groups Entra ID omits the claim and refers to another address; a token without groups gives access to all groups. */
function checkGroups(claims: JWTPayload): Finding {
  const names = (claims['_claim_names'] ?? {}) as Record<string, unknown>;
  if ('groups' in names || claims['hasgroups'] === true) {
    return problem(
      'the token leaves its groups out, there are too many (Entra overage)',
      'Have Entra ID emit only groups assigned to the application.',
    );
  }
  const groups = claims['groups'];
  if (groups === undefined)
    return ok(
      'the token names no groups: it is one for all of them',
      'Have the issuer add `groups` where people may see only some.',
    );
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string'))
    return problem('`groups` of the token is not a list of names', 'Have the issuer write a list of texts.');
  return ok(`the token is limited to ${groups.length} groups`);
}

async function readJson(url: string): Promise<Record<string, unknown> | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    return response.ok ? ((await response.json()) as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
