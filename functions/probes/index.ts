import { http } from '@google-cloud/functions-framework';
import { clock } from '../../shared/adapters/clock.ts';
import { redirectMalformedPaths } from '../../shared/adapters/http/malformed-paths.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { type Config, readConfig } from '../../shared/config.ts';
import type { ReadinessResponse } from '../../shared/schema/probe/probe.ts';
import { createProbes } from './probes.ts';
import { settings } from './settings.ts';

const log = createLog('probes');

const startup = ((): { config: Config<(typeof settings)[number]> } | { error: string } => {
  try {
    return { config: readConfig(process.env, settings) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    log.error('service.refused', { error: message });
    return { error: message };
  }
})();

let readiness: Promise<() => Promise<ReadinessResponse>> | null = null;

/** Loads the checks with the first call of `/ready`, so that `/health` opens no connection and waits for nothing. */
async function loadReadiness(config: Config<(typeof settings)[number]>): Promise<() => Promise<ReadinessResponse>> {
  const [{ createReadiness }, { createChecks }] = await Promise.all([
    import('../../shared/app/probe/readiness.ts'),
    import('../../shared/adapters/probe/checks.ts'),
  ]);
  return createReadiness({
    checks: createChecks(config),
    log,
    now: clock.now,
    elapsedMs: () => performance.now(),
    version: config.version,
  });
}

redirectMalformedPaths();
http(
  'probes',
  createProbes({
    now: clock.now,
    uptimeSeconds: () => process.uptime(),
    version: 'config' in startup ? startup.config.version : readConfig(process.env, ['version']).version,
    error: 'error' in startup ? startup.error : null,
    ready: async () => {
      if ('error' in startup) return null;
      readiness ??= loadReadiness(startup.config);
      return (await readiness)();
    },
  }),
);
