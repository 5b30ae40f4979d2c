import type { meRoutes } from '../../../shared/schema/me/routes.ts';
import { scopes } from '../../../shared/schema/scopes.ts';
import type { Handlers } from '../handler.ts';

export function meHandlers(): Handlers<keyof typeof meRoutes> {
  return {
    getMe: async ({ bearer: { subject, issuer, expiresAtMs, scopes: granted, groups, faultOfGroups } }) => ({
      body: {
        subject,
        issuer,
        expiresAt: new Date(expiresAtMs).toISOString(),
        scopes: scopes.filter((scope) => granted.has(scope)),
        groups: groups && [...groups],
        missing: { scopes: scopes.filter((scope) => !granted.has(scope)), groups: faultOfGroups },
      },
    }),
  };
}
