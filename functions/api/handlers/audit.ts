import { listAudit } from '../../../shared/app/audit/list.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { auditRoutes } from '../../../shared/schema/audit/routes.ts';
import type { Handlers } from '../handler.ts';

export function auditHandlers(tokens: PageTokens): Handlers<keyof typeof auditRoutes> {
  return { listAudit: async ({ world, query }) => ({ body: await listAudit(world, query, tokens) }) };
}
