import type { PageTokens } from '../../../shared/app/paging.ts';
import type { Frames, World } from '../../../shared/app/ports.ts';
import { listQuarantine } from '../../../shared/app/quarantine.ts';
import { dismissQuarantined, retryQuarantined } from '../../../shared/app/review-quarantine.ts';
import type { Handlers } from '../router.ts';

type QuarantineOperations = 'listQuarantine' | 'retryQuarantined' | 'dismissQuarantined';

export function quarantineHandlers(
  world: World,
  tokens: PageTokens,
  frames: Frames,
): Pick<Handlers, QuarantineOperations> {
  return {
    listQuarantine: async ({ query }) => ({ body: await listQuarantine(world, query, tokens) }),
    retryQuarantined: async ({ params }) => ({ body: await retryQuarantined(world, frames, params['reportId'] ?? '') }),
    dismissQuarantined: async ({ params }) => ({ body: await dismissQuarantined(world, params['reportId'] ?? '') }),
  };
}
