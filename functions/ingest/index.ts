import { clock } from '../../shared/adapters/clock.ts';
import { createFrames } from '../../shared/adapters/frames/frames.ts';
import { createPrivateEdge } from '../../shared/adapters/http/private-edge.ts';
import { readJson } from '../../shared/adapters/http/request-body.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { createCanarySeal } from '../../shared/adapters/sight/canary-seal.ts';
import { inTrace, traceHeader } from '../../shared/adapters/trace.ts';
import { unzip } from '../../shared/adapters/unzip.ts';
import { createWorld, drillOf } from '../../shared/adapters/world.ts';
import { takeDeadPushed, takePushed } from '../../shared/app/intake/take-pack.ts';
import { readConfig } from '../../shared/config.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';
import { readPushed } from './message.ts';
import { settings } from './settings.ts';

/** Pub/Sub messages have at most 10 MB. Base64 and the envelope add a third. */
const maxPushBytes = 14 * 1024 * 1024;
const log = createLog('ingest');

/**
 * Where the trace of a message may be: in an attribute of the bridge, in one of the Pub/Sub client, or in the push
 * request.
 */
function tracesOf({ attributes }: Message): (string | undefined)[] {
  return [attributes['traceparent'], attributes['googclient_traceparent'], traceHeader().traceparent];
}

serve('ingest', log, () => {
  const config = readConfig(process.env, settings);
  const world = { ...createWorld(config, log), ...drillOf(config) };
  const intake = {
    ...config,
    frames: createFrames(config),
    unzip,
    canarySeal: createCanarySeal(...config.pageTokenKeys),
  };
  return createPrivateEdge(config, log, {
    '/dead-letter': async (request) => {
      const { message } = readPushed(await readJson(request, maxPushBytes), clock.ms());
      await takeDeadPushed(world, message, intake);
      return null;
    },
    // Pub/Sub and Eventarc post to the root. The framework's own form has the topic in the path.
    '*': async (request) => {
      const { message, isRepeat } = readPushed(await readJson(request, maxPushBytes), clock.ms());
      await inTrace(tracesOf(message), async () => {
        const startedMs = clock.ms();
        await takePushed(world, message, intake, isRepeat);
        if (config.logLevel !== 'debug') return;
        const { messageId, data } = message;
        log.debug('message.handled', { messageId, isRepeat, bytes: data.length, durationMs: clock.ms() - startedMs });
      });
      return null;
    },
  });
});
