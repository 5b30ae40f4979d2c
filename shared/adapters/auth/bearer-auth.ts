import type { JWTPayload } from 'jose';
import type { Bearer } from '../../app/bearer.ts';
import { AppError } from '../../errors.ts';
import { isFleetWide, isOpenTo, type Route } from '../../schema/route.ts';
import { identifierPattern } from '../../schema/routes.ts';
import { scopes } from '../../schema/scopes.ts';
import { faultOfTexts } from '../../schema/text.ts';
import type { Issuer } from '../../settings-issuers.ts';
import { claimedIssuerOf, createTokenVerifier } from './token-verifier.ts';

/** A bearer, with what only the edge needs: who issued the token, when it expires, and why it names no group. */
export type Caller = Bearer & {
  issuer: string;
  /** When the token expires, milliseconds since 1970. */
  expiresAtMs: number;
  /** Why the token names no group of devices, and what to do. Null: it names one. */
  faultOfGroups: string | null;
};

/** Reads `Authorization: Bearer …` and returns the caller. @throws AppError `unauthenticated`, `unavailable` */
export type Authenticator = (header: string | null | undefined) => Promise<Caller>;

/**
 * Accepts the tokens of several issuers. The unverified `iss` only chooses the entry whose keys, audience and claims are
 * used from then on.
 */
export function createAuthenticator(issuers: readonly Issuer[]): Authenticator {
  const verifiers = issuers.map((issuer) => ({ issuer, verify: createTokenVerifier(issuer) }));
  // Reading `iss` takes as long as finding a token that was seen before. Where there is no choice, the verifier compares it anyway.
  const entryOf = (token: string) =>
    verifiers.length === 1 ? verifiers[0] : verifiers.find(({ issuer }) => issuer.issuer === claimedIssuerOf(token));
  return async (header) => {
    const token = tokenOf(header);
    const known = entryOf(token);
    if (!known) throw refused('The bearer token is not valid.');
    return callerOf(await known.verify(token), known.issuer);
  };
}

function tokenOf(header: string | null | undefined): string {
  const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '')?.[1];
  if (token) return token;
  throw new AppError('unauthenticated', 'Send a token as `Authorization: Bearer <token>`.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** @throws AppError `no-groups`, `forbidden` that names the missing scope; `limited-to-groups` where the route concerns every group at once */
export function requireRight(bearer: Bearer & Pick<Caller, 'faultOfGroups'>, route: Route): void {
  const { scope } = route;
  if (scope === null || scope === 'any-token') return;
  requireGroups(bearer);
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
  if (!isOpenTo(route, bearer.scopes))
    throw new AppError('forbidden', `The token lacks the scope ${scope}.`, { headers });
  if (bearer.groups === null || !isFleetWide(route)) return;
  const detail = `${scope} applies to the whole fleet, and the token is limited to groups.`;
  throw new AppError('limited-to-groups', detail, { headers });
}

/** @throws AppError `no-groups` */
export function requireGroups({ faultOfGroups }: Pick<Caller, 'faultOfGroups'>): void {
  if (faultOfGroups !== null) throw new AppError('no-groups', faultOfGroups);
}

/** What the claims of a verified token say, as the entry of its issuer reads them. @throws AppError `unauthenticated` */
export function callerOf(payload: JWTPayload, entry: Issuer): Caller {
  const { name, signIn, roles: readsRoles } = entry;
  // Only a token of an application says so. In one of a person, `roles` is what somebody else has given them.
  const isApplication = readsRoles && payload['idtyp'] === 'app';
  const { granted, groups, fault } = isApplication ? rightsOfRoles(payload, entry) : rightsOfClaims(payload, entry);
  if (faultOfTexts([payload.sub, groups ?? []], null))
    throw refused('A claim of the token contains invisible characters.');
  return {
    // The prefix prevents confusion with `system` or `device`, and between the subjects of two issuers.
    subject: `${signIn ? 'user' : name}:${payload.sub}`,
    scopes: new Set(scopes.filter((scope) => granted.includes(scope))),
    groups: groups && named(groups, isApplication ? 'roles' : entry.groupsClaim, entry.allGroups),
    issuer: payload.iss ?? '',
    expiresAtMs: (payload.exp ?? 0) * 1000,
    faultOfGroups: groups && groups.filter((group) => isGroupId.test(group)).length === 0 ? fault : null,
  };
}

/** `groups` null: all of them; otherwise as the token names them. `fault`: what is said if it names none. */
type Rights = { granted: string[]; groups: string[] | null; fault: string };

function rightsOfClaims(payload: JWTPayload, entry: Issuer): Rights {
  const { groupsClaim, allGroups } = entry;
  return {
    granted: scopesOf(payload, entry.scopeClaim),
    groups: groupsOf(payload, entry),
    fault: `The token names no group of devices in the claim \`${groupsClaim}\`: have the issuer list the groups there, or \`${allGroups}\` for all.`,
  };
}

const rolePrefix = 'group:';

/**
 * The rights in the application roles of Entra ID: a scope by its name, `group:` and the id of a group, or what means all
 * groups. Nothing else of the token counts.
 */
function rightsOfRoles(payload: JWTPayload, { allGroups }: Issuer): Rights {
  const roles = payload['roles'] ?? [];
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string')) {
    throw refused('The claim `roles` of the token is not a list of names.');
  }
  const groups = roles.filter((role) => role.startsWith(rolePrefix)).map((role) => role.slice(rolePrefix.length));
  return {
    granted: roles,
    groups: roles.includes(allGroups) ? null : groups,
    fault: `The token names no group of devices in the claim \`roles\`: assign the application a role \`${rolePrefix}ID\` for each group, or \`${allGroups}\` for all.`,
  };
}

