import {
  type MutableRedirectUri,
  type MutableResponse,
  type MutableToken,
  OAuth2Issuer,
  OAuth2Service,
} from 'oauth2-mock-server';
import { everyGroup } from '../../shared/settings-issuers.ts';
import { type Service, serveHttp } from '../machine/http-server.ts';

export type IssuerConfig = {
  port: number;
  /** Private signing key as JWK with `kid` and `alg`. It is kept between runs, so that tokens stay valid after a restart. */
  signingKey: Record<string, unknown>;
  /** Audience of an access token whose request names none. */
  audience: string;
  /** Scopes of an access token whose request names none. */
  scope: string;
};

/** Asked for as a group: the claim is left out. */
export const withoutGroups = 'none';

type Fields = Record<string, string | string[] | undefined>;

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
const many = (value: string | string[] | undefined) => (value === undefined ? [] : [value].flat());

/**
 * An OpenID issuer for the local run: discovery, authorization code with PKCE (a click on "sign in", no password),
 * client credentials. It gives a token to everybody who asks, so it listens on 127.0.0.1 only.
 */
export async function startIssuer(config: IssuerConfig): Promise<Service> {
  const issuer = new OAuth2Issuer();
  const service = new OAuth2Service(issuer);
  await issuer.keys.add(config.signingKey);

  // Real issuers fix the scope at consent. The library takes it only from the later token request.
  const consentedScopes = new Map<string, string>();
  service.on('beforeAuthorizeRedirect', (redirect: MutableRedirectUri, request: { query?: Fields }) => {
    const code = redirect.url.searchParams.get('code');
    const scope = one(request.query?.['scope']);
    if (code && scope) consentedScopes.set(code, scope);
  });
  service.on('beforeTokenSigning', (token: MutableToken, request: { body?: Fields }) => {
    shapeToken(token.payload, request.body ?? {}, config, consentedScopes);
  });
  // The library answers with its own lifetime (an hour) and scope. A client trusts the answer, so it is corrected here.
  service.on('beforeResponse', ({ body }: MutableResponse, request: { body?: Fields }) => {
    if (!body) return;
    const asked = request.body ?? {};
    body['expires_in'] = expiresSecondsOf(asked) ?? body['expires_in'];
    body['scope'] = scopeOf(asked, config, consentedScopes);
  });

  const server = await serveHttp(service.requestHandler, config.port);
  issuer.url = `http://127.0.0.1:${server.port}`;
  return server;
}

function shapeToken(
  payload: MutableToken['payload'],
  asked: Fields,
  config: IssuerConfig,
  consentedScopes: Map<string, string>,
): void {
  const isIdToken = !('scope' in payload);
  payload['sub'] = one(asked['subject']) ?? (isPerson(asked) ? 'operator' : (one(asked['client_id']) ?? 'service'));
  const expiresSeconds = expiresSecondsOf(asked);
  if (expiresSeconds !== null) payload.exp = payload.iat + expiresSeconds;
  if (isIdToken) return;

  payload['scope'] = scopeOf(asked, config, consentedScopes);
  payload['aud'] ??= config.audience;
  const groups = many(asked['groups']);
  if (!groups.includes(withoutGroups)) payload['groups'] = groups.length > 0 ? groups : [everyGroup];
  const email = one(asked['email']);
  if (email !== undefined) {
    payload['email'] = email;
    payload['email_verified'] = true;
  }
}

function expiresSecondsOf(asked: Fields): number | null {
  const seconds = Number(one(asked['expires_seconds']));
  return seconds > 0 ? seconds : null;
}

function scopeOf(asked: Fields, config: IssuerConfig, consentedScopes: Map<string, string>): string {
  const code = one(asked['code']);
  return one(asked['scope']) ?? (code ? consentedScopes.get(code) : undefined) ?? config.scope;
}

function isPerson(asked: Fields): boolean {
  return one(asked['grant_type']) !== 'client_credentials';
}
