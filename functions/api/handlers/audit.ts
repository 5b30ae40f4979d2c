import { listAudit } from '../../../shared/app/audit/list.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { auditRoutes } from '../../../shared/schema/audit/routes.ts';
import type { Handlers } from '../handler.ts';

export function auditHandlers(world: World, tokens: PageTokens): Handlers<keyof typeof auditRoutes> {
  return { listAudit: async ({ query }) => ({ body: await listAudit(world, query, tokens) }) };
}
