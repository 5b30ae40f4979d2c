import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import type { Log } from '../../app/ports.ts';
import { AppError } from '../../errors.ts';
import { makeNoDomains } from './no-domains.ts';
import { sendProblem } from './problem.ts';
import { leaveBodiesUnparsed } from './unparsed-bodies.ts';

/**
 * Registers a function under its name. Where it cannot be built (settings refused), the process stays up and answers every request
 * with 503, so that the reason stands in the log once and not in a crash loop.
 */
export function serve(name: string, log: Log, build: () => RequestListener): void {
  leaveBodiesUnparsed();
  makeNoDomains();
  http(name, built(log, build));
}

function built(log: Log, build: () => RequestListener): RequestListener {
  try {
    return build();
  } catch (error) {
    log.error('service.refused', { error: error instanceof Error ? error.message : String(error) });
    return (_, response) =>
      sendProblem(response, new AppError('unavailable', 'The service is not set up; its log says why.'));
  }
}
