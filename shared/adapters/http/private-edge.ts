import { Hono } from 'hono';
import type { Log } from '../../app/ports.ts';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { requireCaller } from '../caller-auth.ts';
import { createTokenVerifier } from '../token-verifier.ts';
import { problemResponse } from './problem.ts';
import type { FromServer } from './request-body.ts';

export const callerSettings = ['callerIssuer', 'callerKeysUrl', 'callerAudience', 'callers'] as const;

/**
 * The edge of a function that only the platform calls (Pub/Sub push, Cloud Tasks, Cloud Scheduler): every call must carry the token of a
 * known account; an error of ours is answered so that the platform tries again.
 */
export function createPrivateEdge(config: Config<(typeof callerSettings)[number]>, log: Log): Hono<FromServer> {
  const verify = createTokenVerifier({
    issuer: config.callerIssuer,
    audience: config.callerAudience,
    keysUrl: config.callerKeysUrl,
  });
  const app = new Hono<FromServer>();
  app.use(async ({ req }, next) => {
    await requireCaller(req.header('Authorization'), verify, config.callers);
    await next();
  });
  app.notFound(() => problemResponse(new AppError('not-found', 'There is no such path.'), 'none'));
  app.onError((error, { req }) => {
    const isOurs = !(error instanceof AppError) || error.status >= 500;
    const fields = {
      path: req.path,
      error: String(error),
      ...(isOurs ? { stack: error.stack, cause: String(error.cause ?? '') } : {}),
    };
    log[isOurs ? 'error' : 'warn']('call.failed', fields);
    return problemResponse(error, 'none');
  });
  return app;
}
