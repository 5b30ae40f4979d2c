import { createSenders } from '../../shared/adapters/channels/senders.ts';
import { createPrivateEdge } from '../../shared/adapters/http/private-edge.ts';
import { invalidRequest, readJson } from '../../shared/adapters/http/request-body.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { createEgressCheck } from '../../shared/adapters/outbound/egress-check.ts';
import { createWorld } from '../../shared/adapters/world.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { createEgressWitness } from '../../shared/app/deliveries/dispatch-guards.ts';
import { readConfig } from '../../shared/config.ts';
import { isUuid } from '../../shared/domain/ids.ts';
import { settings } from './settings.ts';

type TaskBody = { in?: unknown; id?: unknown; webhookId?: unknown };

const log = createLog('deliver');

serve('deliver', log, () => {
  const config = readConfig(process.env, settings);
  const world = createWorld(config, log);
  const elapsedMs = () => performance.now();
  const egress = createEgressWitness({ check: createEgressCheck(config), elapsedMs, world });
  const dispatcher = createDispatcher(world, createSenders(config, world.store), elapsedMs, egress);
  return createPrivateEdge(config, log, {
    // A receiver's answer is an outcome, never our own status: passing on its 429 or 503 would slow down the whole queue.
    '/': async (request) => {
      const wake = (await readJson(request, 4096)) as TaskBody | null;
      if (wake?.in !== 'deliveries' || typeof wake.id !== 'string') {
        throw invalidRequest([{ pointer: '/id', detail: 'must name a delivery' }]);
      }
      const webhookId = typeof wake.webhookId === 'string' && isUuid(wake.webhookId) ? wake.webhookId : null;
      return { result: await dispatcher.attempt(wake.id, webhookId) };
    },
  });
});
