import type { JWTPayload } from 'jose';
import type { Bearer } from '../../app/bearer.ts';
import { AppError } from '../../errors.ts';
import { fleetWideScopes, type Scope, scopes } from '../../schema/vocabulary.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** Reads `Authorization: Bearer …` and says who calls. @throws AppError `unauthenticated`, `unavailable` */
export async function authenticate(header: string | null | undefined, verify: TokenVerifier): Promise<Bearer> {
  const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '')?.[1];
  if (!token) {
    throw new AppError('unauthenticated', 'Send a token as `Authorization: Bearer <token>`.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  return toBearer(await verify(token));
}

/** @throws AppError `forbidden` that names the missing scope; `limited-to-groups` where the scope is about every group at once */
export function requireScope(bearer: Bearer, scope: Scope): void {
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
  if (!bearer.scopes.has(scope)) throw new AppError('forbidden', `The token lacks the scope ${scope}.`, { headers });
  if (bearer.groups === null || !fleetWideScopes.has(scope)) return;
  const detail = `What ${scope} changes holds for the whole fleet, and the token is limited to groups.`;
  throw new AppError('limited-to-groups', detail, { headers });
}

function toBearer(payload: JWTPayload): Bearer {
  const granted = typeof payload['scope'] === 'string' ? payload['scope'].split(' ') : [];
  return {
    subject: payload.sub ?? '',
    scopes: new Set(scopes.filter((scope) => granted.includes(scope))),
    groups: groupsOf(payload['groups']),
  };
}

/** Each list that a bearer asks for is a query of the store for each 30 groups: beyond this it should be one token for all groups. */
const mostGroups = 100;

/** Absent: every group. Anything but a list of names would be a guess, so it is refused. */
function groupsOf(claim: unknown): string[] | null {
  if (claim === undefined) return null;
  if (!Array.isArray(claim) || !claim.every((group) => typeof group === 'string')) {
    throw refused('The claim `groups` of the token is not a list of names.');
  }
  const groups = [...new Set<string>(claim)];
  if (groups.length <= mostGroups) return groups;
  throw refused(
    `The claim \`groups\` of the token names ${groups.length} groups, more than ${mostGroups}: leave it out for all groups.`,
  );
}

function refused(why: string): AppError {
  return new AppError('unauthenticated', why, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
}
