import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import type { Log } from '../../app/ports.ts';
import { makeNoDomains } from './no-domains.ts';
import { leaveBodiesUnparsed } from './unparsed-bodies.ts';

/**
 * Registers a function under its name. Where it cannot be built (settings refused), one line of the log says why and the process ends with
 * code 1, so that its revision never becomes ready and the one before goes on. `probes` stays up to say so, and does not come by here.
 */
export function serve(name: string, log: Log, build: () => RequestListener, end = endProcess): void {
  leaveBodiesUnparsed();
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

/** The platform's build loads a function under `--help`, without its settings, to have it compiled (`tools/build/compile-cache.ts`). */
function endProcess(): void {
  if (!process.argv.includes('--help')) process.exit(1);
}
