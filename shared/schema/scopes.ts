// What a bearer may do.
export const scopes = [
  'alerts:read',
  'alerts:write',
  'devices:read',
  'devices:write',
  'webhooks:read',
  'webhooks:write',
  'settings:read',
  'settings:write',
  'contacts:read',
  'audit:read',
  'events:read',
  'metrics:read',
] as const;
export type Scope = (typeof scopes)[number];
/**
 * Scopes that open nothing to a token limited to groups, except routes with `isOfGroups` or `orScope`: rules, teams
 * and settings apply to the whole fleet, messages in quarantine belong to no group, and the audit stream concerns
 * everybody.
 */
export const fleetWideScopes: ReadonlySet<Scope> = new Set<Scope>(['settings:write', 'audit:read']);
