import type { JWTPayload } from 'jose';
import type { Bearer } from '../../app/bearer.ts';
import { AppError } from '../../errors.ts';
import { isFleetWide, isOpenTo, type Route } from '../../schema/route.ts';
import { identifierPattern } from '../../schema/routes.ts';
import { type Scope, scopes } from '../../schema/scopes.ts';
import { faultOfTexts } from '../../schema/text.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** How to read the groups of a bearer. */
export type GroupsClaim = {
  /** The claim that contains them. Some issuers reserve the name `groups`. */
  name: string;
  /** Whether a token without the claim may see every group. Otherwise it sees none. */
  isOptional: boolean;
};

/** A bearer, with what only the edge needs: who issued the token and when it expires. */
export type Caller = Bearer & {
  issuer: string;
  /** When the token expires, milliseconds since 1970. */
  expiresAtMs: number;
};

/** Reads `Authorization: Bearer …` and returns the caller. @throws AppError `unauthenticated`, `unavailable` */
export async function authenticate(
  header: string | null | undefined,
  verify: TokenVerifier,
  groupsClaim: GroupsClaim,
): Promise<Caller> {
  const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '')?.[1];
  if (!token) {
    throw new AppError('unauthenticated', 'Send a token as `Authorization: Bearer <token>`.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  return toCaller(await verify(token), groupsClaim);
}

/** @throws AppError `forbidden` that names the missing scope; `limited-to-groups` where the route concerns every group at once */
export function requireScope(bearer: Bearer, route: Route & { scope: Scope }): void {
  const { scope } = route;
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
  if (!isOpenTo(route, bearer.scopes))
    throw new AppError('forbidden', `The token lacks the scope ${scope}.`, { headers });
  if (bearer.groups === null || !isFleetWide(route)) return;
  const detail = `${scope} applies to the whole fleet, and the token is limited to groups.`;
  throw new AppError('limited-to-groups', detail, { headers });
}

function toCaller(payload: JWTPayload, groupsClaim: GroupsClaim): Caller {
  if (faultOfTexts([payload.sub, payload[groupsClaim.name]], null))
    throw refused('A claim of the token contains invisible characters.');
  const granted = scopesOf(payload);
  return {
    // The prefix prevents confusion with `system` or `device`, if an issuer uses these as subjects.
    subject: `user:${payload.sub}`,
    scopes: new Set(scopes.filter((scope) => granted.includes(scope))),
    groups: groupsOf(payload, groupsClaim),
    issuer: payload.iss ?? '',
    expiresAtMs: (payload.exp ?? 0) * 1000,
  };
}

/**
 * A list costs one query per 30 groups, and one per 3 groups where it is sorted by time (`slices.ts`). A bearer with
 * more groups than this should have a token for all groups.
 */
const mostGroups = 100;
const everyGroup = '*';

const isGroupId = new RegExp(identifierPattern);

/** The scopes of `scope` (RFC 9068) or, where that is missing, of `scp` (Entra ID, Okta): text with spaces, or a list. */
function scopesOf(payload: JWTPayload): string[] {
  const name = payload['scope'] === undefined ? 'scp' : 'scope';
  const claim = payload[name] ?? [];
  if (typeof claim === 'string') return claim.split(' ');
  if (Array.isArray(claim) && claim.every((scope) => typeof scope === 'string')) return claim;
  throw refused(`The claim \`${name}\` of the token is neither text nor a list of texts.`);
}

/**
 * The groups that the claim names. Null: every group, because the claim contains `*`, or is optional and missing. A
 * required claim that is missing gives no group.
 * @throws AppError `unauthenticated` for any form other than `*` or a list of names, because it is ambiguous
 */
function groupsOf(payload: JWTPayload, { name, isOptional }: GroupsClaim): string[] | null {
  const claim = payload[name];
  if (claim === undefined) {
    if (isElsewhere(payload, name)) refuseOverage(name);
    return isOptional ? null : [];
  }
  if (claim === everyGroup) return null;
  if (!Array.isArray(claim) || !claim.every((group) => typeof group === 'string')) {
    throw refused(`The claim \`${name}\` of the token is not a list of names.`);
  }
  if (claim.includes(everyGroup)) return null;
  // Names that no group can have belong to another application.
  const groups = [...new Set<string>(claim)].filter((group) => isGroupId.test(group));
  if (groups.length <= mostGroups) return groups;
  throw refused(
    `The claim \`${name}\` of the token names ${groups.length} groups, more than ${mostGroups}: name \`${everyGroup}\` for all groups.`,
  );
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