/**
 * A list costs one query per 30 groups, and one per 3 groups where it is sorted by time (`slices.ts`). A bearer with
 * more groups than this should have a token for all groups.
 */
const mostGroups = 100;

const isGroupId = new RegExp(identifierPattern);

/** The groups once each. Names that no group can have belong to another application. */
function named(groups: readonly string[], claim: string, allGroups: string): string[] {
  const known = [...new Set(groups)].filter((group) => isGroupId.test(group));
  if (known.length <= mostGroups) return known;
  throw refused(
    `The claim \`${claim}\` of the token names ${known.length} groups, more than ${mostGroups}: name \`${allGroups}\` for all groups.`,
  );
}

/** The scopes of the issuer's claim; by default of `scope` (RFC 9068) or, where that is missing, of `scp` (Entra ID, Okta): text with spaces, or a list. */
function scopesOf(payload: JWTPayload, scopeClaim: string | null): string[] {
  const name = scopeClaim ?? (payload['scope'] === undefined ? 'scp' : 'scope');
  const claim = payload[name] ?? [];
  if (typeof claim === 'string') return claim.split(' ');
  if (Array.isArray(claim) && claim.every((scope) => typeof scope === 'string')) return claim;
  throw refused(`The claim \`${name}\` of the token is neither text nor a list of texts.`);
}

/**
 * The groups that the claim names. Null: every group, because it contains the element that means that. None without the
 * claim.
 * @throws AppError `unauthenticated` for any form other than that element or a list of names, because it is ambiguous
 */
function groupsOf(payload: JWTPayload, { groupsClaim: name, allGroups }: Issuer): string[] | null {
  const claim = payload[name];
  if (claim === undefined) {
    if (isElsewhere(payload, name)) refuseOverage(name);
    return [];
  }
  if (claim === allGroups) return null;
  if (!Array.isArray(claim) || !claim.every((group) => typeof group === 'string')) {
    throw refused(`The claim \`${name}\` of the token is not a list of names.`);
  }
  return claim.includes(allGroups) ? null : claim;
}

/**
 * Whether the issuer left the claim out because it is too long. `_claim_names` says that it must be fetched elsewhere
 * (OpenID Connect Core 5.6.2): Entra ID sends that for users with more than 200 groups, and only `hasgroups` in the
 * implicit flow.
 */
function isElsewhere({ _claim_names: names, hasgroups }: JWTPayload, name: string): boolean {
  return hasgroups === true || (typeof names === 'object' && names !== null && name in names);
}

function refuseOverage(name: string): never {
  throw refused(
    `The token omits the claim \`${name}\` because it would contain too many groups (\`_claim_names\`): configure the issuer to include only groups of cameras.`,
  );
}

function refused(why: string): AppError {
  return new AppError('unauthenticated', why, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
}
