import { createFrames } from '../../shared/adapters/frames/frames.ts';
import { createPrivateEdge } from '../../shared/adapters/http/private-edge.ts';
import { invalidRequest, readJson } from '../../shared/adapters/http/request-body.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLedger, createLogObjects } from '../../shared/adapters/ledger/log-objects.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { createReportPress } from '../../shared/adapters/reports/press.ts';
import { createCanaries } from '../../shared/adapters/sight/canary-senders.ts';
import { createWorld, drillOf } from '../../shared/adapters/world.ts';
import { beginDrill } from '../../shared/app/drill/begin-drill.ts';
import { handleWake, isWakeKind } from '../../shared/app/due/handle-wake.ts';
import { sweep } from '../../shared/app/due/sweep.ts';
import { readConfig } from '../../shared/config.ts';
import { settings } from './settings.ts';

const log = createLog('deadline');

serve('deadline', log, () => {
  const config = readConfig(process.env, settings);
  const press = createReportPress(createLogObjects(config));
  const world = { ...createWorld(config, log), frames: createFrames(config), press, ...drillOf(config) };
  const canaries = { ...createCanaries(config), heartbeats: config.heartbeatUrls.length };
  const ledger = createLedger(config);
  const sweepNow = () => sweep(world, canaries, ledger);
  return createPrivateEdge(config, log, {
    '/sweep': sweepNow,
    '/drill': async () => ({ begun: await beginDrill(world, canaries, true) }),
    '/': async (request) => {
      const wake = (await readJson(request, 4096)) as { in?: unknown; id?: unknown } | null;
      if (typeof wake?.id !== 'string') throw invalidRequest([{ pointer: '/id', detail: 'is required' }]);
      if (!isWakeKind(wake.in)) {
        throw invalidRequest([{ pointer: '/in', detail: 'must name a kind of record that can be due' }]);
      }
      const isRepeat = Number(request.headers['x-cloudtasks-taskretrycount'] ?? 0) > 0;
      await handleWake(world, wake.in, wake.id, isRepeat, sweepNow);
      return null;
    },
  });
});
