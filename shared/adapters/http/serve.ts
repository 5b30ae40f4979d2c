import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import type { Log } from '../../app/ports.ts';
import { redirectMalformedPaths } from './malformed-paths.ts';
import { makeNoDomains } from './no-domains.ts';
import { leaveBodiesUnparsed } from './unparsed-bodies.ts';

/**
 * Registers a function under its name. Where it cannot be built (settings refused), one log line says why and the process ends with code 1.
 * The new revision then never becomes ready and the previous one stays. `probes` does not use this function, because it stays up to report
 * the reason.
 */
export function serve(name: string, log: Log, build: () => RequestListener, end = endProcess): void {
  leaveBodiesUnparsed();
  redirectMalformedPaths();
  makeNoDomains();
  let listener: RequestListener;
  try {
    listener = build();
  } catch (error) {
    log.error('service.refused', { error: error instanceof Error ? error.message : String(error) });
    return end();
  }
  http(name, listener);
}

/** The platform's build loads a function with `--help` and without its settings to compile it (`tools/build/compile-cache.ts`). */
function endProcess(): void {
  if (!process.argv.includes('--help')) process.exit(1);
}
